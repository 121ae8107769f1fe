// The checker of item locks itself: histories of good worlds are accepted, and every way of spoiling them is noticed.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/item_lock/checker.hpp"
#include "simulation/framework/spoilt_histories.hpp"
#include "simulation/item_lock/scenario_config.hpp"
#include "simulation/item_lock/world.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <optional>
#include <utility>

using namespace dynalease;
using namespace dynalease::simulation;
using namespace dynalease::simulation::item_locks;

namespace {

constexpr std::size_t item_count = 2;

history good_locks(std::uint64_t seed) {
    item_locks::scenario_config made_of;
    made_of.most_items = item_count;
    made_of.nemesis.faults = {nemesis_fault::pause, nemesis_fault::partition, nemesis_fault::crash_new_identity};
    return history_of<item_world, history>(seed, made_of);
}

std::string verdict_on_locks(const history& seen) {
    checker checked(item_count);
    for (const auto& each : seen) checked.see(each);
    return checked.broken().value_or("");
}

/// The first write from the middle on that `wanted` picks, given the lock before it.
std::optional<std::size_t> lock_write(
    const history& in, const std::function<bool(const lock_state& before, const lock_written& seen)>& wanted) {
    std::vector<lock_state> states(item_count);
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (const auto* seen = std::get_if<lock_written>(&in[i].what)) {
            if (i > in.size() / 3 && wanted(states[seen->item], *seen)) return i;
            states[seen->item] = seen->after;
        }
        if (const auto* seen = std::get_if<lock_replaced>(&in[i].what)) states[seen->item] = seen->after;
    }
    return std::nullopt;
}

using spoiling = std::function<bool(history&)>;

void must_be_noticed_of_locks(const char* promise, const spoiling& spoil) {
    expect_noticed(promise, good_locks, verdict_on_locks, spoil);
}

bool grants_writer(const lock_state& before, const lock_written& seen) {
    return before.writer.session.empty() && before.readers.empty() && !seen.after.writer.session.empty();
}

}  // namespace

TEST_CASE("histories of good worlds of item locks are accepted") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) CHECK(verdict_on_locks(good_locks(seed)).empty());
}

TEST_CASE("a writer that takes the item from another is noticed") {
    must_be_noticed_of_locks("P9", [](history& seen) {
        const auto at = lock_write(seen, grants_writer);
        if (!at) return false;
        auto stolen = seen[*at];
        auto& write = std::get<lock_written>(stolen.what);
        write.session = write.after.writer.session = "a thief";
        ++write.after.floor;
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at) + 1, stolen);
        return true;
    });
}

TEST_CASE("a token that does not rise is noticed") {
    must_be_noticed_of_locks("P2", [](history& seen) {
        const auto at = lock_write(seen, grants_writer);
        if (!at) return false;
        std::get<lock_written>(seen[*at].what).after.floor = 1;
        return true;
    });
}

TEST_CASE("a guarded write of an earlier holder is noticed") {
    must_be_noticed_of_locks("P3", [](history& seen) {
        const auto at = lock_write(seen, grants_writer);
        if (!at) return false;
        auto late = seen[*at];
        auto& write = std::get<lock_written>(late.what);
        write.number = 999'999;
        const event begun{.at = late.at,
                          .what = guarded_begun{.handle = 999'999, .item = write.item, .number = 999'999}};
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at) + 1, late);
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at) + 1, begun);
        return true;
    });
}

TEST_CASE("a write that tests a grant that is over is noticed") {
    must_be_noticed_of_locks("P3", [](history& seen) {
        const auto at = lock_write(seen, [](const auto& before, const auto& write) {
            return !before.writer.session.empty() && write.after.writer.session.empty() && write.number == 0 &&
                   write.after.readers.empty();
        });
        if (!at) return false;
        // By whoever was given it last: that guard is the one that has just gone.
        const auto item = std::get<lock_written>(seen[*at].what).item;
        for (auto i = *at; i-- > 0;) {
            const auto* given = std::get_if<guard_given>(&seen[i].what);
            if (!given || given->item != item || !given->exclusive) continue;
            const event begun{.at = seen[i].at,
                              .what = guarded_begun{.handle = given->handle, .item = item, .number = 999'999}};
            const event tested{.at = seen[*at].at, .what = lock_tested{.item = item, .number = 999'999}};
            seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at) + 1, tested);
            seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(i) + 1, begun);
            return true;
        }
        return false;
    });
}

TEST_CASE("a release by another is noticed") {
    must_be_noticed_of_locks("P9", [](history& seen) {
        const auto at = lock_write(seen, [](const auto& before, const auto& write) {
            return !before.writer.session.empty() && write.after.writer.session.empty() && write.number == 0 &&
                   write.after.readers.empty();
        });
        if (!at) return false;
        std::get<lock_written>(seen[*at].what).session = "a thief";
        return true;
    });
}

TEST_CASE("a reader that passes a writer that waits is noticed") {
    must_be_noticed_of_locks("F1", [](history& seen) {
        const auto at = lock_write(seen, [](const auto& before, const auto& write) {
            return before.intent.session.empty() && write.after.intent == before.intent &&
                   write.after.readers.size() > before.readers.size() && before.writer.session.empty();
        });
        if (!at) return false;
        auto intends = seen[*at];
        auto& write = std::get<lock_written>(intends.what);
        // Of somebody else, a moment before: as it was, but for the intent.
        lock_state before;
        for (std::size_t i = 0; i < *at; ++i) {
            const auto* each = std::get_if<lock_written>(&seen[i].what);
            if (each && each->item == write.item) before = each->after;
            const auto* anew = std::get_if<lock_replaced>(&seen[i].what);
            if (anew && anew->item == write.item) before = anew->after;
        }
        write.session = "one who waits";
        before.intent = {.session = "one who waits", .attempt = 1};
        write.after = before;
        std::get<lock_written>(seen[*at].what).after.intent = before.intent;
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at), intends);
        return true;
    });
}

