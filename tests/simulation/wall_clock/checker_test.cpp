// The checker of locks by the wall clock itself: histories of good worlds are accepted, and every way of spoiling
// them is noticed.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/wall_clock/checker.hpp"
#include "simulation/framework/spoilt_histories.hpp"
#include "simulation/wall_clock/scenario_config.hpp"
#include "simulation/wall_clock/world.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <optional>
#include <utility>

using namespace dynalease;
using namespace dynalease::simulation;
using namespace dynalease::simulation::wall_clocks;

namespace {

constexpr std::size_t item_count = 2;
constexpr clock_bounds bounds{.timeout = 2s, .skew = 200ms};

history good_clocks(std::uint64_t seed) {
    wall_clocks::scenario_config made_of;
    made_of.most_items = item_count;
    made_of.timeouts = {bounds.timeout};
    made_of.skew_parts = {bounds.timeout / bounds.skew};
    made_of.outstays = 2;
    made_of.nemesis.faults = {nemesis_fault::pause, nemesis_fault::partition, nemesis_fault::crash_new_identity};
    return history_of<clock_world, history>(seed, made_of);
}

std::string verdict_on_clocks(const history& seen) {
    checker checked(item_count + 1, bounds);
    for (const auto& each : seen) checked.see(each);
    return checked.broken().value_or("");
}

/// Turns a good history into a bad one; false if it has nothing to be spoilt that way.
using spoiling = std::function<bool(history&)>;

void must_notice(const char* promise, const spoiling& spoil) {
    expect_noticed(promise, good_clocks, verdict_on_clocks, spoil);
}

/// The first write, past the beginning, that `wanted` picks, given the item before it.
std::optional<std::size_t> write_that(
    const history& in, const std::function<bool(const item_state& before, const written& seen)>& wanted) {
    std::vector<item_state> states(item_count + 1);
    for (std::size_t i = 0; i < in.size(); ++i) {
        const auto* seen = std::get_if<written>(&in[i].what);
        if (seen == nullptr) continue;
        if (i > in.size() / 4 && !seen->stranger && wanted(states[seen->item], *seen)) return i;
        states[seen->item] = seen->after;
    }
    return std::nullopt;
}

written& write_at(history& in, std::size_t at) {
    return std::get<written>(in[at].what);
}

template <class Kind>
Kind* first(history& in, const std::function<bool(const Kind&)>& wanted = [](const Kind&) { return true; }) {
    for (auto& each : in) {
        auto* seen = std::get_if<Kind>(&each.what);
        if (seen != nullptr && wanted(*seen)) return seen;
    }
    return nullptr;
}

bool is_guarded(const item_state&, const written& seen) {
    return seen.number != 0;
}
bool frees(const item_state& before, const written& seen) {
    return !before.text.empty() && seen.after.text.empty();
}

}  // namespace

TEST_CASE("histories of good worlds of locks by the wall clock are accepted") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) CHECK(verdict_on_clocks(good_clocks(seed)).empty());
}

TEST_CASE("a guard of an item that was never locked for it is noticed") {
    must_notice("W1", [](history& seen) {
        auto* got = first<given>(seen);
        if (got) got->text = "2026-01-01T00:00:00.000007+00:00";
        return got != nullptr;
    });
}

TEST_CASE("a holder that the item was taken from does not hold it") {
    checker checked(1, bounds);
    const moment wall{};
    const auto write = [&](const char* by, bool stranger, const char* text) {
        checked.see({.what = written{.by = by,
                                     .stranger = stranger,
                                     .wall = wall + std::chrono::hours(1),
                                     .after = {.exists = true, .text = text}}});
    };
    write("", false, "");
    write("n0.1", false, "1970-01-01T00:00:00.000001+00:00");
    checked.see({.what = given{.handle = 1, .by = "n0.1", .text = "1970-01-01T00:00:00.000001+00:00"}});
    CHECK(checked.stands(1));
    write("n1.1", true, "1970-01-01T00:59:59.000001+00:00");
    CHECK_FALSE(checked.stands(1));
    CHECK_FALSE(checked.broken());
}

