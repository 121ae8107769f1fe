// Histories of good worlds are accepted, and noticed when they are spoilt: a checker that finds nothing proves nothing.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/checker.hpp"
#include "simulation/framework/spoilt_histories.hpp"
#include "simulation/transaction/dependencies.hpp"
#include "simulation/transaction/scenario_config.hpp"
#include "simulation/transaction/world.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <optional>
#include <utility>

using namespace dynalease;
using namespace dynalease::simulation;
using namespace dynalease::simulation::transfers;

namespace {

transfers::scenario_config made_of() {
    transfers::scenario_config made;
    made.tokens = 0;
    made.nemesis.faults = {nemesis_fault::pause, nemesis_fault::partition, nemesis_fault::crash_new_identity};
    made.shortest = 10s;
    made.longest = 15s;
    return made;
}

history good_history(std::uint64_t seed) {
    return history_of<transfer_world, history>(seed, made_of());
}

std::string verdict(const history& seen) {
    constexpr std::int64_t first_balance = 100;
    checker checked(std::vector<item_state>(made_of().accounts, {.there = true, .balance = first_balance}));
    for (const auto& each : seen) checked.see(each);
    checked.conclude();
    return checked.broken().value_or("");
}

template <class Kind>
Kind* find(history& in, const std::function<bool(const Kind&)>& wanted, std::size_t from = 0) {
    for (auto i = from; i < in.size(); ++i) {
        auto* happened = std::get_if<Kind>(&in[i].what);
        if (happened != nullptr && wanted(*happened)) return happened;
    }
    return nullptr;
}

/// A commit that changes an item, in the second half.
stored* commit_in(history& in) {
    return find<stored>(in, [](const auto& each) { return each.committed && !each.changed.empty(); }, in.size() / 2);
}

/// Turns a good history into a bad one; false if it has nothing to be spoilt that way.
using spoiling = std::function<bool(history&)>;

void must_be_noticed(const char* promise, const spoiling& spoil) {
    expect_noticed(promise, good_history, verdict, spoil);
}

}  // namespace

TEST_CASE("histories of good worlds of transactions are accepted") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) CHECK(verdict(good_history(seed)).empty());
}

TEST_CASE("an item that no committed transaction has made so is noticed") {
    must_be_noticed("B1", [](history& seen) {
        auto* commit = commit_in(seen);
        if (!commit) return false;
        commit->changed.front().second.entries.pop_back();
        return true;
    });
    must_be_noticed("B1", [](history& seen) {
        auto* commit = commit_in(seen);
        if (!commit) return false;
        ++commit->changed.front().second.balance;
        return true;
    });
    must_be_noticed("B1", [](history& seen) {
        auto* commit = commit_in(seen);
        if (!commit) return false;
        ++*commit->changed.front().second.version;
        return true;
    });
}

TEST_CASE("a write that nobody has committed is noticed, and one that is committed twice") {
    must_be_noticed("B1", [](history& seen) {
        auto* commit = commit_in(seen);
        if (!commit) return false;
        commit->committed.reset();
        return true;
    });
    must_be_noticed("B1", [](history& seen) {
        auto* commit = commit_in(seen);
        if (!commit) return false;
        auto again = *commit;
        seen.push_back({.at = seen.back().at, .what = std::move(again)});
        return true;
    });
}

TEST_CASE("a success that never was is noticed, and a failure that was none") {
    must_be_noticed("B2", [](history& seen) {
        std::map<std::int64_t, std::int64_t> wishes;
        for (const auto& each : seen) {
            if (const auto* call = std::get_if<called>(&each.what)) wishes[call->call] = call->number;
        }
        const auto writes = [&](std::int64_t call) {
            return find<wished>(seen,
                                [&](const auto& each) { return each.number == wishes[call] && !each.effects.empty(); });
        };
        auto* failed =
            find<told>(seen, [&](const auto& each) { return each.what == answer::refused && writes(each.call); });
        if (!failed) return false;
        const auto number = wishes[failed->call];
        std::size_t asked = 0;
        for (const auto& [call, wish] : wishes) asked += wish == number ? 1 : 0;
        if (asked != 1) return false;
        failed->what = answer::done;
        return true;
    });
    must_be_noticed("B2", [](history& seen) {
        const auto* commit = commit_in(seen);
        if (!commit) return false;
        const auto* by = find<attempted>(seen, [&](const auto& each) { return each.attempt == *commit->committed; });
        auto* done = find<told>(seen, [&](const auto& each) { return each.call == by->call; });
        if (!done) return false;
        done->what = answer::refused;
        return true;
    });
    must_be_noticed("B2", [](history& seen) {
        seen.push_back({.at = seen.back().at, .what = told_of{.id = "nobody's", .what = transaction_state::committed}});
        return true;
    });
}

