// How a life of a session is closed: its work ends, its grants are given back, and its row says so.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "database/protocol/reply.hpp"
#include "runtime/spawn.hpp"
#include "session/protocol/session_requests.hpp"
#include "session/session_impl.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {

/// For the write that frees at once whatever could not be released in time.
constexpr std::chrono::seconds longest_row_closing{1};
constexpr std::chrono::milliseconds longest_closing = std::chrono::hours(24);

}  // namespace

void session_impl::begin_close(const close_options& options) {
    if (closing_) return;
    closing_ = true;
    if (ended_) {
        closed_ = true;  // lost before: there is nothing to close
        report_.row = errc::session_lost;
        close_waiters_.complete_all({});
        return;
    }
    publish();
    // Now, whatever becomes of the request that is to open it.
    openers_.tell_all(std::make_shared<const failure>(over_failure()));
    open_again_.wake();
    runtime::spawn_background(world().executor, life_, close(shared_from_this(), options));
}

void session_impl::tell_works() {
    const auto present = [this] {
        const std::lock_guard guard(members_mutex_);
        return works_;
    }();
    for (const auto& each : present) {
        if (const auto work = each.lock()) work->session_closes();
    }
}

bool session_impl::has_works() {
    const std::lock_guard guard(members_mutex_);
    return !works_.empty();
}

boost::asio::awaitable<void> session_impl::let_works_end(dynalease::time_point until) {
    for (;;) {
        const bool goes_on = has_works() && may_write() && now() < until;
        if (!goes_on) break;
        co_await works_ended_.wait_until(until);
    }
}

boost::asio::awaitable<result<close_report>> session_impl::wait_closed() {
    if (!closed_) {
        auto done = co_await close_waiters_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
        if (!closed_ && std::get<0>(done)) co_return failure(errc::cancelled);
    }
    co_return report_;
}

boost::asio::awaitable<void> session_impl::close([[maybe_unused]] std::shared_ptr<session_impl> self,
                                                 close_options options) {
    const auto began = now();
    const auto timeout = std::clamp(options.timeout, std::chrono::milliseconds::zero(), longest_closing);
    const auto until = began + timeout;
    const auto reserve = std::min<std::chrono::nanoseconds>(timeout / 2, longest_row_closing);
    const bool ran_out = lease_.at(now()) == protocol::session_lease::phase::lost;
    if (ran_out && !plain_) formers_.add(id_);  // nobody has said so yet, and no other life will
    if (lease_.at(now()) == protocol::session_lease::phase::opening) {
        // The row may be on its way: known to be there, it can be closed; left alone it would stay alive for ever.
        co_await openers_.of(false).async_wait_until(*world().clock, until,
                                                     boost::asio::as_tuple(boost::asio::deferred));
    }
    if (options.release) {
        for (const auto& member : all_members()) member->session_drains(over_failure());
        co_await let_works_end(began + timeout / 2);
    }
    draining_ = false;
    tell_works();
    if (may_write() && options.release) {
        const bool idle = co_await release_all(until - reserve);
        // Work that did not end keeps its grant until the lease is over: closing the row would free that at once.
        if (!plain_) report_.row = errc::session_closed;
        if (!plain_ && idle) co_await close_row(until);
    } else {
        leave_all();
    }
    if (options.release) co_await formers_.close(until);
    if (!report_.row && !formers_.ids().empty()) report_.row = errc::session_lost;
    lease_.close();
    publish();
    if (!ended_) end();
    closed_ = true;
    close_waiters_.complete_all({});
    tell(session_state::closed);
}

/// Until what was begun has ended. @returns whether no work goes on
boost::asio::awaitable<bool> session_impl::release_all(dynalease::time_point until) {
    const auto members = all_members();
    std::vector<std::shared_ptr<pending_release>> under_way;
    for (const auto& member : members) member->session_closes(over_failure(), true, under_way);
    bool idle = true;
    for (const auto& grant : under_way) {
        if (grant->in_use()) co_await grant->wait_finished_until(until);
        idle = idle && !grant->in_use();
    }
    co_await work_.wait_idle_until(*world().clock, until);
    for (const auto& grant : under_way) {
        const auto& code = grant->finished();
        if (code && !*code) {
            ++report_.released;
        } else {
            const auto untold = make_error_code(grant->in_use() ? errc::session_closed : errc::in_doubt);
            report_.failed.push_back({grant->name(), code ? *code : untold});
        }
    }
    for (const auto& member : members) {
        const auto named = [&](const auto& each) { return each.name == member->title(); };
        const bool untold = member->unsettled() && std::ranges::none_of(report_.failed, named);
        if (untold) report_.failed.push_back({member->title(), errc::in_doubt});
    }
    co_return idle;
}

/// Without a request.
void session_impl::leave_all() {
    std::vector<std::shared_ptr<pending_release>> left;
    for (const auto& member : all_members()) member->session_closes(over_failure(), false, left);
    for (const auto& grant : left) report_.failed.push_back({grant->name(), errc::session_closed});
    if (may_write() && !plain_) report_.row = errc::session_closed;
}

boost::asio::awaitable<void> session_impl::close_row(dynalease::time_point until) {
    report_.row = may_write() ? errc::session_closed : errc::session_lost;
    runtime::alarm pause(world());
    for (unsigned failures = 0; may_write() && now() < until; ++failures) {
        auto request = protocol::close_session(options_.table, id_, wall());
        auto closed = co_await database_.call(std::move(request), {.timeout = until - now()});
        const auto kind = closed ? answer::applied : classify(closed.error());
        report_.row = was_answered(kind) ? error_code() : closed.error().code;
        if (was_answered(kind) || kind == answer::rejected) co_return;
        co_await pause.wait_until(std::min(until, now() + retry_pause(failures, unit())));
    }
}

}  // namespace dynalease::detail
