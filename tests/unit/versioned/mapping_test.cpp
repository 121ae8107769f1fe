// Structs as items and back.
// SPDX-License-Identifier: BSL-1.0
#include "unit/versioned/complaint.hpp"

#include <dynalease/error.hpp>
#include <dynalease/typed_item.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <random>

namespace stall {

enum class state { open, sold };
BOOST_DESCRIBE_ENUM(state, open, sold)

/// Kept as decimal text by a type of its own.
struct money {
    std::string amount{"0"};
    friend bool operator==(const money&, const money&) = default;
};

struct line {
    std::string sku{};
    std::optional<int> count{};
    friend bool operator==(const line&, const line&) = default;
};
BOOST_DESCRIBE_STRUCT(line, (), (sku, count))

struct base {
    std::string id{};
    friend bool operator==(const base&, const base&) = default;
};
BOOST_DESCRIBE_STRUCT(base, (), (id))

struct everything : base {
    bool yes{};
    std::int8_t tiny{};
    std::uint8_t byte{};
    std::int16_t small{};
    std::int64_t large{};
    std::uint64_t huge{};
    float single{};
    double wide{};
    dynalease::number exact{};
    dynalease::binary bytes{};
    std::optional<std::string> maybe{};
    std::optional<line> maybe_line{};
    std::vector<line> lines{};
    std::vector<std::optional<int>> gaps{};
    std::map<std::string, int> counts{};
    std::set<std::string> tags{"a"};
    std::set<int> numbers{1};
    std::set<dynalease::binary> blobs{dynalease::binary(1)};
    line nested{};
    state now{};
    std::chrono::sys_seconds when{};
    std::chrono::sys_time<std::chrono::milliseconds> exactly{};
    std::chrono::sys_days day{};
    money price{};
    dynalease::attribute_value anything{};
    friend bool operator==(const everything&, const everything&) = default;
};
BOOST_DESCRIBE_STRUCT(everything, (base),
                      (yes, tiny, byte, small, large, huge, single, wide, exact, bytes, maybe, maybe_line, lines, gaps,
                       counts, tags, numbers, blobs, nested, now, when, exactly, day, price, anything))

struct renamed {
    std::string isbn{};
    int pages{};
};
BOOST_DESCRIBE_STRUCT(renamed, (), (isbn, pages))

}  // namespace stall

template <>
struct dynalease::attribute_traits<stall::money> {
    static attribute_value to_attribute(const stall::money& value, const mapping_place& place) {
        return mapping::to_number(value.amount, place);
    }
    static stall::money from_attribute(const attribute_value& stored, const mapping_place& place) {
        return {mapping::held_as<number>(stored, "N", place).text()};
    }
};

template <>
struct dynalease::item_traits<stall::renamed> : dynalease::default_item_traits {
    static constexpr std::string_view attribute_name(std::string_view member) {
        return member == "isbn" ? "ISBN" : member;
    }
};

using namespace dynalease;
using tests::complaint;

