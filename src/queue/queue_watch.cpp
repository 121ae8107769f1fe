// The watch of one process over a queue: at the pace of the place of the lowest of its waiting tickets.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_watch.hpp"

#include "database/protocol/backoff.hpp"
#include "queue/queue_impl.hpp"
#include "session/protocol/session_watch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

void queue_watch::begin() {
    if (here_.waiting.empty()) return;
    wake();
    if (std::exchange(on_, true)) return;
    if (!front_.start(watch(front_.self()))) on_ = false;
}

boost::asio::awaitable<void> queue_watch::watch([[maybe_unused]] queue_target self) {
    sleep_.emplace(core_.world());
    while (!here_.waiting.empty() && core_.may_write()) {
        const auto mine = here_.lowest();
        const auto places = front_.tell_places();
        if (here_.blocked_by_themselves()) {
            co_await sleep_->wait_until(places);
            continue;
        }
        const bool next_in_line = ahead_of(mine) <= 1;
        if (next_in_line && examined_.passed != view_.head()->passed) examine_again({});
        const auto examination = next_in_line ? examined_.next : dynalease::time_point::max();
        const auto blocker = next_in_line ? blocker_due() : dynalease::time_point::max();
        const auto due = std::min({polls_.next(), examination, blocker, places});
        if (core_.now() < due) {
            co_await sleep_->wait_until(due);
        } else if (due == blocker) {
            co_await look_at_blocker();
        } else if (due == examination) {
            co_await examine(mine.from, false);
        } else {
            co_await poll();
        }
    }
    sleep_.reset();
    on_ = false;
    // One may have come in while this ended.
    if (core_.may_write()) begin();
}

// Whoever has only such before it that are over is next in line, however many they are: it passes them over.
std::int64_t queue_watch::ahead_of(const protocol::place& mine) const {
    return protocol::tickets_ahead(*view_.head(), mine) - view_.places().over_before(mine.from);
}

void queue_watch::found_gone(std::int64_t ticket) {
    if (ticket <= view_.head()->passed || !view_.places().add_over(ticket) || here_.waiting.empty()) return;
    polls_.plan_sooner(line(), pace_limits(), core_.now());
}

protocol::poll_plan::line queue_watch::line() const {
    // A turn of which nobody has said how long turns last here is taken to last since it was seen to begin; where that
    // is known, what was not looked at is no sign that it lasts longer.
    const auto& head = view_.head();
    const auto looked = head->pace.count() > 0 ? head.seen_at() : core_.now();
    return {.ahead = ahead_of(here_.lowest()),
            .living = view_.head()->outstanding() - static_cast<std::int64_t>(view_.places().over.size()),
            .pace = view_.head()->pace,
            .still = looked - head.moved_at()};
}

protocol::poll_plan::limits queue_watch::pace_limits() {
    const auto unit = core_.unit();
    return {.shortest = options_.poll_interval,
            .longest = options_.longest_poll_interval,
            .after_failures = retry_pause(polls_.failures(), unit),
            .unit = unit};
}

void queue_watch::moved() {
    polls_.moved();
    plan_poll();
}

void queue_watch::plan_poll() {
    if (!here_.waiting.empty()) polls_.plan(line(), pace_limits(), core_.now());
}

void queue_watch::new_lowest() {
    if (here_.waiting.empty()) return;
    const auto now = core_.now();
    const auto& leaves_at = here_.waiting.begin()->second->leaves_at;
    const auto patience = leaves_at ? *leaves_at - now : std::chrono::nanoseconds::max();
    polls_.begin(ahead_of(here_.lowest()), now, patience);
    plan_poll();
}

