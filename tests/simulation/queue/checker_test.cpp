// The checkers themselves: histories of good worlds are accepted, and every way of spoiling them is noticed.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/queue/checker.hpp"
#include "simulation/framework/spoilt_histories.hpp"
#include "simulation/queue/scenario_config.hpp"
#include "simulation/queue/world.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <utility>

using namespace dynalease;
using namespace dynalease::simulation;
using namespace dynalease::simulation::queues;

namespace {

constexpr std::size_t queue_count = 3;

history good_history(std::uint64_t seed) {
    queues::scenario_config made_of;
    made_of.fewest_queues = made_of.most_queues = queue_count;
    made_of.longest_hold = 1s;
    made_of.cancels = 3;
    made_of.nemesis.faults = {nemesis_fault::pause, nemesis_fault::partition, nemesis_fault::crash_new_identity};
    return history_of<queue_world, history>(seed, made_of);
}

std::string verdict(const history& seen) {
    checker checked({.queues = queue_count});
    for (const auto& each : seen) checked.see(each);
    return checked.broken().value_or("");
}

/// The first event of one kind at or behind `from` that `wanted` picks; the end if there is none.
template <class Kind>
history::iterator find_event(history& in, history::iterator from, const std::function<bool(const Kind&)>& wanted) {
    return std::find_if(from, in.end(), [&](const event& each) {
        const auto* found = std::get_if<Kind>(&each.what);
        return found != nullptr && wanted(*found);
    });
}

template <class Kind>
Kind& as(history::iterator place) {
    return std::get<Kind>(place->what);
}

bool ends_a_turn(const head_written& each) {
    return each.what == head_written::kind::left || each.what == head_written::kind::left_idle;
}

/// What a good history is turned into; false if it has nothing to be spoilt that way.
using spoiling = std::function<bool(history&)>;

void must_be_noticed(const char* promise, const spoiling& spoil) {
    expect_noticed(promise, good_history, verdict, spoil);
}

}  // namespace

TEST_CASE("histories of good worlds of queues are accepted") {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) CHECK(verdict(good_history(seed)).empty());
}

TEST_CASE("a ticket that is issued for a second time is noticed") {
    must_be_noticed("P2", [](history& seen) {
        const auto drawn = find_event<head_written>(
            seen, seen.begin(), [](const auto& each) { return each.what == head_written::kind::drawn; });
        if (drawn == seen.end()) return false;
        auto again = *drawn;
        std::get<head_written>(again.what).attempt = "another";
        seen.insert(drawn + 1, again);
        return true;
    });
}

TEST_CASE("an attempt that draws two tickets one after the other is noticed") {
    must_be_noticed("P8", [](history& seen) {
        const auto drawn = find_event<head_written>(
            seen, seen.begin(), [](const auto& each) { return each.what == head_written::kind::drawn; });
        if (drawn == seen.end()) return false;
        auto again = *drawn;
        std::get<head_written>(again.what).after.tail += 1;
        seen.insert(drawn + 1, again);
        return true;
    });
}

TEST_CASE("a count of turns that falls is noticed") {
    must_be_noticed("Q2", [](history& seen) {
        const auto left = find_event<head_written>(seen, seen.begin(), ends_a_turn);
        if (left == seen.end()) return false;
        auto back = *left;
        auto& head = std::get<head_written>(back.what);
        head.what = head_written::kind::passed_over;
        head.after.passed -= 1;
        head.after.expires = false;
        seen.insert(left + 1, back);
        return true;
    });
}

TEST_CASE("somebody alive who is passed over by another is noticed") {
    must_be_noticed("Q1", [](history& seen) {
        for (auto left = seen.begin();; ++left) {
            left = find_event<head_written>(seen, left, ends_a_turn);
            if (left == seen.end()) return false;
            // Nothing of what a stranger may do has happened to a ticket that its owner leaves while it has a turn.
            auto& write = as<head_written>(left);
            if (write.what != head_written::kind::left_idle) continue;
            write.writer = "a stranger";
            const auto voided = find_event<ticket_written>(seen, seen.begin(), [&](const ticket_written& row) {
                return row.queue == write.queue && row.ticket == write.after.passed && row.is_void;
            });
            const auto ended = find_event<session_ended>(seen, seen.begin(), [](const auto&) { return true; });
            return voided >= left && ended >= left;
        }
    });
}

TEST_CASE("a turn that is left under its user is noticed") {
    must_be_noticed("P9", [](history& seen) {
        for (auto given = seen.begin();; ++given) {
            given = find_event<turn_given>(seen, given, [](const auto&) { return true; });
            if (given == seen.end()) return false;
            const auto turn = as<turn_given>(given);
            const auto gone = find_event<turn_let_go>(
                seen, given, [&](const turn_let_go& each) { return each.handle == turn.handle; });
            const auto left = find_event<head_written>(seen, given, [&](const head_written& each) {
                return ends_a_turn(each) && each.queue == turn.queue && each.after.passed == turn.ticket;
            });
            const auto ended = find_event<session_ended>(
                seen, seen.begin(), [&](const session_ended& each) { return each.session == turn.session; });
            if (left == seen.end() || gone > left || ended < left) continue;
            seen.erase(gone);
            return true;
        }
    });
}

