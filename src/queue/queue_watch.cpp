// The watch: looks at the queue for the lowest waiting ticket of this process, at the pace of its place.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "queue/queue_impl.hpp"
#include "session/protocol/session_watch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

void queue_impl::watch_on() {
    if (waiting_.empty()) return;
    if (watch_.sleep) watch_.sleep->wake();
    if (std::exchange(watch_.on, true)) return;
    if (!start(watch(self()))) watch_.on = false;
}

boost::asio::awaitable<void> queue_impl::watch([[maybe_unused]] queue_target self) {
    watch_.sleep.emplace(core_.world());
    while (!waiting_.empty() && core_.may_write()) {
        const auto mine = waiting_.begin()->second->ticket->mine;
        if (blocked_by_ourselves()) {
            co_await watch_.sleep->wait_until(dynalease::time_point::max());
            continue;
        }
        const bool next_in_line = ahead_of(mine) <= 1;
        if (next_in_line && examined_.passed != head_->passed) examine_again({});
        const auto examination = next_in_line ? examined_.next : dynalease::time_point::max();
        const auto blocker = next_in_line ? blocker_due() : dynalease::time_point::max();
        const auto due = std::min({watch_.polls.next(), examination, blocker});
        if (core_.now() < due) {
            co_await watch_.sleep->wait_until(due);
        } else if (due == blocker) {
            co_await look_at_blocker();
        } else if (due == examination) {
            co_await examine(mine.from, false);
        } else {
            co_await poll();
        }
    }
    watch_.sleep.reset();
    watch_.on = false;
    // One may have come in while this ended.
    if (core_.may_write()) watch_on();
}

// Our own turn, or the end of it, tells when the next one of ours begins.
bool queue_impl::blocked_by_ourselves() const {
    const auto next = waiting_.begin()->second->ticket->mine.from;
    const auto is_before = [next](const auto& each) {
        const auto hold = each.lock();
        return hold && hold->mine().ticket + 1 == next;
    };
    return std::ranges::any_of(turn_.leaving, is_before) || is_before(turn_.hold);
}

// Whoever has only such before it that are over is next in line, however many they are: it passes them over.
std::int64_t queue_impl::ahead_of(const protocol::place& mine) const {
    return protocol::tickets_ahead(*head_, mine) - places_.over_before(mine.from);
}

void queue_impl::found_gone(std::int64_t ticket) {
    if (ticket <= head_->passed || !places_.add_over(ticket) || waiting_.empty()) return;
    watch_.polls.plan_sooner(line(), pace_limits(), core_.now());
}

protocol::poll_plan::line queue_impl::line() const {
    return {.ahead = ahead_of(waiting_.begin()->second->ticket->mine),
            .living = head_->outstanding() - static_cast<std::int64_t>(places_.over.size()),
            .pace = head_->pace,
            .moved_at = head_.moved_at()};
}

protocol::poll_plan::limits queue_impl::pace_limits() {
    const auto unit = core_.unit();
    return {.shortest = options_.poll_interval,
            .longest = options_.longest_poll_interval,
            .after_failures = retry_pause(watch_.polls.failures(), unit),
            .unit = unit};
}

void queue_impl::plan_poll() {
    if (!waiting_.empty()) watch_.polls.plan(line(), pace_limits(), core_.now());
}

void queue_impl::new_lowest() {
    if (waiting_.empty()) return;
    watch_.polls.begin(ahead_of(waiting_.begin()->second->ticket->mine), core_.now());
    plan_poll();
}

boost::asio::awaitable<void> queue_impl::poll() {
    const auto mine = waiting_.begin()->second->ticket->mine;
    if (watch_.polls.begin_poll(ahead_of(mine) <= 1, core_.now())) {
        examined_.look_again.reset();
        co_await examine(mine.from, true);
        plan_poll();
        if (examined_.look_again) watch_.polls.survey_again(*examined_.look_again);
        // A row that is not there may be one that was passed meanwhile.
        if (places_.missing.empty()) co_return;
    }
    const auto before = head_->passed;
    const auto seen = co_await look();
    if (seen.kind == answer::rejected) fail_waiting(seen.why);
    watch_.polls.looked(seen.kind == answer::applied, head_->passed != before);
    plan_poll();
}

// ---- the session before us ---------------------------------------------------------------------------------

