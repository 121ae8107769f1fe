// The watch: looks at the queue for the lowest waiting ticket of this process, at the pace of its place.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "queue/queue_impl.hpp"
#include "session/protocol/session_watch.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace dynalease::detail {

void queue_impl::watch_on() {
    if (waiting_.empty()) return;
    if (sleep_) sleep_->wake();
    if (std::exchange(watching_, true)) return;
    if (!start(watch(self()))) watching_ = false;
}

boost::asio::awaitable<void> queue_impl::watch([[maybe_unused]] queue_target self) {
    sleep_.emplace(core_.world());
    while (!waiting_.empty() && core_.may_write()) {
        const auto mine = waiting_.begin()->second->ticket->mine;
        if (blocked_by_ourselves()) {
            co_await sleep_->wait_until(dynalease::time_point::max());
            continue;
        }
        const bool next_in_line = ahead_of(mine) <= 1;
        if (next_in_line && examined_ != head_.passed) examine_again({});
        const auto examination = next_in_line ? next_examination_ : dynalease::time_point::max();
        const auto blocker = next_in_line ? blocker_due() : dynalease::time_point::max();
        const auto due = std::min({next_poll_, examination, blocker});
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
    watching_ = false;
    // One may have come in while this ended.
    if (core_.may_write()) watch_on();
}

// Our own turn, or the end of it, tells when the next one of ours begins.
bool queue_impl::blocked_by_ourselves() const {
    const auto next = waiting_.begin()->second->ticket->mine.from;
    if (leaving_ && leaving_->ticket + 1 == next) return true;
    const auto hold = hold_.lock();
    return hold && hold->mine().ticket + 1 == next;
}

// Whoever has only such before it that are over is next in line, however many they are: it passes them over.
std::int64_t queue_impl::ahead_of(const protocol::place& mine) const {
    return protocol::tickets_ahead(head_, mine) -
           (std::lower_bound(gone_.begin(), gone_.end(), mine.from) - gone_.begin());
}

void queue_impl::found_gone(std::int64_t ticket) {
    const auto where = std::lower_bound(gone_.begin(), gone_.end(), ticket);
    if (ticket <= head_.passed || (where != gone_.end() && *where == ticket)) return;
    gone_.insert(where, ticket);
    const auto planned = next_poll_;
    plan_poll();
    next_poll_ = std::min(planned, next_poll_);
}

void queue_impl::plan_poll() {
    if (waiting_.empty()) return;
    const auto now = core_.now();
    const auto ahead = std::max<std::int64_t>(1, ahead_of(waiting_.begin()->second->ticket->mine));
    const auto living = head_.outstanding() - static_cast<std::int64_t>(gone_.size());
    const auto processes_ahead = 1 + processes_of(ahead - 1);
    auto interval =
        protocol::next_poll({.ahead = ahead,
                             .processes_ahead = processes_ahead,
                             .processes = processes_ahead + processes_of(std::max<std::int64_t>(living - ahead, 1)),
                             .pace = head_.pace,
                             .still = now - moved_at_},
                            options_.poll_interval, options_.longest_poll_interval, core_.world().random->unit());
    if (failed_polls_ > 0) interval = std::max(interval, retry_pause(failed_polls_));
    next_poll_ = now + interval;
    if (survey_due_ && failed_polls_ == 0) next_poll_ = std::min(next_poll_, *survey_due_);
}

// Of those who stand before it nothing is known: neither how many processes they are nor whether they live.
void queue_impl::new_lowest() {
    if (waiting_.empty()) return;
    crowd_ = {};
    surveys_ = 0;
    survey_due_.reset();
    if (ahead_of(waiting_.begin()->second->ticket->mine) > 1) survey_due_ = core_.now() + protocol::survey_within;
    plan_poll();
}

void queue_impl::count_processes(const std::vector<protocol::seen_ticket>& rows) {
    std::unordered_set<std::string_view> sessions;
    crowd_ = {};
    for (const auto& seen : rows) {
        // Whose turn it is does not look.
        const bool waits = seen.owner == protocol::owner_is::other && seen.row.from > head_.passed + 1;
        if (!waits || seen.row.is_void) continue;
        sessions.insert(seen.row.session);
        ++crowd_.tickets;
    }
    crowd_.processes = static_cast<std::int64_t>(sessions.size());
}

// As many as the tickets, as long as nothing is known.
std::int64_t queue_impl::processes_of(std::int64_t tickets) const {
    if (crowd_.tickets == 0) return tickets;
    return (tickets * crowd_.processes + crowd_.tickets - 1) / crowd_.tickets;
}

boost::asio::awaitable<void> queue_impl::poll() {
    const auto mine = waiting_.begin()->second->ticket->mine;
    const bool next_in_line = ahead_of(mine) <= 1;
    const bool survey_due = survey_due_ && core_.now() >= *survey_due_;
    if (survey_due) survey_due_.reset();
    if (!next_in_line && (survey_due || still_polls_ >= protocol::still_polls_per_examination)) {
        still_polls_ = 0;
        look_again_.reset();
        ++surveys_;
        co_await examine(mine.from, true);
        plan_poll();
        if (look_again_) {
            survey_due_ = look_again_;
            next_poll_ = std::min(next_poll_, *look_again_);
        }
        // A row that is not there may be one that was passed meanwhile.
        if (missing_.empty()) co_return;
    }
    const auto before = head_.passed;
    const auto seen = co_await look();
    if (seen.kind == answer::rejected) fail_waiting(seen.why);
    failed_polls_ = seen.kind == answer::applied ? 0 : failed_polls_ + 1;
    if (head_.passed == before) ++still_polls_;
    plan_poll();
}

// ---- the session before us ---------------------------------------------------------------------------------

dynalease::time_point queue_impl::blocker_due() {
    if (blocker_.empty() || examined_ != head_.passed) return dynalease::time_point::max();
    return core_.remotes().watch(blocker_).next_look(blocked_since_, 1);
}

boost::asio::awaitable<void> queue_impl::look_at_blocker() {
    const auto blocker = blocker_;
    const auto failed = co_await core_.remotes().look(blocker);
    if (failed) {
        blocked_since_ = core_.now();
        co_await pause(1);
    } else if (core_.remotes().watch(blocker).over()) {
        // There is no more to see of it, so that nothing else would ever be due before the next look at it.
        blocker_.clear();
        examine_again({});
    }
}

void queue_impl::examine_again(std::chrono::nanoseconds after) {
    next_examination_ = core_.now() + after;
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
    protocol::survey_facts found{.surveys = surveys_, .any_over = false, .lease_ends = {}, .now = {}};
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
    if (again) look_again_ = std::min(look_again_.value_or(*again), *again);
}

// ---- what stands before us ---------------------------------------------------------------------------------

boost::asio::awaitable<queue_impl::page> queue_impl::examine(std::int64_t until, bool sample) {
    auto rows = sample ? protocol::page_of_survey : protocol::page_of_rows;
    std::optional<page> first;
    bool moved = false;
    for (bool more = true; more; rows = protocol::page_of_survey) {
        const auto passed = head_.passed;
        examined_ = passed;
        examine_again(protocol::look_for_row);
        blocker_.clear();
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
        protocol::note_missing(missing_, read.rows, passed, read_to, core_.now());
        if (sample) {
            count_processes(read.rows);
            // Where these are all rows there are, nobody waits with the other tickets: they were never written down.
            const bool waits = !read.more && !waiting_.empty();
            if (waits) crowd_.tickets = std::max(crowd_.tickets, ahead_of(waiting_.begin()->second->ticket->mine) - 1);
            co_await look_at_sessions(read.rows, until);
        }
        for (auto& seen : read.rows) {
            seen.owner = owner_of(seen.row);
            if (seen.row.is_void || seen.owner == protocol::owner_is::over) found_gone(seen.row.ticket);
        }
        auto next = protocol::decide_examine({.passed = passed,
                                              .rows = read.rows,
                                              .until = until,
                                              .missing = missing_,
                                              .now = core_.now(),
                                              .bury_after = time_to_bury()});
        const bool passed_over = co_await carry_out(std::move(next));
        moved = moved || passed_over;
        // What was passed over may be followed by more of that kind.
        more = head_.passed > passed && (read.more || missing_.since(head_.passed + 1));
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
            blocker_ = std::move(next.session);
            blocked_since_ = core_.now();
            examine_again(protocol::look_at_blocking_row);
            break;
        case examine_step::await:
            if (const auto since = missing_.since(next.places.front().ticket)) {
                const auto due = *since + time_to_bury();
                look_again_ = std::min(look_again_.value_or(due), due);
                examine_again(std::min<std::chrono::nanoseconds>(protocol::look_for_row, due - core_.now()));
            }
            break;
        case examine_step::bury: {
            // Those far behind may not know yet that it was passed, and its row deleted.
            const auto passed = head_.passed;
            const auto seen = co_await look();
            if (seen.kind != answer::applied || head_.passed != passed) break;
            const bool buried = co_await bury(std::move(next.graves));
            if (buried) {
                moved = co_await pass_over(std::move(next.places));
            } else {
                examine_again(retry_pause(0));
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
    passed_here_ = std::max(passed_here_, over.back().ticket);
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
    if (examining_for_try_ || !head_known_ || head_.free() || now < next_try_examination_) return;
    next_try_examination_ = now + protocol::look_for_row;
    examining_for_try_ = true;
    if (!start(examine_for_try(self()))) examining_for_try_ = false;
}

boost::asio::awaitable<void> queue_impl::examine_for_try([[maybe_unused]] queue_target self) {
    co_await examine(head_.tail + 1, true);
    examining_for_try_ = false;
}

}  // namespace dynalease::detail
