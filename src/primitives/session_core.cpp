// The state behind a `session`: what it tells, and how it ends.
#include "primitives/session_core.hpp"

#include "primitives/fork_count.hpp"
#include "primitives/lock_front.hpp"
#include "primitives/session_options.hpp"
#include "protocol/session_requests.hpp"
#include "protocol/waiting.hpp"
#include "runtime/spawn.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

session_core::session_core(database target, session_options options)
    : database_(std::move(target)),
      options_(checked(std::move(options))),
      id_(world().random->id()),
      born_in_fork_(fork_count()),
      lease_(protocol::lease_times_for(options_.lease, options_.heartbeat, options_.clock_drift_ppm)),
      remotes_(database_, options_.table, id_, counters_),
      work_(world().executor),
      life_(world().executor),
      beat_alarm_(world()),
      deadline_alarm_(world()),
      openers_(world().executor),
      over_waiters_(world().executor),
      close_waiters_(world().executor),
      idle_(*this) {}

session_core::~session_core() = default;

// ---- any thread --------------------------------------------------------------------------------------------

session_state session_core::state() const noexcept {
    const auto said = published_.load();
    if (said != session_state::live) return said;
    // The deadline counts by itself: no timer has to fire, and no coroutine has to run.
    const auto now = this->now().time_since_epoch().count();
    if (fork_count() != born_in_fork_ || now >= deadline_) return session_state::lost;
    return now >= jeopardy_ ? session_state::jeopardy : session_state::live;
}

bool session_core::valid() const noexcept {
    const auto current = state();
    return current == session_state::live || current == session_state::jeopardy;
}

std::shared_ptr<lock_front> session_core::front(std::string name, const lock_options& options) {
    const std::lock_guard hold(fronts_mutex_);
    if (const auto known = fronts_.find(name); known != fronts_.end()) {
        if (auto alive = known->second.lock()) return alive;
        fronts_.erase(known);
    }
    auto made = std::make_shared<lock_front>(*this, std::move(name), options);
    fronts_.emplace(made->name(), made);
    return made;
}

void session_core::forget(const std::string& name) noexcept {
    const std::lock_guard hold(fronts_mutex_);
    const auto known = fronts_.find(name);
    // The name may belong to a successor by now.
    if (known != fronts_.end() && known->first.data() == name.data()) fronts_.erase(known);
}

// ---- the database's executor -------------------------------------------------------------------------------

bool session_core::may_write() const noexcept {
    return !ended_ && fork_count() == born_in_fork_ && lease_.live_at(now());
}

failure session_core::over_failure() const {
    failure why(closing_ ? errc::session_closed : errc::session_lost);
    why.details.table = options_.table;
    return why;
}

void session_core::log(severity level, const std::string& line) const {
    if (options_.log) options_.log(level, "session " + id_ + ": " + line);
}

session_counters session_core::snapshot() const {
    return counters_;
}

std::vector<std::shared_ptr<lock_front>> session_core::all_fronts() {
    const std::lock_guard hold(fronts_mutex_);
    std::vector<std::shared_ptr<lock_front>> alive;
    alive.reserve(fronts_.size());
    for (const auto& [name, front] : fronts_) {
        if (auto still = front.lock()) alive.push_back(std::move(still));
    }
    return alive;
}

void session_core::publish() noexcept {
    using phase = protocol::session_lease::phase;
    deadline_ = lease_.deadline().time_since_epoch().count();
    jeopardy_ = lease_.jeopardy().time_since_epoch().count();
    if (closing_) {
        published_ = session_state::closed;
        return;
    }
    switch (lease_.at(now())) {
        case phase::idle:
            published_ = session_state::idle;
            break;
        case phase::opening:
            published_ = session_state::opening;
            break;
        case phase::live:
        case phase::jeopardy:
            published_ = session_state::live;
            break;
        case phase::lost:
            published_ = session_state::lost;
            break;
        case phase::closed:
            published_ = session_state::closed;
            break;
    }
}

void session_core::lose(const std::string& why) {
    if (ended_) return;
    log(severity::error, "lost: " + why);
    lease_.lose();
    publish();
    auto told = over_failure();
    told.details.message = why;
    for (const auto& front : all_fronts()) front->session_over(told, false);
    end();
}

void session_core::end() {
    ended_ = true;
    work_.close();
    idle_.clear();
    beat_alarm_.wake();
    deadline_alarm_.wake();
    openers_.complete_all({});
    over_waiters_.complete_all({});
}

boost::asio::awaitable<error_code> session_core::wait_over() {
    if (!ended_) {
        auto done = co_await over_waiters_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
        if (!ended_) co_return std::get<0>(done);
    }
    co_return state() == session_state::lost ? make_error_code(errc::session_lost) : error_code();
}

// ---- closing -----------------------------------------------------------------------------------------------

void session_core::begin_close(const close_options& options) {
    if (closing_) return;
    closing_ = true;
    if (ended_) {
        closed_ = true;  // lost before: there is nothing to close
        return;
    }
    publish();
    runtime::spawn_background(world().executor, life_, close(shared_from_this(), options));
}

boost::asio::awaitable<result<close_report>> session_core::wait_closed() {
    if (!closed_) {
        auto done = co_await close_waiters_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
        if (!closed_ && std::get<0>(done)) co_return failure(errc::cancelled);
    }
    co_return report_;
}

boost::asio::awaitable<void> session_core::close([[maybe_unused]] std::shared_ptr<session_core> self,
                                                 close_options options) {
    const auto until = now() + options.timeout;
    if (may_write() && options.release) {
        co_await release_all(until);
        co_await close_row(until);
    } else {
        for (const auto& front : all_fronts()) {
            if (const auto hold = front->session_over(over_failure(), true)) front->leave_to_lease(hold);
        }
    }
    lease_.close();
    publish();
    if (!ended_) end();
    closed_ = true;
    close_waiters_.complete_all({});
}

boost::asio::awaitable<void> session_core::release_all(dynalease::time_point until) {
    std::vector<std::shared_ptr<lock_hold>> holds;
    for (const auto& front : all_fronts()) {
        if (auto hold = front->session_over(over_failure(), true)) {
            front->give_back(hold);
            holds.push_back(std::move(hold));
        }
    }
    co_await work_.wait_idle_until(*world().clock, until);
    for (const auto& hold : holds) {
        const auto& code = hold->finished();
        if (code && !*code) {
            ++report_.released;
        } else {
            report_.failed.push_back({hold->front().name(), code ? *code : make_error_code(errc::timeout)});
        }
    }
}

boost::asio::awaitable<void> session_core::close_row(dynalease::time_point until) {
    runtime::alarm pause(world());
    for (unsigned failures = 0; may_write() && now() < until; ++failures) {
        auto request = protocol::close_session(options_.table, id_, wall());
        auto closed = co_await database_.call(std::move(request), {.timeout = until - now()});
        const bool settled =
            closed || classify(closed.error()) == answer::refused || classify(closed.error()) == answer::rejected;
        if (settled) co_return;
        co_await pause.wait_until(std::min(until, now() + protocol::retry_pause(failures)));
    }
}

}  // namespace dynalease::detail
