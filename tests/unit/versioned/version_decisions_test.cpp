// What a refused versioned write means, row by row.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/version_decisions.hpp"

#include <catch2/catch.hpp>

#include <optional>

namespace dynalease::protocol::test {

namespace {

item_stamp stamp(int n) {
    item_stamp s{};
    s[0] = static_cast<std::byte>(n);
    return s;
}

constexpr int birth = 1;
constexpr int before = 7;  ///< the last write when it was loaded
constexpr int mine = 8;
constexpr int other = 9;

/// Loaded at version 5, to become 6.
item_version base() {
    return {.version = 5, .born = stamp(birth), .stamp = stamp(before), .trail = {stamp(6)}};
}

item_state at(std::int64_t version, int last, std::vector<item_stamp> trail = {}, int born = birth) {
    return {.state = {.version = version, .born = stamp(born), .stamp = stamp(last), .trail = std::move(trail)}};
}

enum class table { checked, create, create_over, blind, upsert };

verdict judge(table which, const std::optional<item_state>& now, bool clean, const item_version& from = base(),
              bool ignores_lock = false, bool knows_stamps = true, bool has_maps = true) {
    const auto m = stamp(mine);
    const refusal what{.base = from,
                       .mine = m,
                       .target = which == table::create ? 1 : 6,
                       .clean = clean,
                       .ignores_lock = ignores_lock,
                       .knows_stamps = knows_stamps,
                       .has_maps = has_maps,
                       .now = now ? &*now : nullptr};
    if (which == table::create) return decide_create(what);
    if (which == table::create_over) return decide_create_over(what);
    return which == table::checked ? decide_checked(what) : decide_blind(what, which == table::upsert);
}

item_state with(item_state sight, void (*change)(item_state&)) {
    change(sight);
    return sight;
}

}  // namespace

TEST_CASE("a refused checked write, every copy of it answered") {
    CHECK(judge(table::checked, at(6, mine, {stamp(before)}), true) == verdict::applied);
    CHECK(judge(table::checked, at(7, other, {stamp(mine)}), true) == verdict::superseded);
    CHECK(judge(table::checked, at(6, other), true) == verdict::conflict);
    CHECK(judge(table::checked, at(5, before, {}, 2), true) == verdict::conflict);  // another life
    CHECK(judge(table::checked, std::nullopt, true) == verdict::missing);
    CHECK(judge(table::checked, with(at(6, other), [](auto& s) { s.gone = true; }), true) == verdict::missing);
    CHECK(judge(table::checked, with(at(5, before), [](auto& s) { s.holder = "s.1.0000000001"; }), true) ==
          verdict::held);
    CHECK(judge(table::checked, at(5, before), true) == verdict::condition_false);
}

TEST_CASE("a refused checked write onto an item that lacks a map which it changes something in") {
    const auto judge_without_map = [](const item_state& now, bool clean) {
        return judge(table::checked, now, clean, base(), false, true, false);
    };
    CHECK(judge_without_map(at(5, before), true) == verdict::conflict);
    CHECK(judge_without_map(with(at(5, before), [](auto& s) { s.holder = "s.1.0000000001"; }), true) == verdict::held);
    CHECK(judge_without_map(at(6, mine), true) == verdict::applied);
    // The map may be there again when a copy comes; none that is sent now can land.
    CHECK(judge_without_map(at(5, before), false) == verdict::doubt);
    CHECK(judge_without_map(at(6, mine), false) == verdict::applied);
    CHECK(judge_without_map(at(6, other), false) == verdict::conflict);
}

TEST_CASE("a refused checked write after a copy without an answer") {
    // Ours is found: nothing else counts.
    CHECK(judge(table::checked, at(6, mine), false) == verdict::applied);
    CHECK(judge(table::checked, at(8, other, {stamp(3), stamp(mine)}), false) == verdict::superseded);
    CHECK(judge(table::checked, at(90, other, {stamp(2), stamp(3), stamp(4)}, mine), false) == verdict::superseded);
    // The write that took the place of ours is known: ours never was, and never will be.
    CHECK(judge(table::checked, at(6, other), false) == verdict::conflict);
    CHECK(judge(table::checked, at(9, other, {stamp(2), stamp(3), stamp(4)}), false) == verdict::conflict);
    CHECK(judge(table::checked, with(at(7, other, {stamp(3)}), [](auto& s) { s.gone = true; }), false) ==
          verdict::missing);
    // It is not known any more.
    CHECK(judge(table::checked, at(10, other, {stamp(2), stamp(3), stamp(4)}), false) == verdict::doubt);
    CHECK(judge(table::checked, at(6, other, {}, 2), false) == verdict::doubt);
    CHECK(judge(table::checked, std::nullopt, false) == verdict::doubt);
    CHECK(judge(table::checked, with(at(20, other), [](auto& s) { s.gone = true; }), false) == verdict::doubt);
    CHECK(judge(table::checked, with(at(6, other), [](auto& s) { s.state.stamp.reset(); }), false) == verdict::doubt);
    // Nothing has happened yet, and it may.
    CHECK(judge(table::checked, at(5, before), false) == verdict::again);
}

TEST_CASE("a refused write onto an item that another library made") {
    const item_version foreign{.version = 5};
    auto found = at(6, other);
    found.state.born.reset();
    CHECK(judge(table::checked, found, true, foreign) == verdict::conflict);
    CHECK(judge(table::checked, found, false, foreign) == verdict::doubt);
    CHECK(judge(table::checked, at(6, other, {}, other), false, foreign) == verdict::doubt);
    CHECK(judge(table::checked, at(6, mine, {}, mine), false, foreign) == verdict::applied);
}

TEST_CASE("a refused creation") {
    const auto tombstone = with(at(3, other), [](auto& s) { s.gone = true; });
    CHECK(judge(table::create, at(1, mine, {}, mine), true) == verdict::applied);
    CHECK(judge(table::create, at(40, other, {}, mine), false) == verdict::superseded);
    CHECK(judge(table::create, at(1, other, {}, other), true) == verdict::exists);
    CHECK(judge(table::create, tombstone, true) == verdict::create_over);
    CHECK(judge(table::create, tombstone, false) == verdict::doubt);
    // Erased items leave no trace: ours may have been there before this one.
    CHECK(judge(table::create, at(1, other, {}, other), false) == verdict::doubt);
    CHECK(judge(table::create, at(2, other, {}, other), false) == verdict::doubt);
    CHECK(judge(table::create, std::nullopt, false) == verdict::doubt);
}

TEST_CASE("without stamps a creation is known by its birth, and by its version whether others wrote since") {
    const auto unstamped = [](item_state& sight) { sight.state.stamp.reset(); };
    CHECK(judge(table::create, with(at(1, mine, {}, mine), unstamped), false) == verdict::applied);
    CHECK(judge(table::create, with(at(2, other, {}, mine), unstamped), false) == verdict::superseded);
    CHECK(judge(table::create, with(at(1, other, {}, other), unstamped), false) == verdict::doubt);
}

TEST_CASE("a refused creation over a tombstone") {
    const auto tombstone = with(at(5, before), [](auto& s) { s.gone = true; });
    const auto later = with(at(8, other), [](auto& s) { s.gone = true; });
    CHECK(judge(table::create_over, at(6, mine), false) == verdict::applied);
    CHECK(judge(table::create_over, at(6, other), true) == verdict::exists);
    CHECK(judge(table::create_over, at(6, other), false) == verdict::exists);
    CHECK(judge(table::create_over, later, true) == verdict::create_over);
    CHECK(judge(table::create_over, later, false) == verdict::doubt);
    CHECK(judge(table::create_over, std::nullopt, true) == verdict::create_anew);
    CHECK(judge(table::create_over, std::nullopt, false) == verdict::doubt);
    CHECK(judge(table::create_over, tombstone, false) == verdict::again);
}

TEST_CASE("a refused blind update") {
    CHECK(judge(table::blind, at(6, mine), false) == verdict::applied);
    CHECK(judge(table::blind, at(7, other, {stamp(mine)}), true) == verdict::superseded);
    CHECK(judge(table::blind, at(7, other), false) == verdict::doubt);
    CHECK(judge(table::blind, at(7, other), true) == verdict::condition_false);
    CHECK(judge(table::blind, std::nullopt, true) == verdict::missing);
    CHECK(judge(table::blind, std::nullopt, false) == verdict::doubt);
    CHECK(judge(table::blind, with(at(7, other), [](auto& s) { s.holder = "x"; }), true) == verdict::held);
}

TEST_CASE("a refused write that makes an item where there is none") {
    const auto tombstone = with(at(5, before), [](auto& s) { s.gone = true; });
    CHECK(judge(table::upsert, tombstone, true) == verdict::create_over);
    CHECK(judge(table::upsert, tombstone, false) == verdict::doubt);
    CHECK(judge(table::blind, tombstone, true) == verdict::missing);
}

TEST_CASE("a write that ignores locks is held by a transaction alone") {
    const auto locked = with(at(5, before), [](auto& s) { s.holder = "s.1.0000000001"; });
    const auto marked = with(locked, [](auto& s) { s.mark = mark_kind::updated; });
    for (const auto which : {table::checked, table::blind}) {
        CHECK(judge(which, locked, true, base(), true) == verdict::condition_false);
        CHECK(judge(which, marked, true, base(), true) == verdict::held);
    }
}

TEST_CASE(
    "under a transaction's mark a refused write may yet be made, unless what lies there tells that it never will") {
    const auto under = [](mark_kind kind, item_state sight) {
        sight.mark = kind;
        sight.holder = "transaction 4711";
        return sight;
    };
    for (const auto kind : {mark_kind::updated, mark_kind::to_erase, mark_kind::read}) {
        CHECK(judge(table::checked, under(kind, at(5, before)), true) == verdict::held);
        CHECK(judge(table::checked, under(kind, at(5, before)), false) == verdict::again);
        CHECK(judge(table::checked, under(kind, at(6, other)), true) == verdict::conflict);
        CHECK(judge(table::checked, under(kind, at(6, other)), false) == verdict::conflict);
        CHECK(judge(table::checked, under(kind, at(6, mine)), false) == verdict::applied);
        CHECK(judge(table::blind, under(kind, at(7, other)), true) == verdict::held);
        CHECK(judge(table::blind, under(kind, at(7, other)), false) == verdict::doubt);
        CHECK(judge(table::blind, under(kind, at(7, mine)), false) == verdict::applied);
    }
    for (const auto which : {table::create, table::create_over}) {
        CHECK(judge(which, under(mark_kind::updated, at(6, other)), true) == verdict::exists);
        CHECK(judge(which, under(mark_kind::read, at(6, other)), true) == verdict::exists);
        CHECK(judge(which, under(mark_kind::to_erase, at(6, other)), true) == verdict::held);
        CHECK(judge(which, under(mark_kind::to_erase, at(8, mine)), true) == verdict::superseded);
    }

    const auto inserted = under(mark_kind::inserted, {});
    for (const auto which : {table::create, table::create_over, table::blind, table::upsert}) {
        CHECK(judge(which, inserted, true) == verdict::held);
        CHECK(judge(which, inserted, false) == verdict::doubt);
    }
    CHECK(judge(table::checked, inserted, true) == verdict::missing);
    CHECK(judge(table::checked, inserted, false) == verdict::doubt);
}

TEST_CASE("a state known by its version alone is the same whatever stamp is there") {
    const item_version unborn{.version = 5};
    const auto stamped = with(at(5, before), [](auto& s) {
        s.state.born.reset();
        s.holder = "s.1.0000000001";
    });
    CHECK(judge(table::checked, stamped, true, unborn, false, false) == verdict::held);
    CHECK(judge(table::checked, stamped, true, unborn) == verdict::conflict);
}

TEST_CASE("writers of several steps: what may be one write or ten proves nothing") {
    // Ten writes of step 1 since ours, of step 10: our stamp is no longer known.
    item_version from{.version = -4, .born = stamp(birth), .stamp = stamp(before)};
    CHECK(judge(table::checked, at(16, other, {stamp(2), stamp(3), stamp(4)}), false, from) == verdict::doubt);
    CHECK(judge(table::checked, at(6, other, {stamp(2)}), false, from) == verdict::conflict);
}

TEST_CASE("updates pause ever longer between conflicts, up to a second") {
    CHECK(conflict_pause(2) == std::chrono::milliseconds(10));
    CHECK(conflict_pause(3) == std::chrono::milliseconds(20));
    CHECK(conflict_pause(8) == std::chrono::milliseconds(640));
    CHECK(conflict_pause(9) == std::chrono::seconds(1));
    CHECK(conflict_pause(400) == std::chrono::seconds(1));
}

}  // namespace dynalease::protocol::test
