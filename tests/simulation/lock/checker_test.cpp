// The checkers themselves: histories of good worlds are accepted, and every way of spoiling them is noticed.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/checker.hpp"
#include "session/protocol/row.hpp"
#include "simulation/framework/spoilt_histories.hpp"
#include "simulation/lock/open_writes.hpp"
#include "simulation/lock/scenario_config.hpp"
#include "simulation/lock/world.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <functional>
#include <utility>

using namespace dynalease;
using namespace dynalease::simulation;
using namespace dynalease::simulation::locks;

namespace {

constexpr std::size_t lock_count = 2;

history good_history(std::uint64_t seed) {
    locks::scenario_config made_of;
    made_of.most_locks = lock_count;
    made_of.longest_hold = 1s;
    made_of.nemesis.faults = {nemesis_fault::pause, nemesis_fault::partition, nemesis_fault::crash_new_identity};
    return history_of<lock_world, history>(seed, made_of);
}

std::string verdict(const history& seen) {
    checker checked({.locks = lock_count});
    for (const auto& each : seen) checked.see(each);
    return checked.broken().value_or("");
}

/// The places of events of one kind that `wanted` picks.
template <class Kind>
std::vector<std::size_t> places(const history& in, const std::function<bool(const Kind&)>& wanted) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const auto* event = std::get_if<Kind>(&in[i].what);
        if (event != nullptr && wanted(*event)) found.push_back(i);
    }
    return found;
}

/// Who only looked would tell at once what did not happen.
void forget_looks(history& seen) {
    std::erase_if(seen, [](const event& each) { return std::holds_alternative<lock_shown>(each.what); });
}

/// Grants in the store: writes after which another grant is in the row than before.
std::vector<std::size_t> grants(const history& in, std::size_t lock) {
    std::pair<std::string, std::int64_t> before;
    return places<lock_written>(in, [&](const lock_written& each) {
        if (each.lock != lock) return false;
        const std::pair<std::string, std::int64_t> after(each.after.holder, each.after.attempt);
        const bool granted = !each.after.holder.empty() && after != before;
        before = after;
        return granted;
    });
}

std::size_t first_guard(const history& in) {
    return places<guard_given>(in, [](const auto&) { return true; }).at(0);
}

/// What a good history is turned into; false if it has nothing to be spoilt that way.
using spoiling = std::function<bool(history&)>;

void must_be_noticed(const char* promise, const spoiling& spoil) {
    expect_noticed(promise, good_history, verdict, spoil);
}

}  // namespace

TEST_CASE("histories of good worlds are accepted") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) CHECK(verdict(good_history(seed)).empty());
}

TEST_CASE("two tokens that are swapped are noticed") {
    must_be_noticed("P", [](history& seen) {
        forget_looks(seen);
        const auto all = grants(seen, 0);
        if (all.size() < 2) return false;
        auto& one = std::get<lock_written>(seen[all[0]].what).after;
        auto& next = std::get<lock_written>(seen[all[1]].what).after;
        // What the users were told is swapped with it.
        for (auto& each : seen) {
            auto* given = std::get_if<guard_given>(&each.what);
            if (given == nullptr || given->lock != 0) continue;
            if (given->token == one.token) {
                given->token = next.token;
            } else if (given->token == next.token) {
                given->token = one.token;
            }
        }
        std::swap(one.token, next.token);
        std::swap(one.floor, next.floor);
        return true;
    });
}

TEST_CASE("a floor that falls is noticed") {
    must_be_noticed("P2", [](history& seen) {
        const auto all = grants(seen, 0);
        if (all.size() < 2) return false;
        auto& next = std::get<lock_written>(seen[all[1]].what).after;
        next.floor = next.token = 1;
        return true;
    });
}

