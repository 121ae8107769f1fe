// One life of a session: what it tells, and how it ends.
// SPDX-License-Identifier: BSL-1.0
#include "session/session_impl.hpp"

#include "database/protocol/backoff.hpp"
#include "database/protocol/reply.hpp"
#include "runtime/fork_count.hpp"
#include "runtime/spawn.hpp"
#include "session/hold.hpp"
#include "session/protocol/plain_identity.hpp"
#include "session/protocol/session_requests.hpp"
#include "session/session_options.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {

/// A session without a row has no lease that could run out.
constexpr std::chrono::hours for_ever{100 * 365 * 24};

session_options options_without_row(const plain_session_options& options) {
    return {.table = {}, .lease = options.lease, .clock_drift_ppm = options.clock_drift_ppm, .log = options.log};
}

protocol::plain_keeping keeping_of(const plain_session_options& options) {
    return {.times = protocol::lease_times_for(options.lease, options.lease / 3, options.clock_drift_ppm),
            .renew = options.renew};
}

}  // namespace

session_impl::session_impl(database target, session_options options)
    : session_impl(std::move(target), checked(std::move(options)), std::nullopt, {}) {}

session_impl::session_impl(database target, plain_session_options options)
    : session_impl(std::move(target), options_without_row(checked(options)), keeping_of(options), {}) {}

session_impl::session_impl(database target, session_options options, std::optional<protocol::plain_keeping> plain,
                           session_ancestry ancestry)
    : database_(std::move(target)),
      options_(std::move(options)),
      plain_(plain),
      ancestry_(std::move(ancestry)),
      id_(plain ? protocol::plain_identity(world().new_id(), options_.lease) : world().new_id()),
      born_in_fork_(runtime::fork_count()),
      lease_(plain ? protocol::lease_times{.lease = for_ever,
                                           .period = for_ever,
                                           .beat_limit = for_ever,
                                           .jeopardy = for_ever,
                                           .hold = for_ever}
                   : protocol::lease_times_for(options_.lease, options_.heartbeat, options_.clock_drift_ppm)),
      remotes_(database_, *this),
      formers_(*this, std::move(ancestry_.unclosed)),
      context_(runtime::context_end::of(world().executor)),
      work_(world().executor),
      life_(world().executor),
      open_again_(world()),
      beat_alarm_(world()),
      deadline_alarm_(world()),
      works_ended_(world()),
      openers_(world().executor),
      over_waiters_(world().executor),
      close_waiters_(world().executor),
      idle_(*this) {
    if (!plain_) return;
    lease_.open();
    lease_.acknowledge(now(), now());
    publish();
}

session_impl::~session_impl() = default;

// ---- any thread --------------------------------------------------------------------------------------------

session_state session_impl::state() const noexcept {
    auto said = published_.load();
    if (close_announced_ && said != session_state::lost) said = session_state::closed;
    return said == session_state::live ? by_lease() : said;
}

session_state session_impl::by_lease() const noexcept {
    // The deadline counts by itself: no timer has to fire, and no coroutine has to run.
    const auto now = this->now().time_since_epoch().count();
    if (runtime::fork_count() != born_in_fork_ || now >= deadline_) return session_state::lost;
    return now >= jeopardy_ ? session_state::jeopardy : session_state::live;
}

bool session_impl::may_be_followed() const noexcept {
    return options_.begins_anew && !for_good_ && runtime::fork_count() == born_in_fork_;
}

std::shared_ptr<session_impl> session_impl::next() const {
    session_ancestry ancestry{
        .counters = ancestry_.counters, .number = ancestry_.number + 1, .unclosed = formers_.ids()};
    if (!row_is_told_) ancestry.unclosed.push_back(id_);
    return std::make_shared<session_impl>(database_, options_, plain_, std::move(ancestry));
}

void session_impl::announce_close(bool drains) noexcept {
    // In a forked child nothing goes on, and a thread that is not there may have the mutex.
    std::unique_lock hold(members_mutex_, std::defer_lock);
    if (runtime::fork_count() == born_in_fork_) hold.lock();
    // Lost is final.
    if (close_announced_ || state() == session_state::lost) return;
    draining_ = drains && !works_.empty();
    close_announced_ = true;
}

bool session_impl::keeps_while_closing(bool in_use) const noexcept {
    const bool closes = state() == session_state::closed && (in_use || draining_);
    return closes && by_lease() != session_state::lost;
}

