// How a life of a session is closed: its work ends, its grants are given back, and its row says so.
// SPDX-License-Identifier: BSL-1.0
#include "session/session_closing.hpp"

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

boost::asio::awaitable<void> wait_finished(const std::vector<std::shared_ptr<pending_release>>& grants,
                                           dynalease::time_point until) {
    for (const auto& grant : grants) {
        if (!grant->finished()) co_await grant->wait_finished_until(until);
    }
}

}  // namespace

session_closing::session_closing(session_impl& core) : core_(core), waiters_(core.world().executor) {}

void session_closing::announced() noexcept {
    if (!before_) before_ = core_.counted();
}

void session_closing::begin(const close_options& options) {
    if (core_.status().closing()) return;
    if (core_.status().in_child()) core_.notice_loss();
    core_.status().begin_close();
    if (core_.status().ended()) {  // lost before: there is nothing to give back
        if (core_.formers().any_left()) report_.row = errc::session_lost;
        list(core_.formers().grants());
        count();
        end();
        return;
    }
    core_.opening().session_closes();
    runtime::spawn_background(core_.world().executor, core_.life(), run(core_.shared_from_this(), options));
}

/// Each that was held is in one of the three, whichever way it went after it was first told of.
void session_closing::count() {
    const auto now = core_.counted();
    report_.released = now.released + now.hand_overs - before_->released - before_->hand_overs;
    report_.lost = now.lost - before_->lost;
    for (auto& each : unreleased_) {
        const bool counted = each.grant && (each.grant->returned() || each.grant->lost());
        if (counted) continue;
        if (each.grant) each.told.code = each.grant->finished().value_or(each.told.code);
        report_.failed.push_back(std::move(each.told));
    }
    unreleased_.clear();
    grants_.clear();
}

void session_closing::end() {
    done_ = true;
    waiters_.complete_all({});
}

boost::asio::awaitable<result<close_report>> session_closing::wait() {
    if (!done_) {
        auto done = co_await waiters_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
        if (!done_ && std::get<0>(done)) co_return failure(errc::cancelled);
    }
    co_return report_;
}

boost::asio::awaitable<void> session_closing::run([[maybe_unused]] std::shared_ptr<session_impl> self,
                                                  close_options options) {
    auto& members = core_.members();
    // They keep us: where the loop ends before this does, nobody else lets go of them.
    struct letting_go {
        session_closing& by;
        ~letting_go() {
            by.grants_.clear();
            by.unreleased_.clear();
        }
    };
    const letting_go at_the_end{*this};
    const auto timeout = std::clamp(options.timeout, std::chrono::milliseconds::zero(), longest_closing);
    const auto began = core_.now();
    const auto until = began + timeout;
    const auto reserve = std::min<std::chrono::nanoseconds>(timeout / 4, longest_row_closing);
    core_.notice_loss();
    const auto formers = core_.formers().grants();  // of this life, too, if it was lost just now
    if (!core_.status().ended()) {
        for (const auto& member : members.all()) member->list_grants(grants_);
    }
    if (options.release) {
        // The row may be on its way: known to be there, it can be closed; left alone it would stay alive for ever.
        co_await core_.opening().wait_ended(until);
        for (const auto& member : members.all()) member->session_drains(core_.over_failure());
        co_await members.wait_works_ended(began + timeout / 2);
        if (options.waits_for_guards) co_await wait_finished(grants_, began + timeout / 2);
    }
    core_.status().end_draining();
    members.end_works();
    bool idle = true;
    if (core_.may_write() && options.release) {
        idle = co_await release_all(until - reserve);
    } else {
        leave_all();
    }
    co_await end_rows(options.release, idle, until);
    // Nothing can be sent for them any more; but what was, may be answered yet.
    if (options.release) co_await wait_finished(formers, until);
    list(formers);
    count();
    core_.end_by_closing();
    end();
    core_.tell(session_state::closed);
}

/// Those of this life, and of the former. @param idle no work goes on under it
boost::asio::awaitable<void> session_closing::end_rows(bool release, bool idle, dynalease::time_point until) {
    auto& row = report_.row;
    const bool stands = core_.may_write() && !core_.plain();
    if (stands) row = errc::session_closed;
    // Work that did not end keeps its grant until the lease is over: closing the row would free that at once.
    if (stands && release && idle) co_await close_row(until);
    core_.notice_loss();
    // Lost meanwhile, its row is told of with those of the former lives.
    if (core_.status().ended()) row = {};
    if (release) co_await core_.formers().close(until);
    if (!row && core_.formers().any_left()) row = errc::session_lost;
    if (row || !core_.opening().row_in_doubt()) co_return;
    row = errc::in_doubt;
    // Nobody asked for it, and nobody waits for it to go; but if it stands there it would for ever.
    if (release) runtime::spawn_background(core_.world().executor, core_.life(), close_late(core_.shared_from_this()));
}

/// Until what was begun has ended. @returns whether no work goes on
boost::asio::awaitable<bool> session_closing::release_all(dynalease::time_point until) {
    const auto members = core_.members().all();
    for (const auto& member : members) member->session_closes(core_.over_failure(), true);
    bool idle = true;
    for (const auto& grant : grants_) {
        // Also one that was let go on another thread a moment ago, whose giving back has not begun.
        if (!grant->finished()) co_await grant->wait_finished_until(until);
        idle = idle && !grant->in_use();
    }
    co_await core_.members().running().wait_idle_until(*core_.world().clock, until);
    list_unreleased(members);
    co_return idle;
}

/// Without a request.
void session_closing::leave_all() {
    list_unreleased({});
    for (const auto& member : core_.members().all()) member->session_closes(core_.over_failure(), false);
}

void session_closing::list_unreleased(const std::vector<std::shared_ptr<session_member>>& members) {
    list(grants_);
    for (const auto& member : members) {
        const auto named = [&](const auto& each) { return each.told.name == member->title(); };
        const bool unheard_of = member->unsettled() && std::ranges::none_of(unreleased_, named);
        if (unheard_of) unreleased_.push_back({{member->title(), errc::in_doubt}});
    }
}

void session_closing::list(const std::vector<std::shared_ptr<pending_release>>& grants) {
    for (const auto& grant : grants) {
        if (grant->returned() || grant->lost()) continue;
        const auto unknown = make_error_code(grant->kept() ? errc::session_closed : errc::in_doubt);
        unreleased_.push_back({{grant->name(), grant->finished().value_or(unknown)}, grant});
    }
}

boost::asio::awaitable<void> session_closing::close_row(dynalease::time_point until) {
    core_.heartbeat().stop();
    runtime::alarm pause(core_.world());
    for (unsigned failures = 0; core_.may_write() && core_.now() < until; ++failures) {
        auto request = protocol::close_session(core_.table(), core_.id(), core_.wall());
        auto closed = co_await core_.target().call(std::move(request), {.timeout = until - core_.now()});
        const auto kind = closed ? answer::applied : classify(closed.error());
        report_.row = was_answered(kind) ? error_code() : closed.error().code;
        if (was_answered(kind)) core_.end_by_closing();
        if (was_answered(kind) || kind == answer::rejected) co_return;
        co_await pause.wait_until(std::min(until, core_.now() + retry_pause(failures, core_.unit())));
    }
}

boost::asio::awaitable<void> session_closing::close_late(std::shared_ptr<session_impl> self) {
    auto request = protocol::close_session(self->table(), self->id(), self->wall());
    const call_options once{.timeout = self->status().times().beat_limit};
    co_await self->target().call(std::move(request), once);
}

}  // namespace dynalease::detail