boost::asio::awaitable<void> queue_watch::poll() {
    const auto mine = here_.lowest();
    if (polls_.begin_poll(ahead_of(mine) <= 1, core_.now())) {
        examined_.look_again.reset();
        const auto seen = co_await examine(mine.from, true);
        polls_.surveyed(!seen.why, core_.now());
        if (!here_.waiting.empty()) polls_.plan_after_survey(line(), pace_limits(), core_.now());
        if (examined_.look_again) polls_.survey_again(*examined_.look_again);
        // A row that is not there may be one that was passed meanwhile.
        if (view_.places().missing.empty()) co_return;
    }
    const auto before = view_.head()->passed;
    const auto seen = co_await view_.look();
    if (seen.kind == answer::rejected) front_.fail_waiting(seen.why);
    polls_.looked(seen.kind == answer::applied, view_.head()->passed != before);
    plan_poll();
}

// ---- the session before us ---------------------------------------------------------------------------------

dynalease::time_point queue_watch::blocker_due() {
    if (examined_.blocker.empty() || examined_.passed != view_.head()->passed) return dynalease::time_point::max();
    return core_.remotes().watch(examined_.blocker).next_look(examined_.blocked_since, 1);
}

boost::asio::awaitable<void> queue_watch::look_at_blocker() {
    const auto blocker = examined_.blocker;
    const auto failed = co_await core_.remotes().look(blocker);
    if (failed) {
        examined_.blocked_since = core_.now();
        co_await view_.pause(++examined_.looks_in_vain);
        co_return;
    }
    examined_.looks_in_vain = 0;
    if (core_.remotes().watch(blocker).over()) {
        // There is no more to see of it, so that nothing else would ever be due before the next look at it.
        examined_.blocker.clear();
        examine_again({});
    }
}

std::chrono::nanoseconds queue_watch::time_to_bury() const {
    return protocol::bury_after(core_.options().clock_drift_ppm);
}

void queue_watch::examine_again(std::chrono::nanoseconds after) {
    examined_.next = core_.now() + after;
}

