// What lives under one life of a session: its members, and the work that is done under their grants.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/alarm.hpp"
#include "runtime/gate.hpp"
#include "session/idle_claims.hpp"
#include "session/session_member.hpp"

#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynalease::detail {

class hold;
class session_impl;

class session_members {
public:
    explicit session_members(session_impl& core);

    // ---- any thread ----
    /// The member of that name, made if there is none: `Member(core, name, options)`.
    template <class Member, class Options>
    std::shared_ptr<Member> member(std::string name, const Options& options) {
        std::shared_ptr<Member> made;  // where it cannot be kept it ends after the guard: its end takes the mutex, too
        const auto guard = held();
        if (auto known = find({&Member::membership, name})) return std::static_pointer_cast<Member>(std::move(known));
        made = std::make_shared<Member>(core_, std::move(name), options);
        members_.emplace(made->key(), made);
        return made;
    }
    /// By the member's destructor.
    void forget(const member_key& key) noexcept;
    /// From here to `end_work` the session tells `work` when it closes, and `grant` is given back by its guard alone.
    /// @returns false after `refuse_work`.
    bool begin_work(const std::shared_ptr<bound_work>& work, hold& grant);
    void end_work(const std::shared_ptr<bound_work>& work, hold& grant) noexcept;
    /// None begins from here on. @returns whether any goes on
    bool refuse_work() noexcept;

    // ---- the database's executor ----
    std::vector<std::shared_ptr<session_member>> all();
    /// Tells all work that the session closes.
    void end_works();
    /// Completes when no work goes on, or nothing can be written any more; at `until` at the latest.
    boost::asio::awaitable<void> wait_works_ended(dynalease::time_point until);
    /// From now on it is asked with each heartbeat whether somebody waits there for too long.
    void note_wait(std::weak_ptr<session_member> where) { waits_.push_back(std::move(where)); }
    void tell_long_waits();
    /// The members' own coroutines.
    runtime::gate& running() noexcept { return running_; }
    idle_claims& idle() noexcept { return idle_; }
    /// Nothing is sent for any of them any more.
    void end();

private:
    struct key_hash {
        std::size_t operator()(const member_key& key) const noexcept {
            return std::hash<std::string_view>()(key.name) + std::hash<const void*>()(key.kind);
        }
    };
    std::shared_ptr<session_member> find(const member_key& key);
    std::unique_lock<std::mutex> held() const;

    session_impl& core_;
    mutable std::mutex mutex_;                                                         ///< of the next three
    std::unordered_map<member_key, std::weak_ptr<session_member>, key_hash> members_;  ///< keys: the members' own names
    /// Kept by what runs: kept here, they would keep us where no loop runs any more.
    std::set<std::weak_ptr<bound_work>, std::owner_less<>> works_;
    bool refuses_work_ = false;

    runtime::alarm works_ended_;
    std::vector<std::weak_ptr<session_member>> waits_;
    runtime::gate running_;
    idle_claims idle_;  ///< last: its members ask to be forgotten when they go
};

}  // namespace dynalease::detail
