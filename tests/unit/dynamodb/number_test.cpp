// Numbers: what DynamoDB takes, comparison by value, exact sums.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/decimal.hpp"
#include "random_values.hpp"

#include <dynalease/dynamodb/item.hpp>
#include <dynalease/error.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace dynalease {

namespace {

const std::string nines(38, '9');

std::string canonical(std::string_view text) {
    return decimal::parse(text)->to_string();
}

std::string sum(std::string_view left, std::string_view right) {
    const auto out = add(*decimal::parse(left), *decimal::parse(right));
    return out ? out->to_string() : std::string(describe(out.error()));
}

std::string difference(std::string_view left, std::string_view right) {
    const auto out = subtract(*decimal::parse(left), *decimal::parse(right));
    return out ? out->to_string() : std::string(describe(out.error()));
}

}  // namespace

TEST_CASE("a value is made of no character and of no null pointer") {
    STATIC_REQUIRE(std::constructible_from<attribute_value, signed char>);
    STATIC_REQUIRE_FALSE(std::constructible_from<attribute_value, char>);
    STATIC_REQUIRE_FALSE(std::constructible_from<number, char32_t>);
    STATIC_REQUIRE_FALSE(std::constructible_from<attribute_value, std::nullptr_t>);
}

TEST_CASE("a number has one canonical text") {
    const auto [text, expected] = GENERATE(table<std::string, std::string>({
        {"0", "0"},
        {"-0", "0"},
        {"0.000", "0"},
        {"0e125", "0"},
        {"0.0e126", "0"},
        {"0E-130", "0"},
        {"1", "1"},
        {"+1", "1"},
        {"-12.50", "-12.5"},
        {"0012", "12"},
        {"1E+3", "1000"},
        {"1e-3", "0.001"},
        {"12.5e1", "125"},
        {".5", "0.5"},
        {"5.", "5"},
        {"100", "100"},
        {"1e125", "1" + std::string(125, '0')},
        {"1E-130", "0." + std::string(129, '0') + "1"},
        {nines, nines},
        {"1" + std::string(100, '0') + "E-100", "1"},
    }));
    INFO(text);
    CHECK(canonical(text) == expected);
    CHECK(number(text).canonical_text() == expected);
    CHECK(number(text).text() == text);
}

TEST_CASE("what is no number of DynamoDB is refused") {
    const auto [text, expected] = GENERATE(table<std::string, decimal_error>({
        {"", decimal_error::malformed},
        {"-", decimal_error::malformed},
        {".", decimal_error::malformed},
        {"e5", decimal_error::malformed},
        {"1e", decimal_error::malformed},
        {"1e+", decimal_error::malformed},
        {"1e1.5", decimal_error::malformed},
        {"1.2.3", decimal_error::malformed},
        {"--1", decimal_error::malformed},
        {"+-1", decimal_error::malformed},
        {" 1", decimal_error::malformed},
        {"1 ", decimal_error::malformed},
        {"1,5", decimal_error::malformed},
        {"0x10", decimal_error::malformed},
        {"NaN", decimal_error::malformed},
        {"Infinity", decimal_error::malformed},
        {"1" + std::string(37, '0') + "1", decimal_error::too_many_digits},
        {"1.00000000000000000000000000000000000001", decimal_error::too_many_digits},
        {"1e126", decimal_error::overflow},
        {"-1e126", decimal_error::overflow},
        {"10e125", decimal_error::overflow},
        {"1.0e100000000", decimal_error::overflow},
        {"1e9223372036854775807", decimal_error::overflow},
        {"1e9223372036854775808", decimal_error::malformed},
        {"0e126", decimal_error::overflow},
        {"0e-131", decimal_error::underflow},
        {"1e-131", decimal_error::underflow},
        {"0.1e-130", decimal_error::underflow},
        {"1e-9223372036854775808", decimal_error::underflow},
        {"1e-9223372036854775809", decimal_error::malformed},
    }));
    INFO(text);
    const auto parsed = decimal::parse(text);
    REQUIRE(parsed.has_error());
    CHECK(parsed.error() == expected);
    CHECK(!number::parse(text));
    try {
        number refused(text);
        FAIL("taken");
    } catch (const error& why) {
        CHECK(why.code() == errc::validation);
        CHECK(why.diagnostics().message == describe(expected));
    }
}

TEST_CASE("the value of what is no decimal number is refused by an exception that says why") {
    CHECK_THROWS_WITH(decimal::parse("x").value(), std::string(describe(decimal_error::malformed)));
}

TEST_CASE("the largest and smallest numbers are taken") {
    const auto text = GENERATE(as<std::string>{}, "9.9999999999999999999999999999999999999E+125",
                               "-9.9999999999999999999999999999999999999E+125", "1E-130",
                               "1.2345678901234567890123456789012345678E-130");
    INFO(text);
    CHECK(number::parse(text));
}