boost::asio::awaitable<void> queue_watch::look_at_sessions(const std::vector<protocol::seen_ticket>& rows,
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
    protocol::survey_facts found{.surveys = polls_.surveys() + 1, .any_over = false, .lease_ends = {}, .now = {}};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const auto session = chosen[i];
        const auto recently = core_.remotes().watch(session).lease() / 8;
        const bool is_due = core_.remotes().watch(session).due_for_mark(core_.now()).has_value();
        if (is_due || last_look(session) < core_.now() - recently) co_await core_.remotes().look(session);
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

boost::asio::awaitable<queue_view::page> queue_watch::examine(std::int64_t until, bool sample) {
    auto rows = sample ? protocol::page_of_survey : protocol::page_of_rows;
    std::optional<queue_view::page> first;
    bool moved = false;
    for (bool more = true; more; rows = protocol::page_of_survey) {
        const auto passed = view_.head()->passed;
        examined_.passed = passed;
        examine_again(protocol::look_for_row);
        examined_.blocker.clear();
        if (until <= passed + 1) break;
        auto read = co_await view_.read_ahead(passed + 1, until - 1, rows);
        if (!core_.may_write()) break;
        if (!first) first = read;
        if (read.why) {
            if (classify(*read.why) == answer::rejected) front_.fail_waiting(read.why);
            break;
        }
        // What is missing is told by what follows it.
        if (read.rows.empty() && read.more) break;
        const auto read_to = read.more ? read.rows.back().row.ticket + 1 : until;
        protocol::note_missing(view_.places().missing, read.rows, passed, read_to, core_.now());
        if (sample) {
            std::optional<std::int64_t> all;
            if (!read.more && !here_.waiting.empty()) all = ahead_of(here_.lowest());
            polls_.count_processes(read.rows, view_.head()->passed, all);
            co_await look_at_sessions(read.rows, until);
        }
        for (auto& seen : read.rows) {
            seen.owner = view_.owner_of(seen.row);
            if (seen.row.is_void || seen.owner == protocol::owner_is::over) found_gone(seen.row.ticket);
        }
        auto next = protocol::decide_examine({.passed = passed,
                                              .rows = read.rows,
                                              .until = read_to,
                                              .missing = view_.places().missing,
                                              .now = core_.now(),
                                              .bury_after = time_to_bury()});
        const bool passed_over = co_await carry_out(std::move(next));
        moved = moved || passed_over;
        // What was passed over may be followed by more of that kind.
        more = view_.head()->passed > passed && (read.more || view_.places().missing.since(view_.head()->passed + 1));
    }
    if (moved && core_.may_write()) mover_.after_moving();
    co_return first ? *std::move(first) : queue_view::page();
}

/// @returns whether it has moved `passed`.
boost::asio::awaitable<bool> queue_watch::carry_out(protocol::examine_decision next) {
    using protocol::examine_step;
    bool moved = false;
    switch (next.step) {
        case examine_step::pass:
            moved = co_await mover_.pass_over(std::move(next.places));
            break;
        case examine_step::give_up: {
            auto request = view_.requests().cancel_written(next.places.front(), next.attempt);
            const auto seen = co_await view_.put(std::move(request));
            if (seen.kind == answer::applied) examine_again({});
            break;
        }
        case examine_step::watch:
            examined_.blocker = std::move(next.session);
            examined_.blocked_since = core_.now();
            examine_again(protocol::look_at_blocking_row);
            break;
        case examine_step::await:
            if (const auto since = view_.places().missing.since(next.places.front().ticket)) {
                const auto due = *since + time_to_bury();
                examined_.look_again = std::min(examined_.look_again.value_or(due), due);
                examine_again(std::min<std::chrono::nanoseconds>(protocol::look_for_row, due - core_.now()));
            }
            break;
        case examine_step::bury: {
            // Those far behind may not know yet that it was passed, and its row deleted; or issued again.
            const auto passed = view_.head()->passed;
            const auto began = view_.head().began();
            const auto seen = co_await view_.look();
            const bool stands = view_.head()->passed == passed && view_.head().began() == began;
            if (seen.kind != answer::applied || !stands) break;
            const auto ended = co_await bury(std::move(next.graves));
            if (ended == answer::applied) {
                moved = co_await mover_.pass_over(std::move(next.places));
            } else {
                // Where a row stands there by now, another may be burying them.
                examine_again(ended == answer::refused ? protocol::look_for_row : retry_pause(0, core_.unit()));
            }
            break;
        }
        default:
            break;
    }
    co_return moved;
}

/// @returns applied, or how the first one ended that was not.
boost::asio::awaitable<answer> queue_watch::bury(std::vector<std::int64_t> missing) {
    for (const auto ticket : missing) {
        auto request = view_.requests().bury(ticket);
        const auto seen = co_await view_.put(std::move(request));
        if (seen.kind == answer::applied) continue;
        // A row that has landed after all is looked at instead, though it may be far behind.
        if (seen.found) view_.places().missing.forget(seen.found->from, ticket);
        co_return seen.kind;
    }
    co_return answer::applied;
}

void queue_watch::examine_soon() {
    const auto now = core_.now();
    if (for_try_.running || !view_.head().known() || view_.head()->free() || now < for_try_.next) return;
    for_try_.next = now + protocol::look_for_row;
    for_try_.running = true;
    if (!front_.start(examine_for_try(front_.self()))) for_try_.running = false;
}

boost::asio::awaitable<void> queue_watch::examine_for_try([[maybe_unused]] queue_target self) {
    co_await examine(view_.head()->tail + 1, true);
    for_try_.running = false;
    view_.foremost_news().complete_all({});
}

boost::asio::awaitable<void> queue_watch::see_holder(dynalease::time_point came) {
    const bool found_out = view_.head().known() && view_.foremost() == nullptr && for_try_.running;
    if (!found_out) co_return;
    const auto until = core_.now() + protocol::time_to_name(core_.now() - came);
    co_await view_.foremost_news().async_wait_until(*core_.world().clock, until,
                                                    boost::asio::as_tuple(boost::asio::deferred));
}

}  // namespace dynalease::detail
