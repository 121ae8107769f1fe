// Times that the library sets: when an item was made, and when it was saved.
// SPDX-License-Identifier: BSL-1.0
#include "book_shop.hpp"

#include <dynalease/versioned/save_all.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace diary {

struct entry {
    std::string isbn{};
    std::string text{};
    std::chrono::sys_seconds made{};
    std::optional<std::chrono::sys_time<std::chrono::milliseconds>> saved{};
    std::chrono::sys_seconds stamped{};
    std::string owner{"nobody"};
};
BOOST_DESCRIBE_STRUCT(entry, (), (isbn, text, made, saved, stamped, owner))

}  // namespace diary

template <>
struct dynalease::member_traits<&diary::entry::made> : dynalease::creation_time {};
template <>
struct dynalease::member_traits<&diary::entry::saved> : dynalease::save_time {
    static constexpr std::string_view attribute = "Saved";
};
template <>
struct dynalease::member_traits<&diary::entry::stamped> : dynalease::as_epoch_seconds {
    static constexpr bool keeps_default = true;
    static constexpr set_by_library sets = set_by_library::at_save;
};
template <>
struct dynalease::member_traits<&diary::entry::owner> : dynalease::default_member_traits {
    static constexpr bool is_written = false;
    static constexpr bool keeps_default = true;
};

using namespace dynalease;
using namespace dynalease::tests;
using namespace std::chrono_literals;
using diary::entry;

namespace {

using entries = versioned<entry>;

entries diary_of(node& in) {
    return {database(in.network), in_books()};
}

wall_time now(const node& in) {
    return in.environment.clock->wall();
}

entry an_entry() {
    entry made{.isbn = isbn, .text = "first"};
    made.made = std::chrono::sys_seconds(1s);  // of no avail
    made.saved = wall_time(2ms);
    return made;
}

}  // namespace

TEST_CASE("a new item has the time of its creation, and each save sets that of the save") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto table = diary_of(in.a);
            const auto one = an_entry();
            const auto began = std::chrono::floor<std::chrono::seconds>(now(in.a));
            auto first = co_await table.create(one);
            CHECK(first.value.made >= began);
            CHECK(first.value.made <= now(in.a));
            REQUIRE(first.value.saved);
            CHECK(*first.value.saved >= wall_time(began));
            CHECK(first.value.stamped >= began);
            CHECK(in.stored().at("stamped").is<number>());
            CHECK(in.stored().at("Saved").is<std::string>());

            co_await sleep(in.a, 1min);
            first.value.text = "second";
            first.value.made = {};
            auto second = co_await table.save(first);
            CHECK(second.value.made == std::chrono::floor<std::chrono::seconds>(*first.value.saved));
            CHECK(*second.value.saved >= *first.value.saved + 1min);
            CHECK(second.value.stamped >= first.value.stamped + 1min);
            auto loaded_again = co_await table.load(isbn);
            CHECK(loaded_again->value.saved == second.value.saved);

            co_await sleep(in.a, 1min);
            auto unchanged = co_await table.save(second);
            CHECK(*unchanged.value.saved >= *second.value.saved + 1min);
        },
        s);
}

TEST_CASE("an update that changes nothing sets no time, and one that does sets it") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto table = diary_of(in.a);
            const auto one = an_entry();
            auto first = co_await table.create(one);
            co_await sleep(in.a, 1min);
            auto same = co_await table.update(isbn, [](entry seen) { return seen; });
            CHECK(same.version == 1);
            CHECK(same.value.saved == first.value.saved);
            const auto rewritten = [](entry seen) {
                seen.text = "second";
                return seen;
            };
            auto second = co_await table.update(isbn, rewritten);
            CHECK(*second.value.saved >= *first.value.saved + 1min);
            CHECK(second.value.made == first.value.made);
        },
        s);
}

TEST_CASE("an update that makes the item, and saves of several, set the times, too") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto table = diary_of(in.a);
            const auto began = std::chrono::floor<std::chrono::seconds>(now(in.a));
            const auto begun = [](entry seen) {
                seen.text = "begun";
                return seen;
            };
            const update_options makes{.create = true};
            auto made = co_await table.update(isbn, begun, makes);
            CHECK(made.value.made >= began);
            co_await sleep(in.a, 1min);
            versioned_writes both;
            auto place = both.save(table, made);
            auto done = co_await save_all(database(in.a.network), std::move(both));
            auto saved = done.saved(table, place);
            REQUIRE(saved);
            CHECK(*saved->value.saved >= *made.value.saved + 1min);
            CHECK(saved->value.made == made.value.made);
        },
        s);
}

TEST_CASE("a replacement keeps what the struct has members for and does not write") {
    shop s;
    s.put({{"isbn", isbn},
           {"text", "old"},
           {"made", "2020-01-01T00:00:00Z"},
           {"owner", "ann"},
           {"foreign", 1},
           {"version", 1}});
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto table = diary_of(in.a);
            auto found = co_await table.load(isbn);
            CHECK_FALSE(found->value.saved);
            auto left = co_await table.replace(*found);
            CHECK(left.value.saved);
        },
        s);
    CHECK(s.stored().at("made") == attribute_value("2020-01-01T00:00:00Z"));
    CHECK(s.stored().at("owner") == attribute_value("ann"));
    CHECK_FALSE(s.stored().contains("foreign"));
}

TEST_CASE("a clobbering sets the time of the save and leaves that of the creation") {
    shop s;
    s.in_a(
        [](shop& in) -> asio::awaitable<void> {
            const auto table = diary_of(in.a);
            const auto one = an_entry();
            auto first = co_await table.create(one);
            co_await sleep(in.a, 1min);
            auto again = co_await table.clobber(one);
            CHECK(again.value.made == first.value.made);
            CHECK(*again.value.saved >= *first.value.saved + 1min);
        },
        s);
}