TEST_CASE("numbers are compared by value") {
    CHECK(number("1") == number("1.0"));
    CHECK(number("1") == number("10E-1"));
    CHECK(number("0") == number("-0.0"));
    CHECK(number("1") != number("-1"));
    const std::vector<std::string> ascending = {"-1e125", "-10",  "-9.5", "-1", "-1e-130", "0",
                                                "1e-130", "0.99", "1",    "2",  "10",      "1e125"};
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        for (std::size_t j = 0; j < ascending.size(); ++j) {
            INFO(ascending[i] << " and " << ascending[j]);
            CHECK((number(ascending[i]) <=> number(ascending[j])) == (i <=> j));
        }
    }
}

TEST_CASE("sums are exact or refused") {
    CHECK(sum("0.1", "0.2") == "0.3");
    CHECK(sum("1", "-1") == "0");
    CHECK(sum("-5", "3") == "-2");
    CHECK(sum("999", "1") == "1000");
    CHECK(sum(nines, "1") == "1" + std::string(38, '0'));
    CHECK(sum("1e125", "1e-130") == describe(decimal_error::too_many_digits));
    CHECK(sum("1e38", "1") == describe(decimal_error::too_many_digits));
    CHECK(sum("9e125", "1e125") == describe(decimal_error::overflow));
    CHECK(difference("0", "5") == "-5");
    CHECK(difference("5", "0") == "5");
    CHECK(difference("-9e125", "1e125") == describe(decimal_error::overflow));
    CHECK(difference("1.1e-130", "1e-130") == describe(decimal_error::underflow));
    CHECK(difference("1e37", "0.1") == "9" + std::string(36, '9') + ".9");
}

TEST_CASE("sums agree with 64-bit arithmetic and undo one another") {
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
        test::random_values values(seed);
        const auto left = static_cast<std::int64_t>(values.below(1ULL << 62)) - (1LL << 61);
        const auto right = static_cast<std::int64_t>(values.below(1ULL << 62)) - (1LL << 61);
        INFO(left << " and " << right);
        const auto a = decimal::of(number(left));
        const auto b = decimal::of(number(right));
        REQUIRE(add(a, b)->to_number().to_integer() == left + right);
        REQUIRE(subtract(a, b)->to_number().to_integer() == left - right);
        REQUIRE((a <=> b) == (left <=> right));

        const auto c = decimal::of(values.decimal_number());
        const auto d = decimal::of(values.decimal_number());
        if (const auto total = add(c, d)) REQUIRE(*subtract(*total, d) == c);
        REQUIRE(*decimal::parse(c.to_string()) == c);
        REQUIRE((c < d) == (d > c));
    }
}

TEST_CASE("a number gives an integer only if it is one that fits") {
    using limits = std::numeric_limits<std::int64_t>;
    CHECK(number(limits::max()).to_integer() == limits::max());
    CHECK(number(limits::min()).to_integer() == limits::min());
    CHECK(number("9223372036854775807.0").to_integer() == limits::max());
    CHECK(number("-9223372036854775808.0").to_integer() == limits::min());
    CHECK(number("1.5e1").to_integer() == 15);
    CHECK(number("+7").to_integer() == 7);
    CHECK(number("1e18").to_integer() == 1'000'000'000'000'000'000);
    CHECK(!number("9223372036854775808").to_integer());
    CHECK(!number("-9223372036854775809").to_integer());
    CHECK(!number("1e19").to_integer());
    CHECK(!number("0.5").to_integer());
}

TEST_CASE("a number gives the nearest double") {
    CHECK(number("-12.5").to_double() == -12.5);
    CHECK(number("+1E+2").to_double() == 100);
    CHECK(number("-0.0").to_double() == 0);
    CHECK(number(nines).to_double() == 1e38);
    CHECK(number("9007199254740993").to_double() == 9007199254740992);  // between two: the even one
    CHECK(number("9007199254740993.00000000000000000001").to_double() == 9007199254740994);
    CHECK(number("9.9999999999999999999999999999999999999E+125").to_double() == 1e126);
    CHECK(number("-1.0000000000000000000000000000000000001E-130").to_double() == -1e-130);
}

TEST_CASE("a number is made of a double or float by the shortest text that reads back, and of none without end") {
    CHECK(number(0.1).text() == "0.1");
    CHECK(number(0.1F).text() == "0.1");
    CHECK(number(-2.0) == number(-2));
    CHECK(number(1.0 / 3).to_double() == 1.0 / 3);
    CHECK(item{{"price", 9.99}}.at("price") == attribute_value(number("9.99")));
    const auto refuses = [](double value) {
        try {
            const number made(value);
        } catch (const error& why) {
            return why.code() == errc::validation && !why.diagnostics().message.empty();
        }
        return false;
    };
    CHECK(refuses(std::numeric_limits<double>::infinity()));
    CHECK(refuses(std::numeric_limits<double>::quiet_NaN()));
    CHECK(refuses(1e300));
    CHECK(refuses(1e-300));
}

TEST_CASE("a double that was written in full is read back") {
    std::mt19937_64 random{42};
    for (int i = 0; i < 10'000; ++i) {
        const double value = std::ldexp(double(std::int64_t(random())), int(random() % 600) - 400);
        std::array<char, 64> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
        INFO(text.data());
        REQUIRE(number(std::string_view(text.data(), end)).to_double() == value);
    }
}

}  // namespace dynalease