dynalease::time_point queue_impl::blocker_due() {
    if (examined_.blocker.empty() || examined_.passed != head_->passed) return dynalease::time_point::max();
    return core_.remotes().watch(examined_.blocker).next_look(examined_.blocked_since, 1);
}

boost::asio::awaitable<void> queue_impl::look_at_blocker() {
    const auto blocker = examined_.blocker;
    const auto failed = co_await core_.remotes().look(blocker);
    if (failed) {
        examined_.blocked_since = core_.now();
        co_await pause(1);
    } else if (core_.remotes().watch(blocker).over()) {
        // There is no more to see of it, so that nothing else would ever be due before the next look at it.
        examined_.blocker.clear();
        examine_again({});
    }
}

void queue_impl::examine_again(std::chrono::nanoseconds after) {
    examined_.next = core_.now() + after;
}

boost::asio::awaitable<void> queue_impl::look_at_sessions(const std::vector<protocol::seen_ticket>& rows,
                                                          std::int64_t until) {
    // Who holds up everybody, and of the others the one least lately looked at.
    std::vector<std::string> line;
    for (const auto& seen : rows) {
        if (seen.row.is_void || seen.row.ticket >= until || seen.owner != protocol::owner_is::other) continue;
        if (std::find(line.begin(), line.end(), seen.row.session) == line.end()) line.push_back(seen.row.session);
    }
    // Only those that are looked at are remembered, so that no crowd makes others forgotten that are being timed.
    const auto last_look = [this](const std::string& session) {
        const auto* watch = core_.remotes().known(session);
        return watch && watch->looked_at() ? watch->last_look() : dynalease::time_point::min();
    };
    std::vector<std::string> chosen;
    if (!line.empty()) chosen.push_back(line.front());
    if (line.size() > 1) {
        chosen.push_back(*std::min_element(line.begin() + 1, line.end(), [&](const auto& one, const auto& other) {
            return last_look(one) < last_look(other);
        }));
    }
    // Where one has died, others may have died with it: for each, two more are looked at, in the order of the line.
    auto next = line.begin();
    protocol::survey_facts found{.surveys = watch_.polls.surveys(), .any_over = false, .lease_ends = {}, .now = {}};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto session = chosen[i];
        const auto lately = core_.remotes().watch(session).lease() / 8;
        const bool is_due = core_.remotes().watch(session).due_for_mark(core_.now()).has_value();
        if (is_due || last_look(session) < core_.now() - lately) co_await core_.remotes().look(session);
        const auto& watch = core_.remotes().watch(session);
        if (!watch.over()) {
            if (watch.looked_at()) found.lease_ends.push_back(watch.lease_end());
            continue;
        }
        found.any_over = true;
        for (int more = 0; more < 2 && next != line.end(); ++next) {
            if (std::find(chosen.begin(), chosen.end(), *next) != chosen.end()) continue;
            chosen.push_back(*next);
            ++more;
        }
    }
    found.now = core_.now();
    const auto again = protocol::next_survey(found);
    if (again) examined_.look_again = std::min(examined_.look_again.value_or(*again), *again);
}

// ---- what stands before us ---------------------------------------------------------------------------------

boost::asio::awaitable<queue_impl::page> queue_impl::examine(std::int64_t until, bool sample) {
    auto rows = sample ? protocol::page_of_survey : protocol::page_of_rows;
    std::optional<page> first;
    bool moved = false;
    for (bool more = true; more; rows = protocol::page_of_survey) {
        const auto passed = head_->passed;
        examined_.passed = passed;
        examine_again(protocol::look_for_row);
        examined_.blocker.clear();
        if (until <= passed + 1) break;
        auto read = co_await read_ahead(passed + 1, until - 1, rows);
        if (!core_.may_write()) break;
        if (!first) first = read;
        if (read.why) {
            if (classify(*read.why) == answer::rejected) fail_waiting(read.why);
            break;
        }
        // What is missing is told by what follows it.
        if (read.rows.empty() && read.more) break;
        const auto read_to = read.more ? read.rows.back().row.ticket + 1 : until;
        protocol::note_missing(places_.missing, read.rows, passed, read_to, core_.now());
        if (sample) {
            std::optional<std::int64_t> all;
            if (!read.more && !waiting_.empty()) all = ahead_of(waiting_.begin()->second->ticket->mine);
            watch_.polls.count_processes(read.rows, head_->passed, all);
            co_await look_at_sessions(read.rows, until);
        }
        for (auto& seen : read.rows) {
            seen.owner = owner_of(seen.row);
            if (seen.row.is_void || seen.owner == protocol::owner_is::over) found_gone(seen.row.ticket);
        }
        auto next = protocol::decide_examine({.passed = passed,
                                              .rows = read.rows,
                                              .until = until,
                                              .missing = places_.missing,
                                              .now = core_.now(),
                                              .bury_after = time_to_bury()});
        const bool passed_over = co_await carry_out(std::move(next));
        moved = moved || passed_over;
        // What was passed over may be followed by more of that kind.
        more = head_->passed > passed && (read.more || places_.missing.since(head_->passed + 1));
    }
    if (moved && core_.may_write()) after_moving();
    co_return first ? *std::move(first) : page();
}