TEST_CASE("a row that is buried after it was written down is noticed") {
    must_be_noticed("Q1", [](history& seen) {
        auto passed = std::vector<std::int64_t>(queue_count);
        for (auto place = seen.begin(); place != seen.end(); ++place) {
            if (const auto* head = std::get_if<head_written>(&place->what)) passed[head->queue] = head->after.passed;
            const auto* row = std::get_if<ticket_written>(&place->what);
            if (row == nullptr || row->is_void || row->ticket <= passed[row->queue]) continue;
            auto grave = *place;
            auto& buried = std::get<ticket_written>(grave.what);
            buried.is_void = true;
            buried.writer = "a stranger";
            seen.insert(place + 1, grave);
            return true;
        }
        return false;
    });
}

TEST_CASE("a row that is written over its grave is noticed") {
    must_be_noticed("Q1", [](history& seen) {
        auto passed = std::vector<std::int64_t>(queue_count);
        for (auto place = seen.begin(); place != seen.end(); ++place) {
            if (const auto* head = std::get_if<head_written>(&place->what)) passed[head->queue] = head->after.passed;
            const auto* row = std::get_if<ticket_written>(&place->what);
            if (row == nullptr || !row->is_void || row->ticket <= passed[row->queue]) continue;
            const auto alive = find_event<ticket_written>(seen, seen.begin(), [&](const ticket_written& each) {
                return each.queue == row->queue && each.ticket == row->ticket && !each.is_void;
            });
            if (alive >= place) continue;
            const auto again = *alive;
            seen.insert(place + 1, again);
            return true;
        }
        return false;
    });
}

TEST_CASE("a row that is deleted before its turn is noticed") {
    must_be_noticed("Q1", [](history& seen) {
        const auto row = find_event<ticket_written>(seen, seen.begin(), [](const auto& each) { return !each.is_void; });
        if (row == seen.end()) return false;
        const auto written = as<ticket_written>(row);
        seen.insert(row + 1, event{.at = row->at, .what = ticket_deleted{written.queue, written.ticket}});
        return true;
    });
}

TEST_CASE("rows that TTL could remove too early are noticed") {
    must_be_noticed("Q1", [](history& seen) {
        const auto row = find_event<ticket_written>(seen, seen.begin(), [](const auto&) { return true; });
        if (row == seen.end()) return false;
        as<ticket_written>(row).expires = true;
        return true;
    });
    must_be_noticed("Q1", [](history& seen) {
        const auto drawn = find_event<head_written>(
            seen, seen.begin(), [](const auto& each) { return each.what == head_written::kind::drawn; });
        if (drawn == seen.end()) return false;
        as<head_written>(drawn).after.expires = true;
        return true;
    });
}

TEST_CASE("numbers that were skipped and are covered by nobody are noticed") {
    must_be_noticed("Q2", [](history& seen) {
        const auto drawn = find_event<head_written>(seen, seen.begin(), [](const auto& each) {
            return each.what == head_written::kind::drawn_together && each.from < each.after.tail;
        });
        if (drawn == seen.end()) return false;
        as<head_written>(drawn).from += 1;
        return true;
    });
}

TEST_CASE("a user who is told a ticket that was never issued, or has no turn yet, is noticed") {
    must_be_noticed("P1", [](history& seen) {
        const auto given = find_event<turn_given>(seen, seen.begin(), [](const auto&) { return true; });
        as<turn_given>(given).ticket += 1'000'000;
        return true;
    });
    must_be_noticed("Q1", [](history& seen) {
        const auto waits = find_event<head_written>(seen, seen.begin(), [](const auto& each) {
            return each.what == head_written::kind::drawn && each.after.passed < each.after.tail - 1;
        });
        if (waits == seen.end()) return false;
        const auto& write = as<head_written>(waits);
        const event early{
            .at = waits->at,
            .what = turn_given{
                .handle = 999'999, .queue = write.queue, .session = write.writer, .ticket = write.after.tail}};
        seen.insert(waits + 1, early);
        return true;
    });
}

TEST_CASE("one turn given to two users is noticed") {
    must_be_noticed("Q2", [](history& seen) {
        const auto given = find_event<turn_given>(seen, seen.begin(), [](const auto&) { return true; });
        auto again = *given;
        std::get<turn_given>(again.what).handle = 999'999;
        seen.insert(given + 1, again);
        return true;
    });
}

TEST_CASE("a stale write that is accepted outside, and a fence that lets an old turn pass, are noticed") {
    must_be_noticed("P3", [](history& seen) {
        const auto given = find_event<turn_given>(seen, seen.begin(), [](const auto&) { return true; });
        const auto turn = as<turn_given>(given);
        const auto later = find_event<turn_given>(seen, given + 1, [&](const turn_given& each) {
            return each.queue == turn.queue && each.ticket > turn.ticket;
        });
        if (later == seen.end()) return false;
        const auto newer = as<turn_given>(later).ticket;
        seen.push_back({.at = seen.back().at, .what = outside_written{.queue = turn.queue, .ticket = newer}});
        seen.push_back({.at = seen.back().at, .what = outside_written{.queue = turn.queue, .ticket = turn.ticket}});
        return true;
    });
    must_be_noticed("P3", [](history& seen) {
        const auto left = find_event<head_written>(seen, seen.begin(), ends_a_turn);
        if (left == seen.end()) return false;
        const auto& write = as<head_written>(left);
        seen.insert(left + 1,
                    event{.at = left->at, .what = fence_passed{.queue = write.queue, .ticket = write.after.passed}});
        return true;
    });
}