TEST_CASE("a release that never came is noticed when the next one takes the lock") {
    must_be_noticed("P1", [](history& seen) {
        forget_looks(seen);
        std::array<bool, lock_count> held{};
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const auto* freed = std::get_if<lock_written>(&seen[i].what);
            if (freed == nullptr) continue;
            const bool was_held = std::exchange(held[freed->lock], !freed->after.holder.empty());
            if (!was_held || held[freed->lock]) continue;
            for (std::size_t j = i + 1; j < seen.size(); ++j) {
                const auto* next = std::get_if<lock_written>(&seen[j].what);
                if (next == nullptr || next->lock != freed->lock) continue;
                const bool by_another = !next->after.holder.empty() && next->writer != freed->writer;
                const auto ended = places<session_ended>(
                    seen, [&](const session_ended& each) { return each.session == freed->writer; });
                const bool from_the_dead = !ended.empty() && ended.front() < j;
                if (!by_another || from_the_dead) break;
                seen.erase(seen.begin() + static_cast<std::ptrdiff_t>(i));
                return true;
            }
        }
        return false;
    });
}

TEST_CASE("a grant that happens a second time is noticed") {
    must_be_noticed("P2", [](history& seen) {
        const auto all = grants(seen, 0);
        if (all.size() < 2) return false;
        seen.push_back(seen[all[0]]);
        return true;
    });
}

TEST_CASE("a user who is told a token that was never granted is noticed") {
    must_be_noticed("P1", [](history& seen) {
        std::get<guard_given>(seen[first_guard(seen)].what).token += 1;
        return true;
    });
}

TEST_CASE("one grant given to two users is noticed") {
    must_be_noticed("P2", [](history& seen) {
        auto again = seen[first_guard(seen)];
        std::get<guard_given>(again.what).handle = 999'999;
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(first_guard(seen)) + 1, again);
        return true;
    });
}

TEST_CASE("a lock that is freed under its user is noticed") {
    must_be_noticed("P9", [](history& seen) {
        const auto released = places<guard_let_go>(seen, [](const auto&) { return true; });
        if (released.empty()) return false;
        const auto handle = std::get<guard_let_go>(seen[released[0]].what).handle;
        // Unless its session ended meanwhile, whoever takes the lock back takes it from a user.
        const auto given = places<guard_given>(seen, [&](const auto& each) { return each.handle == handle; }).at(0);
        const auto& guard = std::get<guard_given>(seen[given].what);
        for (std::size_t i = released[0]; i < seen.size(); ++i) {
            const auto* next = std::get_if<lock_written>(&seen[i].what);
            if (next == nullptr || next->lock != guard.lock) continue;
            if (next->writer != guard.session) return false;
            seen.erase(seen.begin() + static_cast<std::ptrdiff_t>(released[0]));
            return true;
        }
        return false;
    });
}

TEST_CASE("a stale write that is accepted outside is noticed") {
    must_be_noticed("P3", [](history& seen) {
        const auto all = grants(seen, 0);
        if (all.size() < 2) return false;
        const auto token = [&](std::size_t at) { return std::get<lock_written>(seen[at].what).after.token; };
        const event newer{.at = seen.back().at, .what = outside_written{.lock = 0, .token = token(all[1])}};
        const event older{.at = seen.back().at, .what = outside_written{.lock = 0, .token = token(all[0])}};
        seen.push_back(newer);
        seen.push_back(older);
        return true;
    });
}

TEST_CASE("a fence that lets an old grant pass is noticed") {
    must_be_noticed("P3", [](history& seen) {
        const auto all = grants(seen, 0);
        if (all.size() < 2) return false;
        const auto old = std::get<lock_written>(seen[all[0]].what).after;
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(all[1]) + 1,
                    event{.at = seen[all[1]].at,
                          .what = fence_passed{.lock = 0, .session = old.holder, .attempt = old.attempt}});
        return true;
    });
}

