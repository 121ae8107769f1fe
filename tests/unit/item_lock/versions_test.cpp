// Locks and optimistic saves of the same items agree where the version stands, or are refused.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <dynalease/versioned.hpp>

#include <catch2/catch.hpp>

#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

versioned_options by_revision() {
    return {.table = "tills", .key = "id", .version = "rev"};
}

/// A table whose versions are called "rev", and an item in it that was loaded before anybody locks it.
struct revised_till : till_world {
    revised_till() : a(*this), table(database(a.network), by_revision()) { run(*this, a, make(*this)); }
    static asio::awaitable<void> make(revised_till& w) {
        const item fresh{{"id", "east"}, {"amount", 10}};
        w.before = co_await w.table.create(fresh);
    }
    static asio::awaitable<void> save(revised_till& w) {
        auto mine = *w.before;
        mine.value["amount"] = 9;
        co_await w.table.save(mine);
    }
    static asio::awaitable<void> update_promoted(revised_till& w) {
        update_options how{.promote = promotion{.with = &*w.a.session, .after = 1}};
        auto change = [&w, calls = 0](item now) mutable {
            if (calls++ == 0) w.raise();
            now["amount"] = 3;
            return now;
        };
        co_await w.table.update("east", std::move(change), how);
    }
    /// As another writer of the table does, in the middle of an update.
    void raise() {
        auto now = stored("east");
        now["rev"] = *find_integer(now, "rev") + 1;
        put(std::move(now));
    }

    node a;
    versioned_items table;
    std::optional<loaded<item>> before;
    item_guard guard;
    error_code code;
};

errc refusal_beside(node& in, const item_lock_options& other) {
    try {
        const item_lock made{*in.session, till(), other};
    } catch (const dynalease::error& e) {
        CHECK(e.diagnostics().message.find("tills/north") != std::string::npos);
        return static_cast<errc>(e.code().value());
    }
    return errc{};
}

}  // namespace

TEST_CASE("two handles of an item say the same of its attributes, or the second is refused") {
    till_world w;
    node a(w);
    const item_lock first{*a.session, till()};
    CHECK(refusal_beside(a, {}) == errc{});
    CHECK(refusal_beside(a, {.most_readers = 3, .poll_interval = 50ms}) == errc{});
    CHECK(refusal_beside(a, {.prefix = "_other"}) == errc::invalid_option);
    CHECK(refusal_beside(a, {.versioned = false}) == errc::invalid_option);
    CHECK(refusal_beside(a, {.version = "rev"}) == errc::invalid_option);
    CHECK(refusal_beside(a, {.stamp = "_mark"}) == errc::invalid_option);
    CHECK(refusal_beside(a, {.stamps = false}) == errc::invalid_option);
    CHECK(refusal_beside(a, {.first_version = 0}) == errc::invalid_option);
    CHECK(refusal_beside(a, {.step = 10}) == errc::invalid_option);
    CHECK(refusal_beside(a, {.version_limit = 100}) == errc::invalid_option);
    node b(w, 2);
    CHECK(refusal_beside(b, {.version = "rev"}) == errc{});
}

TEST_CASE("a lock made from a table of versions raises the version that its saves go by") {
    revised_till w;
    run(w, w.a, take(item_lock{*w.a.session, w.table, "east"}, w.guard));
    run(w, w.a, add_to(w.guard, -3));
    run(w, w.a, give_back(w.guard));
    CHECK(*find_integer(w.stored("east"), "rev") == 2);
    CHECK_FALSE(w.stored("east").contains("version"));
    run(w, w.a, code_of(revised_till::save(w), w.code));
    CHECK(w.code == errc::conflict);
    CHECK(w.amount("east") == 7);
}

TEST_CASE("a lock that looks for the version under another name changes nothing under it") {
    revised_till w;
    run(w, w.a, take(item_lock{*w.a.session, till("east")}, w.guard));
    const auto sent = w.a.network->log().size();
    run(w, w.a, code_of(add_to(w.guard, -3), w.code));
    CHECK(w.code == errc::bad_version);
    run(w, w.a, code_of(add_and_release(w.guard, -3), w.code));
    CHECK(w.code == errc::bad_version);
    CHECK(w.a.network->log().size() == sent);
    CHECK(w.guard.held());
    run(w, w.a, give_back(w.guard));
    run(w, w.a, revised_till::save(w));
    CHECK(w.amount("east") == 9);
}

TEST_CASE("nor where the application has a number of its own under that other name") {
    revised_till w;
    const auto make = [](revised_till& in) -> asio::awaitable<void> {
        item fresh{{"id", "west"}, {"amount", 10}, {"version", 3}};
        in.before = co_await in.table.create(fresh);
    };
    run(w, w.a, make(w));
    SECTION("created") {}
    SECTION("changed under a lock that knows, and made by nobody of ours") {
        w.put({{"id", "west"}, {"amount", 10}, {"version", 3}, {"rev", 1}});
        run(w, w.a, take(item_lock{*w.a.session, w.table, "west"}, w.guard));
        run(w, w.a, add_and_release(w.guard, -1));
    }
    const auto found = w.stored("west");
    node b(w, 2);
    run(w, b, take(item_lock{*b.session, till("west")}, w.guard));
    run(w, b, code_of(add_to(w.guard, -3), w.code));
    CHECK(w.code == errc::bad_version);
    run(w, b, give_back(w.guard));
    CHECK(w.amount("west") == *find_integer(found, "amount"));
    CHECK(*find_integer(w.stored("west"), "version") == 3);
}

