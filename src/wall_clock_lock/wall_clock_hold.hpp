// One item locked by the wall clock: what a `wall_clock_guard` points to, and what all of a lock's handles share.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "runtime/context_end.hpp"
#include "runtime/gate.hpp"
#include "runtime/own_process.hpp"
#include "runtime/waiter_list.hpp"
#include "session/grant_reporter.hpp"
#include "wall_clock_lock/protocol/wall_clock.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/wall_clock_lock.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

class wall_clock_impl : public std::enable_shared_from_this<wall_clock_impl> {
public:
    /// @throws dynalease::error for a name, a key or an option that cannot be.
    wall_clock_impl(database where, item_ref target, wall_clock_options options);

    // ---- any thread ----
    const environment& world() const noexcept { return database_.environment(); }
    dynalease::time_point now() const noexcept { return world().clock->now(); }
    /// For destructors: nothing can be posted any more.
    bool context_ended() const noexcept { return context_->reached(); }
    const std::string& name() const noexcept { return name_; }
    const wall_clock_options& options() const noexcept { return options_; }
    const protocol::wall_clock_place& place() const noexcept { return place_; }
    const protocol::wall_clock_times& times() const noexcept { return times_; }

    // ---- the database's executor ----
    wall_time wall() const noexcept { return database_.wall(); }
    struct answered {
        answer kind = answer::delayed;
        protocol::wall_clock_state lock{};
        dynalease::item whole{};
        failure why{};
        bool doubtful = false;  ///< a copy before had no answer
    };
    /// Until when, and in which process, something goes on: in a forked child nothing is sent for its parent.
    struct course {
        dynalease::time_point limit;
        runtime::own_process process;
    };
    /// One copy. In a child it is rejected, with `errc::shut_down`.
    boost::asio::awaitable<answered> send(update_item_request request, course within);
    /// Copies of one write until one is answered. What has no answer by the limit stays in doubt.
    boost::asio::awaitable<answered> send_until_known(update_item_request request, course within);
    /// Goes on until it is answered, or the lock is over for everybody. @param tell what became of it, each time
    boost::asio::awaitable<void> give_back(update_item_request request, course within,
                                           std::function<void(error_code)> tell);
    /// Of claims without an answer, any of which may have locked the item.
    void take_back_in_background(std::vector<protocol::wall_clock_claim> unanswered, runtime::own_process process);
    runtime::gate& work() noexcept { return work_; }

private:
    boost::asio::awaitable<void> take_back(std::shared_ptr<wall_clock_impl> self,
                                           std::vector<protocol::wall_clock_claim> unanswered,
                                           runtime::own_process process);

    database database_;
    wall_clock_options options_;
    std::string name_;
    protocol::wall_clock_place place_;
    protocol::wall_clock_times times_;
    std::shared_ptr<runtime::context_end> context_ = runtime::context_end::of(world().executor);
    runtime::gate work_;
};

class wall_clock_hold : public std::enable_shared_from_this<wall_clock_hold> {
public:
    /// @param claim that locked it
    wall_clock_hold(std::shared_ptr<wall_clock_impl> core, const protocol::wall_clock_claim& claim);

    // ---- any thread ----
    /// In a forked child it is lost: the item is its parent's.
    guard_state state() const noexcept;
    std::chrono::nanoseconds time_left() const noexcept;
    const std::shared_ptr<wall_clock_impl>& core() const noexcept { return core_; }
    const std::string& name() const noexcept { return core_->name(); }
    /// As failures name it.
    const std::string& title() const noexcept { return name(); }
    const std::string& table() const noexcept { return core_->place().table; }
    /// Invalid from here on. @returns false if it was lost or released before, or is a parent's.
    bool let_go() noexcept;
    /// After `let_go`, on the database's executor, in the background.
    void give_back_soon() noexcept;
    /// The end of its guard: both, unless it was lost or released before.
    void abandon() noexcept;

    // ---- the database's executor ----
    /// Whoever asked has it, and whoever listens is told so, and of its end.
    void report_to(std::unique_ptr<grant_reporter> listener);
    dynalease::item known;
    struct change_end {
        std::optional<failure> why{};
        dynalease::item left{};
    };
    boost::asio::awaitable<change_end> change(update_expression change, condition_expression condition);
    boost::asio::awaitable<error_code> wait_given_back();

    static wall_clock_guard make_guard(std::shared_ptr<wall_clock_hold> hold) noexcept {
        return wall_clock_guard(std::move(hold));
    }
    static const std::shared_ptr<wall_clock_hold>& of(const wall_clock_guard& guard) noexcept {
        return guard.hold_.share();
    }

private:
    void give_back();
    std::optional<failure> unfit(const update_expression& change) const;
    void lose() noexcept;
    void report_end(grant_event how, error_code code);
    boost::asio::awaitable<void> run_give_back(std::shared_ptr<wall_clock_hold> self);

    const std::shared_ptr<wall_clock_impl> core_;
    protocol::wall_clock_grant grant_;  ///< each change moves its moment on; its times stay
    const runtime::own_process process_;
    std::atomic<guard_state> state_{guard_state::held};
    enum class writing { nothing, under_way, in_doubt } write_ = writing::nothing;
    const dynalease::time_point granted_at_;
    dynalease::time_point let_go_at_{};
    std::unique_ptr<grant_reporter> listener_;
    std::optional<error_code> given_back_;
    runtime::waiter_list<runtime::unit> waiting_;
};

}  // namespace dynalease::detail