TEST_CASE("an item that a lock request makes is noticed") {
    must_be_noticed_of_locks("E1", [](history& seen) {
        const auto at = lock_write(seen, grants_writer);
        if (!at) return false;
        const auto item = std::get<lock_written>(seen[*at].what).item;
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at),
                    event{.at = seen[*at].at, .what = lock_replaced{.item = item, .after = {}}});
        return true;
    });
}

TEST_CASE("a guard for a grant that never was is noticed") {
    must_be_noticed_of_locks("P1", [](history& seen) {
        for (std::size_t i = seen.size() / 3; i < seen.size(); ++i) {
            auto* given = std::get_if<guard_given>(&seen[i].what);
            if (!given) continue;
            ++given->token;
            return true;
        }
        return false;
    });
}

TEST_CASE("more readers than there may be are noticed") {
    must_be_noticed_of_locks("P10", [](history& seen) {
        const auto at = lock_write(seen, [](const auto& before, const auto& write) {
            return write.after.readers.size() > before.readers.size();
        });
        if (!at) return false;
        auto& write = std::get<lock_written>(seen[*at].what);
        for (std::int64_t i = 0; i < 64; ++i) write.after.readers.insert({write.session, 1'000'000 + i});
        return true;
    });
}

TEST_CASE("who waits with an intent and is passed too often by writers of one process is noticed") {
    must_be_noticed_of_locks("F2", [](history& seen) {
        const auto at = lock_write(seen, grants_writer);
        if (!at) return false;
        auto turn = seen[*at];
        auto& write = std::get<lock_written>(turn.what);
        write.after.intent = {"who waits", 1};
        for (std::int64_t i = 1; i <= 10; ++i) {
            seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at) + static_cast<std::ptrdiff_t>(i), turn);
            write.after.writer.attempt += 1'000'000;
            ++write.after.floor;
        }
        return true;
    });
}

namespace {

/// What a checker says of a session that takes an item over its own earlier grant, which a user has got.
/// @param born_anew in between the item was removed and made again, and a late copy brought the grant back
std::string verdict_on_taking_its_own(bool born_anew) {
    const lock_state free{.exists = true, .life = "first"};
    auto taken = free;
    taken.writer = {"session", 1};
    taken.floor = 5;
    auto taken_again = taken;
    taken_again.writer.attempt = 2;
    taken_again.floor = 6;
    checker checked(1);
    const auto see = [&](auto what) { checked.see({.at = {}, .what = std::move(what)}); };
    see(lock_replaced{.item = 0, .after = free});
    see(lock_written{.item = 0, .session = "session", .number = 0, .after = taken});
    if (born_anew) {
        see(lock_replaced{.item = 0, .after = {}});
        for (auto* each : {&taken, &taken_again}) each->life = "second";
        see(lock_replaced{.item = 0, .after = {.exists = true, .life = "second"}});
        see(lock_written{.item = 0, .session = "session", .number = 0, .after = taken});
    }
    see(guard_given{.handle = 1, .item = 0, .session = "session", .token = 5});
    see(lock_written{.item = 0, .session = "session", .number = 0, .after = taken_again});
    return checked.broken().value_or("");
}

}  // namespace

TEST_CASE("a session that takes an item from its own user is noticed, but where the item was born anew") {
    CHECK(verdict_on_taking_its_own(false).starts_with("P9"));
    CHECK(verdict_on_taking_its_own(true).empty());
}

namespace {

/// What a checker says of a writer that goes past the intent of a plain session, 5 s after that was written.
/// @param came_back a late copy of it was, whose text all had seen 8 s before
std::string verdict_on_passing(bool came_back) {
    using namespace std::chrono_literals;
    const lock_state free{.exists = true, .life = "first"};
    auto wanted = free;
    wanted.intent = {"who waits", 7};
    auto taken = free;
    taken.writer = {"another", 1};
    taken.floor = 5;
    checker checked(1, plain_bounds{.lease = 6s});
    const auto see = [&](std::chrono::seconds at, auto what) {
        checked.see({.at = time_point(at), .what = std::move(what)});
    };
    const auto intends = [&](std::chrono::seconds at) {
        see(at, lock_written{.item = 0, .session = "who waits", .number = 0, .after = wanted});
    };
    see(0s, lock_replaced{.item = 0, .after = free});
    if (came_back) intends(1s);
    see(2s, lock_written{.item = 0, .session = "who waits", .number = 0, .after = free});
    intends(4s);
    see(9s, lock_written{.item = 0, .session = "another", .number = 0, .after = taken});
    return checked.broken().value_or("");
}

}  // namespace

TEST_CASE("who passes an intent that waits is noticed, but where its text stood there before for as long") {
    CHECK(verdict_on_passing(false).starts_with("F1"));
    CHECK(verdict_on_passing(true).empty());
}