TEST_CASE("two that draw the same moment, one after the other, have two locks") {
    checker checked(1, bounds);
    constexpr const char* drawn = "2026-01-01T00:00:36.650426+00:00";
    const auto write = [&](const char* by, const char* text) {
        checked.see({.what = written{.by = by, .after = {.exists = true, .text = text}}});
    };
    write("", "");
    std::uint64_t handle = 0;
    for (const char* by : {"n3.1", "n0.1"}) {
        write(by, drawn);
        checked.see({.what = given{.handle = ++handle, .by = by, .text = drawn}});
        CHECK(checked.stands(handle));
        write(by, "");
    }
    CHECK_FALSE(checked.broken());
}

TEST_CASE("a lock that is taken over before it is over by every clock is noticed") {
    must_notice("W2", [](history& seen) {
        const auto at = write_that(seen, [](const auto& before, const auto& each) {
            const auto second = [](const std::string& text) { return text.substr(0, 19); };
            return !before.text.empty() && second(each.after.text) > second(before.text);
        });
        if (!at) return false;
        write_at(seen, *at).wall -= 10 * bounds.timeout;
        return true;
    });
}

TEST_CASE("a guarded write without the lock is noticed") {
    must_notice("W3", [](history& seen) {
        const auto at = write_that(seen, is_guarded);
        if (!at) return false;
        auto freed = seen[*at];
        auto& by_a_stranger = std::get<written>(freed.what);
        by_a_stranger.stranger = true;
        by_a_stranger.number = 0;
        by_a_stranger.after.text.clear();
        by_a_stranger.after.entries.pop_back();
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at), freed);
        return true;
    });
}

TEST_CASE("a release of another's lock is noticed") {
    must_notice("W4", [](history& seen) {
        const auto at = write_that(seen, frees);
        if (at) write_at(seen, *at).by = "n9.1";
        return at.has_value();
    });
}

TEST_CASE("a write that swallows another is noticed, and one that happens twice") {
    must_notice("W5", [](history& seen) {
        const auto at = write_that(seen, [](const auto&, const auto& each) { return each.after.entries.size() > 2; });
        if (!at) return false;
        auto& entries = write_at(seen, *at).after.entries;
        entries.erase(entries.begin());
        return true;
    });
    must_notice("W5", [](history& seen) {
        const auto at = write_that(seen, is_guarded);
        if (!at) return false;
        auto again = seen[*at];
        auto& second = std::get<written>(again.what);
        second.after.entries.push_back(second.number);
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at) + 1, again);
        return true;
    });
}

TEST_CASE("a success that never was is noticed, and a refusal that was none, of locks by the wall clock") {
    const auto tell_otherwise = [](answer before, answer after) {
        return [=](history& seen) {
            auto* said = first<told>(seen, [&](const told& each) { return each.what == before; });
            if (said) said->what = after;
            return said != nullptr;
        };
    };
    must_notice("W5", tell_otherwise(answer::refused, answer::applied));
    must_notice("W5", tell_otherwise(answer::applied, answer::refused));
}

TEST_CASE("an item that is told to be given back, and is not, is noticed") {
    must_notice("W6", [](history& seen) {
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const auto* got = std::get_if<given>(&seen[i].what);
            if (got == nullptr) continue;
            const event lie{.at = seen[i].at, .what = returned{.handle = got->handle}};
            seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(i) + 1, lie);
            return true;
        }
        return false;
    });
}

TEST_CASE("a lock that makes an item is noticed") {
    must_notice("E1", [](history& seen) {
        const auto at = write_that(seen, frees);
        if (!at) return false;
        auto made = seen[*at];
        std::get<written>(made.what).item = item_count;
        std::get<written>(made.what).after.entries.clear();
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(*at), made);
        return true;
    });
}