TEST_CASE("a session that comes back, or dies too early, is noticed") {
    must_be_noticed("P5", [](history& seen) {
        const auto ended = places<session_ended>(seen, [](const auto&) { return true; });
        if (ended.empty()) return false;
        auto beaten = seen.back();
        beaten.what = session_beaten{
            .session = std::get<session_ended>(seen[ended[0]].what).session, .beat = 1'000'000, .lease = 10s};
        seen.push_back(beaten);
        return true;
    });
    must_be_noticed("P1", [](history& seen) {
        const auto beats = places<session_beaten>(seen, [](const auto&) { return true; });
        if (beats.empty()) return false;
        const auto at = beats[0];
        const auto& beaten = std::get<session_beaten>(seen[at].what);
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                    event{.at = seen[at].at + beaten.lease / 2,
                          .what = session_ended{.session = beaten.session, .marked_dead = true}});
        return true;
    });
}

TEST_CASE("a write to a row of another schema is noticed") {
    must_be_noticed("schema", [](history& seen) {
        const auto writes = places<lock_written>(seen, [](const auto& each) { return each.lock == 0; });
        if (writes.size() < 2) return false;
        auto newer = std::get<lock_written>(seen[writes[0]].what).after;
        newer.version = 2;
        seen.insert(seen.begin() + static_cast<std::ptrdiff_t>(writes[0]) + 1,
                    event{.at = seen[writes[0]].at, .what = lock_replaced{.lock = 0, .after = newer}});
        return true;
    });
}

TEST_CASE("a token below the last is excused where the claim is from before the row was lost, and none the wiser") {
    const auto broken_by = [](std::optional<sent_claim> claim, bool late = false) {
        checker checked({.locks = 1});
        const row_state before{.exists = true, .holder = "a", .attempt = 1, .token = 9, .floor = 9};
        const row_state restored{.exists = true, .token = 4, .floor = 4};
        const row_state after{.exists = true, .holder = "b", .attempt = 1, .token = 8, .floor = 8};
        event seen{.at = time_point(1s), .what = lock_written{.lock = 0, .writer = "a", .after = before}};
        checked.see(seen);
        seen.at = time_point(3s);
        seen.what = lock_replaced{.lock = 0, .after = restored};
        checked.see(seen);
        seen.at = time_point(4s);
        seen.what = lock_written{.lock = 0, .writer = "b", .after = after, .claim = claim, .late = late};
        checked.see(seen);
        return checked.broken().value_or("");
    };
    CHECK(broken_by({}).starts_with("P2"));
    CHECK(broken_by(sent_claim{time_point(4s), 4}).starts_with("P2"));
    CHECK(broken_by(sent_claim{time_point(2s), 7}).starts_with("P2"));
    CHECK(broken_by(sent_claim{time_point(2s), 4}).empty());
    CHECK(broken_by(sent_claim{time_point(2s), 7}, true).empty());
    CHECK(broken_by(sent_claim{time_point(4s), 7}, true).starts_with("P2"));
}

TEST_CASE("one in the line who is overtaken more often than the head may be is noticed") {
    for (const bool hands_over : {false, true}) {
        checker checked({.locks = 1});
        for (std::int64_t i = 1; i <= 40; ++i) {
            // From hand to hand inside one process nobody overtakes anew.
            row_state row{.exists = true, .holder = "holder", .attempt = i, .token = i, .floor = i, .line = {"waits"}};
            checked.see({.what = lock_written{.lock = 0, .writer = "holder", .after = row}});
            if (hands_over) continue;
            row.holder.clear();
            checked.see({.what = lock_written{.lock = 0, .writer = "holder", .after = row}});
        }
        CHECK(checked.broken().value_or("").starts_with("fair") != hands_over);
    }
}