TEST_CASE("a promoted update is refused beside a lock of the item that does not know its version, and passes alone") {
    revised_till w;
    std::optional<item_lock> others;
    SECTION("beside") {
        others.emplace(*w.a.session, till("east"));
        run(w, w.a, code_of(revised_till::update_promoted(w), w.code));
        CHECK(w.code == errc::invalid_option);
        CHECK(w.amount("east") == 10);
    }
    SECTION("alone") {
        run(w, w.a, revised_till::update_promoted(w));
        CHECK(*find_integer(w.stored("east"), "rev") == 3);
        CHECK(w.amount("east") == 3);
    }
    SECTION("beside one that was made from the table") {
        others.emplace(*w.a.session, w.table, "east");
        run(w, w.a, revised_till::update_promoted(w));
        CHECK(*find_integer(w.stored("east"), "rev") == 3);
    }
    run(w, w.a, code_of(revised_till::save(w), w.code));
    CHECK(w.code == errc::conflict);
}

TEST_CASE("an attribute called version is the application's own where nobody uses versions") {
    till_world w;
    node a(w);
    w.put({{"id", "north"}, {"amount", 0}, {"version", "2.1"}});
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till(), {.versioned = false}}, guard));
    const auto rename = [](item_guard& mine) -> asio::awaitable<void> {
        auto change = set("version", "2.2");
        co_await mine.update(std::move(change));
    };
    run(w, a, rename(guard));
    CHECK(*find_string(w.stored(), "version") == "2.2");
    run(w, a, give_back(guard));
}

TEST_CASE("a version that is no number is told before anything is sent") {
    till_world w;
    node a(w);
    w.put({{"id", "north"}, {"amount", 0}, {"version", "2.1"}});
    item_guard guard;
    run(w, a, take(lock_in(a), guard));
    const auto sent = a.network->log().size();
    error_code code;
    run(w, a, code_of(add_to(guard, 1), code));
    CHECK(code == errc::bad_version);
    CHECK(a.network->log().size() == sent);
}

TEST_CASE("where a table keeps no stamps, writes under its locks leave none") {
    till_world w;
    node a(w);
    versioned_items bare(database(a.network), {.table = "tills", .key = "id", .stamps = false});
    item_guard guard;
    run(w, a, take(item_lock{*a.session, bare, "north"}, guard));
    run(w, a, add_to(guard, 1));
    run(w, a, add_and_release(guard, 1));
    CHECK(w.amount() == 2);
    CHECK(*find_integer(w.stored(), "version") == 9);
    CHECK_FALSE(w.stored().contains("_stamp"));
    CHECK_FALSE(w.stored().contains("_trail"));
}

namespace {

versioned_options up_to(std::int64_t limit) {
    return {.table = "tills", .key = "id", .version_limit = limit};
}

}  // namespace

TEST_CASE("no write under a lock raises a version above its limit") {
    till_world w;
    node a(w);
    const versioned_items table(database(a.network), up_to(8));
    const item_lock target{*a.session, table, "north"};
    item_guard guard;
    error_code code;
    run(w, a, take(target, guard));
    SECTION("known before anything is sent") {
        run(w, a, add_to(guard, 1));
        const auto sent = a.network->log().size();
        run(w, a, code_of(add_to(guard, 1), code));
        CHECK(code == errc::version_overflow);
        CHECK(a.network->log().size() == sent);
        CHECK(guard.held());
        run(w, a, code_of(add_and_release(guard, 1), code));
        CHECK(code == errc::version_overflow);
        CHECK(w.amount() == 1);
        run(w, a, give_back(guard));
    }
    // As one does who knows of no locks.
    const auto raise = [&] {
        auto now = w.stored();
        now["version"] = 8;
        w.put(std::move(now));
    };
    SECTION("met by a write") {
        raise();
        run(w, a, code_of(add_to(guard, 1), code));
        CHECK(code == errc::version_overflow);
        CHECK(guard.held());
        run(w, a, give_back(guard));
    }
    SECTION("met by the last write") {
        raise();
        run(w, a, code_of(add_and_release(guard, 1), code));
        CHECK(code == errc::version_overflow);
    }
    SECTION("met by several") {
        raise();
        std::vector<item_guard> guards;
        guards.push_back(std::move(guard));
        run(w, a, code_of(commit(add_to_each(std::move(guards), 1)), code));
        CHECK(code == errc::version_overflow);
    }
    w.scheduler.run_for(1s);
    CHECK(w.unlocked());
    CHECK(*find_integer(w.stored(), "version") == 8);
}