TEST_CASE("mapping: every kind of member comes back as it was") {
    std::mt19937_64 random(11);
    for (int i = 0; i < 200; ++i) {
        stall::everything in;
        in.id = "id-" + std::to_string(i);
        in.yes = i % 2 == 0;
        in.tiny = static_cast<std::int8_t>(random());
        in.byte = static_cast<std::uint8_t>(random());
        in.small = static_cast<std::int16_t>(random());
        in.large = static_cast<std::int64_t>(random());
        in.huge = random();
        in.single = static_cast<float>(static_cast<double>(random()) / 3e15);
        in.wide = static_cast<double>(random()) / 7e30;
        in.exact = number("12345678901234567890.123456789");
        in.bytes = binary(random() % 5);
        if (i % 3 == 0) in.maybe = "";
        if (i % 4 == 0) in.maybe_line = stall::line{"x", 3};
        in.lines.resize(random() % 4);
        in.gaps = {1, std::nullopt, -3};
        in.counts = {{"a", 1}, {"b.c", -2}};
        in.numbers.insert(static_cast<int>(random()));
        in.nested = {"y", std::nullopt};
        in.now = i % 2 == 0 ? stall::state::open : stall::state::sold;
        in.when += std::chrono::seconds(static_cast<std::int64_t>(random() % 250'000'000'000) - 60'000'000'000);
        in.exactly += std::chrono::milliseconds(random() % 4'000'000'000'000);
        in.day += std::chrono::days(static_cast<int>(random() % 40'000) - 10'000);
        in.price = {"12.50"};
        in.anything = attribute_list{1, "x"};
        const auto back = from_item<stall::everything>(to_item(in));
        REQUIRE(back == in);
    }
}

TEST_CASE("mapping: the stored forms are those that are written down") {
    stall::everything value;
    value.id = "7";
    value.now = stall::state::sold;
    value.when = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21) + std::chrono::hours(14);
    value.exactly = value.when + std::chrono::milliseconds(50);
    value.day = std::chrono::sys_days(std::chrono::year(2026) / 11 / 21);
    value.wide = 0.1;
    value.huge = std::numeric_limits<std::uint64_t>::max();
    const auto stored = to_item(value);
    CHECK(*find_string(stored, "id") == "7");
    CHECK(*find_string(stored, "now") == "sold");
    CHECK(*find_string(stored, "when") == "2026-11-21T14:00:00Z");
    CHECK(*find_string(stored, "exactly") == "2026-11-21T14:00:00.050Z");
    CHECK(*find_string(stored, "day") == "2026-11-21T00:00:00Z");
    CHECK(find(stored, "wide")->get_if<number>()->text() == "0.1");
    CHECK(find(stored, "huge")->get_if<number>()->text() == "18446744073709551615");
    CHECK_FALSE(stored.contains("maybe"));
    CHECK(to_members(value).absent == std::vector<std::string>{"maybe", "maybe_line"});
}

TEST_CASE("mapping: attributes may have other names than members, and what a struct does not know is left out") {
    const stall::renamed value{.isbn = "x", .pages = 3};
    CHECK(to_item(value) == item{{"ISBN", "x"}, {"pages", 3}});
    CHECK(from_item<stall::renamed>({{"ISBN", "y"}, {"pages", 4}, {"shelf", "B7"}}).isbn == "y");
    CHECK(complaint([] { from_item<stall::renamed>({{"pages", 4}}); }).find("isbn (attribute \"ISBN\") is absent") ==
          0);
}

TEST_CASE("mapping: what does not fit says where") {
    const auto good = to_item(stall::everything{});
    const auto with = [&](std::string name, attribute_value value) {
        auto changed = good;
        changed.insert_or_assign(std::move(name), std::move(value));
        return complaint([&] { from_item<stall::everything>(changed); });
    };
    CHECK(with("tiny", 128).find("tiny is 128, and must be from -128 to 127") == 0);
    CHECK(with("byte", -1).find("byte is -1, and must be from 0 to 255") == 0);
    CHECK(with("huge", number("18446744073709551616")).find("huge is 18446744073709551616") == 0);
    CHECK(with("large", number("1.5")).find("large is 1.5, and must be an integer") == 0);
    CHECK(with("large", number("9.2E+18")).empty());
    CHECK(with("yes", "true").find("yes is stored as S, and must be BOOL") == 0);
    CHECK(with("now", "stolen").find("now is \"stolen\", which is no name") == 0);
    CHECK(with("when", "yesterday").find("when is \"yesterday\", and must be a time") == 0);
    CHECK(with("when", "2026-02-30T00:00:00Z").find("when is") == 0);
    CHECK(with("nested", attribute_map{}).find("nested.sku is absent") == 0);
    CHECK(with("lines", attribute_list{attribute_map{{"sku", "a"}}, attribute_map{{"sku", 1}}})
              .find("lines[1].sku is stored as N") == 0);
    CHECK(with("counts", attribute_map{{"a", "x"}}).find("counts.a is stored as S") == 0);
    CHECK(with("numbers", number_set{number(5'000'000'000)}).find("numbers is 5000000000") == 0);

    const auto writing = [](void (*change)(stall::everything&)) {
        stall::everything value;
        change(value);
        return complaint([&] { to_item(value); });
    };
    CHECK(writing([](auto& v) { v.wide = std::numeric_limits<double>::quiet_NaN(); }).find("wide is not finite") == 0);
    CHECK(writing([](auto& v) { v.wide = 1e300; }).find("wide is 1e+300") == 0);
    CHECK(writing([](auto& v) { v.now = static_cast<stall::state>(9); }).find("now is 9") == 0);
    CHECK(writing([](auto& v) { v.price.amount = std::string(39, '9'); }).find("price is 999") == 0);
}

TEST_CASE("mapping: types without a form are known to have none") {
    STATIC_REQUIRE_FALSE(mapping::mappable<void*>);
    STATIC_REQUIRE_FALSE(mapping::mappable<char>);
    STATIC_REQUIRE_FALSE(mapping::mappable<long double>);
    STATIC_REQUIRE_FALSE(mapping::mappable<std::map<double, int>>);
    STATIC_REQUIRE_FALSE(mapping::mappable<std::array<void*, 2>>);
    STATIC_REQUIRE_FALSE(mapping::mappable<std::vector<void*>>);
    STATIC_REQUIRE_FALSE(mapping::mappable<std::set<double>>);
    STATIC_REQUIRE(mapping::mappable<std::vector<std::optional<std::map<std::string, stall::line>>>>);
}