bool session_impl::valid() const noexcept {
    const auto current = state();
    return current == session_state::live || current == session_state::jeopardy;
}

std::shared_ptr<session_member> session_impl::find_member(const member_key& key) {
    const auto known = members_.find(key);
    if (known == members_.end()) return nullptr;
    auto alive = known->second.lock();
    if (!alive) members_.erase(known);
    return alive;
}

void session_impl::forget(const member_key& key) noexcept {
    const std::lock_guard hold(members_mutex_);
    const auto known = members_.find(key);
    // The name may belong to a successor by now.
    if (known != members_.end() && known->first.name.data() == key.name.data()) members_.erase(known);
}

bool session_impl::begin_work(const std::shared_ptr<bound_work>& work, hold& grant) {
    const std::lock_guard guard(members_mutex_);
    if (close_announced_ || published_ == session_state::closed) return false;
    works_.insert(work);
    grant.use(true);
    return true;
}

void session_impl::end_work(const std::shared_ptr<bound_work>& work, hold& grant) noexcept {
    const std::lock_guard guard(members_mutex_);
    works_.erase(work);
    grant.use(false);
    if (!works_.empty() || !close_announced_ || context_->reached()) return;
    boost::asio::post(world().executor, [self = shared_from_this()] { self->works_ended_.wake(); });
}

// ---- the database's executor -------------------------------------------------------------------------------

bool session_impl::may_write() const noexcept {
    return !ended_ && runtime::fork_count() == born_in_fork_ && lease_.live_at(now());
}

failure session_impl::over_failure() const {
    const bool closed = closing_ || state() == session_state::closed;
    failure why(closed ? errc::session_closed : errc::session_lost);
    why.details.table = options_.table;
    return why;
}

void session_impl::heed(const failure& why) {
    if (why.code == errc::shut_down) lose("the client was closed", loss::for_good);
}

failure session_impl::given_up(error_code waited, bool may_land) const {
    if (may_land) return failure(errc::in_doubt);
    auto over = over_failure();
    // In the next life the caller would have waited on.
    const bool tells = over.code == errc::session_closed || !may_be_followed();
    if (!live() && tells) return over;
    return failure(waited == boost::asio::error::timed_out ? errc::wait_timeout : errc::cancelled);
}

void session_impl::log(severity level, const std::string& line) const {
    if (options_.log) options_.log(level, "session " + id_ + ": " + line);
}

std::vector<std::shared_ptr<session_member>> session_impl::all_members() {
    const std::lock_guard hold(members_mutex_);
    std::vector<std::shared_ptr<session_member>> alive;
    alive.reserve(members_.size());
    for (const auto& [key, member] : members_) {
        if (auto still = member.lock()) alive.push_back(std::move(still));
    }
    return alive;
}

void session_impl::publish() noexcept {
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

void session_impl::tell(session_state now) {
    // Closed from the call on, as `state` says; told at the end.
    if (closing_ && now != session_state::closed) return;
    if (std::exchange(told_, now) != now && options_.on_state) options_.on_state(now);
}

void session_impl::lose(const std::string& why) {
    lose(why, loss::told);
}

void session_impl::lose(const std::string& why, loss how) {
    if (ended_) return;
    for_good_ = how == loss::for_good;
    row_is_told_ = plain_ || how != loss::ran_out;
    ++counters().lives_lost;
    log(severity::error,
        "lost: " + why + (may_be_followed() && !closing_ ? "; with the next lease it begins anew" : ""));
    lease_.lose();
    publish();
    auto told = over_failure();
    told.details.message = why;
    for (const auto& member : all_members()) member->session_lost(told);
    end();
    lost_ = true;
    tell(session_state::lost);
}

void session_impl::end() {
    ended_ = true;
    work_.close();
    idle_.clear();
    open_again_.wake();
    beat_alarm_.wake();
    deadline_alarm_.wake();
    works_ended_.wake();
    openers_.session_ends();
    over_waiters_.complete_all({});
}

void session_impl::tell_long_waits() {
    std::erase_if(waits_, [](const auto& where) {
        const auto there = where.lock();
        return !there || !there->tell_long_wait();
    });
}

boost::asio::awaitable<error_code> session_impl::wait_over() {
    if (!ended_) {
        auto done = co_await over_waiters_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
        if (!ended_) co_return std::get<0>(done);
    }
    co_return state() == session_state::lost ? make_error_code(errc::session_lost) : error_code();
}

}  // namespace dynalease::detail
