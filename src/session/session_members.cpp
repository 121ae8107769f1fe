// Who lives under one life of a session, and works there.
// SPDX-License-Identifier: BSL-1.0
#include "session/session_members.hpp"

#include "session/hold.hpp"
#include "session/session_impl.hpp"

#include <boost/asio/post.hpp>

namespace dynalease::detail {

session_members::session_members(session_impl& core)
    : core_(core), works_ended_(core.world()), running_(core.world().executor), idle_(core) {}

// ---- any thread --------------------------------------------------------------------------------------------

/// In a forked child a thread that is not there may hold the mutex for ever. There everything ends.
std::unique_lock<std::mutex> session_members::held() const {
    std::unique_lock guard(mutex_, std::defer_lock);
    if (!core_.status().in_child()) guard.lock();
    return guard;
}

std::shared_ptr<session_member> session_members::find(const member_key& key) {
    const auto known = members_.find(key);
    if (known == members_.end()) return nullptr;
    auto alive = known->second.lock();
    if (!alive) members_.erase(known);
    return alive;
}

void session_members::forget(const member_key& key) noexcept {
    const auto guard = held();
    const auto known = members_.find(key);
    // The name may belong to a successor by now.
    if (known != members_.end() && known->first.name.data() == key.name.data()) members_.erase(known);
}

bool session_members::begin_work(const std::shared_ptr<bound_work>& work, hold& grant) {
    const auto guard = held();
    if (refuses_work_) return false;
    works_.insert(work);
    grant.use(true);
    return true;
}

void session_members::end_work(const std::shared_ptr<bound_work>& work, hold& grant) noexcept {
    const auto guard = held();
    works_.erase(work);
    grant.use(false);
    if (!works_.empty() || !refuses_work_ || core_.context_ended()) return;
    boost::asio::post(core_.world().executor, [core = grant.core()] { core->members().works_ended_.wake(); });
}

bool session_members::refuse_work() noexcept {
    const auto guard = held();
    refuses_work_ = true;
    return !works_.empty();
}

// ---- the database's executor -------------------------------------------------------------------------------

std::vector<std::shared_ptr<session_member>> session_members::all() {
    const auto guard = held();
    std::vector<std::shared_ptr<session_member>> alive;
    alive.reserve(members_.size());
    for (const auto& [key, member] : members_) {
        if (auto still = member.lock()) alive.push_back(std::move(still));
    }
    return alive;
}

void session_members::end_works() {
    const auto present = [this] {
        const auto guard = held();
        return works_;
    }();
    for (const auto& each : present) {
        if (const auto work = each.lock()) work->session_closes();
    }
}

boost::asio::awaitable<void> session_members::wait_works_ended(dynalease::time_point until) {
    const auto any = [this] {
        const auto guard = held();
        return !works_.empty();
    };
    while (any() && core_.may_write() && core_.now() < until) co_await works_ended_.wait_until(until);
}

void session_members::tell_long_waits() {
    std::erase_if(waits_, [](const auto& where) {
        const auto there = where.lock();
        return !there || !there->tell_long_wait();
    });
}

void session_members::end() {
    running_.close();
    idle_.clear();
    works_ended_.wake();
}

}  // namespace dynalease::detail