TEST_CASE("a look that shows what never was, what was before it, or a living holder as over, is noticed") {
    const auto shown = [](const history& seen) { return places<lock_shown>(seen, [](const auto&) { return true; }); };
    must_be_noticed("shown", [&](history& seen) {
        const auto all = shown(seen);
        if (!all.empty()) std::get<lock_shown>(seen[all[0]].what).token += 1;
        return !all.empty();
    });
    must_be_noticed("shown", [&](history& seen) {
        const auto all = shown(seen);
        const auto token = all.empty() ? 0 : std::get<lock_shown>(seen[all[0]].what).token;
        if (all.empty() || std::get<lock_shown>(seen[all.back()].what).token == token) return false;
        auto old = std::get<lock_shown>(seen[all[0]].what);
        old.asked = seen.back().at + 1ns;
        seen.push_back(event{.at = old.asked, .what = old});
        return true;
    });
    must_be_noticed("shown", [&](history& seen) {
        for (const auto at : shown(seen)) {
            auto& look = std::get<lock_shown>(seen[at].what);
            if (!look.held.value_or(false)) continue;
            look.held = false;
            return true;
        }
        return false;
    });
}

TEST_CASE("a write is open until an answer says what became of it") {
    const auto take = [](std::int64_t token) {
        update_item_request request;
        request.values = {{":a", 1}, {":t", token}};
        return any_request(std::move(request));
    };
    const auto refused = [](std::int64_t floor, outcome known, std::int64_t version = protocol::schema_version) {
        failure why(errc::condition_failed, known);
        why.current = item{{"floor", floor}, {"v", version}};
        return result<any_response>(std::move(why));
    };
    const result<any_response> unheard{failure(errc::in_doubt, outcome::unknown)};
    const auto open_after = [&](std::vector<result<any_response>> answers) {
        open_writes writes;
        for (auto& each : answers) {
            writes.sent(0, take(7), time_point(1s));
            writes.answered(0, take(7), each, time_point(2s), true);
        }
        return writes.any_since(0, time_point(1s));
    };
    CHECK_FALSE(open_after({refused(3, outcome::not_applied)}));
    CHECK(open_after({refused(3, outcome::unknown)}));
    CHECK(open_after({unheard}));
    CHECK(open_after({unheard, refused(3, outcome::not_applied)}));
    CHECK_FALSE(open_after({unheard, refused(7, outcome::not_applied)}));
    CHECK(open_after({unheard, refused(7, outcome::not_applied, protocol::schema_version + 1)}));
    CHECK_FALSE(open_after({unheard, result<any_response>(any_response(update_item_response{}))}));
}

TEST_CASE("with a life of a session ends what was open in it") {
    update_item_request take;
    take.values = {{":a", 1}, {":t", std::int64_t{7}}};
    open_writes writes;
    writes.sent(0, take, time_point(1s));
    writes.end_life(time_point(2s));
    CHECK_FALSE(writes.any_since(0, time_point(1s)));
    CHECK(writes.any_lately(0, time_point(2s)));
    CHECK_FALSE(writes.any_lately(0, time_point(3s)));
    REQUIRE(writes.claim(0, 7));
    CHECK(writes.claim(0, 7)->first_sent == time_point(1s));
}

TEST_CASE("what a look shows closes a write for those who looked, and excuses both tellings where others may have") {
    update_item_request take;
    take.values = {{":a", 1}, {":t", std::int64_t{7}}};
    const auto seen_by = [&](std::int64_t floor, bool own) {
        open_writes writes;
        writes.sent(0, take, time_point(1s));
        writes.answered(0, take, failure(errc::in_doubt, outcome::unknown), time_point(2s), true);
        get_item_response shown;
        shown.found = item{{"floor", floor}, {"v", protocol::schema_version}};
        writes.answered(0, get_item_request{}, any_response(shown), time_point(3s), own);
        return std::pair(writes.any_since(0, time_point(1s)), writes.any_lately(0, time_point(4s)));
    };
    CHECK(seen_by(3, true) == std::pair(true, true));
    CHECK(seen_by(7, true) == std::pair(false, false));
    CHECK(seen_by(7, false) == std::pair(false, true));
}