TEST_CASE("a plain write that is done twice is noticed") {
    must_be_noticed("B2", [](history& seen) {
        const auto* wrote = find<stored>(
            seen, [](const auto& each) { return !each.committed && !each.repeated && !each.changed.empty(); });
        if (!wrote) return false;
        const auto [item, by] = wrote->changed.front();
        auto again = by;
        for (const auto& each : seen) {
            const auto* later = std::get_if<stored>(&each.what);
            if (!later) continue;
            for (const auto& [changed, now] : later->changed) {
                if (changed == item) again = now;
            }
        }
        again.entries.push_back(by.entries.back());
        ++*again.version;
        seen.push_back({.at = seen.back().at, .what = stored{.changed = {{item, std::move(again)}}}});
        return true;
    });
}

TEST_CASE("a commit onto what was read and is no longer so is noticed") {
    must_be_noticed("B3", [](history& seen) {
        auto* read = find<attempted>(
            seen,
            [&](const auto& each) {
                const auto* committed = find<stored>(
                    seen, [&](const auto& by) { return by.committed == each.attempt && !by.changed.empty(); });
                return committed && !each.read.empty() && !each.read.front().value.entries.empty();
            },
            seen.size() / 3);
        if (!read) return false;
        read->read.front().value.entries.pop_back();
        return true;
    });
}

TEST_CASE("a commit against what was demanded is noticed") {
    must_be_noticed("B3", [](history& seen) {
        auto* demanding = find<attempted>(
            seen,
            [&](const auto& each) {
                const auto* committed =
                    find<stored>(seen, [&](const auto& by) { return by.committed == each.attempt; });
                return committed && !each.demanded.empty();
            },
            seen.size() / 3);
        if (!demanding) return false;
        demanding->demanded.front().least = 1'000'000'000;
        return true;
    });
}

TEST_CASE("a reader who is shown what is not committed is noticed") {
    must_be_noticed("B4", [](history& seen) {
        auto* sight = find<shown>(seen, [](const auto& each) { return each.level != isolation::uncommitted; });
        if (!sight) return false;
        ++sight->what.value.balance;
        return true;
    });
}

TEST_CASE("a reader who is shown together what was never so together is noticed") {
    must_be_noticed("B4", [](history& seen) {
        auto* sight = find<shown_together>(
            seen,
            [](const auto& each) {
                return each.read.size() > 1 && each.read[0].value.entries.size() > 2 &&
                       each.read[1].value.entries.size() > 2;
            },
            seen.size() / 2);
        if (!sight) return false;
        auto& entries = sight->read.front().value.entries;
        entries = {entries.front()};
        return true;
    });
}

TEST_CASE("a commit under a lock that has passed on is noticed") {
    must_be_noticed("B7", [](history& seen) {
        auto* under = find<attempted>(
            seen,
            [&](const auto& each) {
                return find<stored>(seen, [&](const auto& by) {
                           return by.committed == each.attempt && !by.changed.empty();
                       }) != nullptr;
            },
            seen.size() / 3);
        if (!under) return false;
        under->guarded = 7;
        return true;
    });
}

TEST_CASE("what is left behind is noticed") {
    must_be_noticed("B5", [](history& seen) {
        find<combed>(seen, [](const auto&) { return true; })->marks = 1;
        return true;
    });
    must_be_noticed("B5", [](history& seen) {
        find<swept>(seen, [](const auto&) { return true; })->marks = 1;
        return true;
    });
    must_be_noticed("B5", [](history& seen) {
        find<swept>(seen, [](const auto&) { return true; })->open_rows = 1;
        return true;
    });
}

TEST_CASE("lists tell of orders that cannot be") {
    const auto contradiction = [](const std::function<void(dependencies&)>& fill) {
        dependencies order;
        order.list(0, {1, 2});
        order.list(1, {1, 2});
        fill(order);
        return order.contradiction().has_value();
    };
    CHECK_FALSE(contradiction([](auto&) {}));
    CHECK_FALSE(contradiction([](auto& order) { order.read(2, 0, {1}); }));
    CHECK(contradiction([](auto& order) { order.list(1, {2, 1}); }));
    CHECK(contradiction([](auto& order) { order.read(3, 0, {1, 9}); }));
    // Each of two has not seen the other.
    CHECK(contradiction([](auto& order) {
        order.list(0, {1});
        order.list(1, {2});
        order.read(1, 1, {});
        order.read(2, 0, {});
    }));
    // What stands there again was written again, by a write of its own.
    CHECK_FALSE(contradiction([](auto& order) { order.list(0, {1, 2, 1}); }));
    // A reader sees the later and not the earlier.
    CHECK(contradiction([](auto& order) {
        order.read(3, 0, {1, 2});
        order.read(3, 1, {1});
    }));
}