/// @returns whether it has moved `passed`.
boost::asio::awaitable<bool> queue_impl::carry_out(protocol::examine_decision next) {
    using protocol::examine_step;
    bool moved = false;
    switch (next.step) {
        case examine_step::pass:
            moved = co_await pass_over(std::move(next.places));
            break;
        case examine_step::give_up: {
            auto request = requests().cancel_written(next.places.front(), next.attempt);
            const auto seen = co_await put(std::move(request));
            if (seen.kind == answer::applied) examine_again({});
            break;
        }
        case examine_step::watch:
            examined_.blocker = std::move(next.session);
            examined_.blocked_since = core_.now();
            examine_again(protocol::look_at_blocking_row);
            break;
        case examine_step::await:
            if (const auto since = places_.missing.since(next.places.front().ticket)) {
                const auto due = *since + time_to_bury();
                examined_.look_again = std::min(examined_.look_again.value_or(due), due);
                examine_again(std::min<std::chrono::nanoseconds>(protocol::look_for_row, due - core_.now()));
            }
            break;
        case examine_step::bury: {
            // Those far behind may not know yet that it was passed, and its row deleted.
            const auto passed = head_->passed;
            const auto seen = co_await look();
            if (seen.kind != answer::applied || head_->passed != passed) break;
            const bool buried = co_await bury(std::move(next.graves));
            if (buried) {
                moved = co_await pass_over(std::move(next.places));
            } else {
                examine_again(retry_pause(0, core_.unit()));
            }
            break;
        }
        default:
            break;
    }
    co_return moved;
}

boost::asio::awaitable<bool> queue_impl::bury(std::vector<std::int64_t> missing) {
    for (const auto ticket : missing) {
        auto request = requests().bury(ticket);
        const auto seen = co_await put(std::move(request));
        // Refused: its row has landed after all, and is looked at instead.
        if (seen.kind != answer::applied) co_return false;
    }
    co_return true;
}

boost::asio::awaitable<bool> queue_impl::pass_over(std::vector<protocol::place> over) {
    places_.passed_here = std::max(places_.passed_here, over.back().ticket);
    auto request = requests().pass(over);
    const auto seen = co_await send(std::move(request));
    // Without an answer the next look shows whether it was done.
    if (seen.kind != answer::applied) co_return false;
    for (const auto& each : over) leftovers_.discard(each.ticket);
    co_return true;
}

// For tries, which wait for nobody: what this finds is of use to the next of them.
void queue_impl::examine_soon() {
    const auto now = core_.now();
    if (examined_.for_try.running || !head_.known() || head_->free() || now < examined_.for_try.next) return;
    examined_.for_try.next = now + protocol::look_for_row;
    examined_.for_try.running = true;
    if (!start(examine_for_try(self()))) examined_.for_try.running = false;
}

boost::asio::awaitable<void> queue_impl::examine_for_try([[maybe_unused]] queue_target self) {
    co_await examine(head_->tail + 1, true);
    examined_.for_try.running = false;
    examined_.foremost.complete_all({});
}

boost::asio::awaitable<void> queue_impl::see_holder(dynalease::time_point came) {
    const bool found_out = head_.known() && !foremost_is_seen() && examined_.for_try.running;
    if (!found_out) co_return;
    const auto until = core_.now() + protocol::time_to_name(core_.now() - came);
    co_await examined_.foremost.async_wait_until(*core_.world().clock, until,
                                                 boost::asio::as_tuple(boost::asio::deferred));
}

}  // namespace dynalease::detail
