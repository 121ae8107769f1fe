// Keys that the struct has not, or has otherwise than the table or the caller: refused by name, and mostly unsent.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <boost/describe/enum.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace keyed {

struct numbered {
    int isbn = 0;
    std::string title{};
};
BOOST_DESCRIBE_STRUCT(numbered, (), (isbn, title))

enum class series { red, blue };
BOOST_DESCRIBE_ENUM(series, red, blue)

/// Every kind of type that can be a key, and that cannot.
struct many {
    std::string text{};
    std::optional<series> colour{};
    std::chrono::sys_seconds when{};
    std::chrono::sys_seconds ttl{};
    std::vector<std::byte> bytes{};
    std::chrono::seconds length{};
    double weight = 0;
    bool lent = false;
    std::vector<int> list{};
    std::map<std::string, int> map{};
    std::optional<numbered> inner{};
    std::set<int> numbers{};
};
BOOST_DESCRIBE_STRUCT(many, (), (text, colour, when, ttl, bytes, length, weight, lent, list, map, inner, numbers))

struct keyless {
    std::string title{};
};
BOOST_DESCRIBE_STRUCT(keyless, (), (title))

}  // namespace keyed

using namespace dynalease;
using namespace dynalease::tests;

namespace {

versioned_options keyed_by(std::string key, std::string sort = {}) {
    return {.table = "books", .key = std::move(key), .sort_key = std::move(sort)};
}

}  // namespace

TEST_CASE("keys: what a member is stored as is known by its type") {
    for (const auto& [name, type] : {std::pair<const char*, const char*>{"text", "S"},
                                     {"colour", "S"},
                                     {"when", "S"},
                                     {"ttl", "N"},
                                     {"bytes", "B"},
                                     {"length", "N"},
                                     {"weight", "N"},
                                     {"lent", "BOOL"},
                                     {"list", "L"},
                                     {"map", "M"},
                                     {"inner", "M"},
                                     {"numbers", "a set"},
                                     {"no member", ""}}) {
        CHECK(mapping::stored_type<keyed::many>(name) == type);
    }
}

TEST_CASE("keys: a member whose type no key has is refused when the handle is made, by name") {
    const auto name = GENERATE("lent", "list", "map", "inner", "numbers");
    const bool sorts = GENERATE(false, true);
    shop s;
    try {
        versioned<keyed::many>{database(s.a.network), sorts ? keyed_by("text", name) : keyed_by(name)};
        FAIL("it was taken");
    } catch (const error& why) {
        CHECK(why.condition() == condition::misconfigured);
        CHECK(why.diagnostics().message.find("key attribute \"" + std::string(name) + "\"") != std::string::npos);
    }
    versioned<keyed::many>{database(s.a.network), keyed_by("text", "when")};
}

TEST_CASE("keys: one that is given as another type than the struct has is refused unsent, by name") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const versioned<keyed::numbered> table{database(in.a.network), in_books()};
            diagnostics why;
            auto [code, none] = co_await table.load("4711", why, as_pair);
            CHECK(code == condition::misconfigured);
            CHECK(why.message == "the key attribute \"isbn\" is given as S, and the struct stores it as N");
            const auto books = in.books(in.a);
            const auto same = [](book one) { return one; };
            auto [other, nothing] = co_await books.update(4711, same, why, as_pair);
            CHECK(other == condition::misconfigured);
            CHECK(why.message == "the key attribute \"isbn\" is given as N, and the struct stores it as S");
            CHECK(in.requests(in.a) == 0);
        },
        s);
}

TEST_CASE("keys: where the table's key is another, what the service says comes with the key that the handle takes") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const versioned<keyed::numbered> table{database(in.a.network), in_books()};
            diagnostics why;
            const keyed::numbered one{.isbn = 7, .title = "T"};
            auto [code, none] = co_await table.create(one, why, as_pair);
            CHECK(code == condition::misconfigured);
            CHECK(why.advice.find("partition key \"isbn\" (N), no sort key") != std::string::npos);
            auto [again, nothing] = co_await table.load(7, why, as_pair);
            CHECK(again == condition::misconfigured);
            CHECK(why.advice.find("\"isbn\" (N)") != std::string::npos);
            const std::vector<key_values> keys{7, 8};
            auto [many, nobody] = co_await table.load_many(keys, why, as_pair);
            CHECK(many == condition::misconfigured);
            CHECK(why.advice.find("\"isbn\" (N)") != std::string::npos);
            const versioned<book> misspelt{database(in.a.network), keyed_by("isnb")};
            auto [wrong, nil] = co_await misspelt.load("x", why, as_pair);
            CHECK(wrong == condition::misconfigured);
            CHECK(why.advice.find("\"isnb\"") != std::string::npos);
        },
        s);
}

TEST_CASE("keys: what else the service refuses is not put down to the key") {
    shop s;
    s.put({{"isbn", isbn}, {"version", 1}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            auto books = in.books(in.a);
            diagnostics why;
            const auto of_nothing = set("pages", attr("nowhere") + 1);
            auto [code, none] = co_await books.blind(isbn, of_nothing, why, as_pair);
            CHECK(code == errc::validation);
            CHECK(why.advice.find("key") == std::string::npos);
        },
        s);
}

TEST_CASE("keys: a creation without one says what is missing, and what to do") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const versioned<keyed::keyless> table{database(in.a.network), in_books()};
            diagnostics why;
            const keyed::keyless one{.title = "T"};
            auto [code, none] = co_await table.create(one, why, as_pair);
            CHECK(code == condition::misconfigured);
            CHECK(why.message.find("\"isbn\" is missing") != std::string::npos);
            CHECK(why.advice.find("member_traits") != std::string::npos);
            CHECK(in.requests(in.a) == 0);
            // Whoever says the key needs no member for it.
            const auto titled = [](keyed::keyless value) {
                value.title = "U";
                return value;
            };
            auto made = co_await table.update(isbn, titled, {.create = true});
            CHECK(made.value.title == "U");
        },
        s);
}
