// One grant under a session: what a guard points to, whatever it guards.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/waiter_list.hpp"
#include "session/grant_reporter.hpp"
#include "session/session_member.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/grant_report.hpp>
#include <dynalease/guard_state.hpp>
#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dynalease::detail {

class session_impl;

class hold : public pending_release, public std::enable_shared_from_this<hold> {
public:
    /// @param wanted it has a caller; else it came too late for one, is given back at once, and counts nowhere
    explicit hold(std::shared_ptr<session_impl> core, bool wanted = true) noexcept;
    ~hold() override;

    // ---- any thread ----
    bool held() const noexcept;
    guard_state state() const noexcept;
    const std::shared_ptr<session_impl>& core() const noexcept { return core_; }
    dynalease::time_point granted_at() const noexcept { return granted_at_; }
    virtual std::int64_t token() const noexcept = 0;
    /// As failures name it.
    virtual std::string title() const { return name(); }
    /// Where what it stands for is kept: the coordination table, or an item's own.
    virtual const std::string& table() const noexcept;
    /// Whatever has become of its session.
    bool kept() const noexcept override { return state_ == guard_state::held && !handed_in_; }
    /// Why a verb that gives it back has nothing to give.
    error_code why_over() const noexcept;
    /// Of one that was lost, in words. Empty: nobody has noticed yet.
    std::string why_lost() const;
    /// See `session_members::begin_work`.
    void use(bool begins) noexcept { in_use_ = begins; }
    /// Work under it has ended in this very step.
    void note_work_ended() noexcept;
    /// Its time was over then, or its session's.
    bool lost_under_work() const noexcept { return lost_under_work_; }
    /// Whether its own time, or its session's lease, is over by now.
    bool may_have_run_out() const noexcept;
    bool in_use() const noexcept override;
    /// Its guard gives it to the verb that ends it: invalid from here on, and that verb's to give back.
    /// @returns false if it was lost or released, or given to such a verb, before.
    bool hand_in() noexcept;
    /// That verb has failed before anything was sent: back to the guard; and if that has ended meanwhile, given back.
    void hand_back() noexcept;
    /// As `state`, for the verb that ends it.
    guard_state standing() const noexcept;
    /// Final. @returns false if it was lost or released before.
    bool let_go() noexcept;
    /// After `let_go`: has what it stands for given back on the database's executor, in the background.
    void give_back_soon() noexcept;
    /// The end of its guard: both, unless it was lost or released before, or a verb is to end it.
    void abandon() noexcept;

    // ---- the database's executor ----
    bool wanted() const noexcept { return wanted_; }
    /// Whoever asked has it, and whoever listens is told so, and of its end.
    void report_to(std::unique_ptr<grant_reporter> listener);
    /// Not ours any more, without our doing. @param why in words; empty: its session was lost
    /// @returns false if it was lost or released before.
    bool lose(std::string_view why = {});
    bool lost() const noexcept override { return ended_ && end_ == grant_event::lost; }
    /// How it is being given back, where that is not by its guard alone.
    void ends_by(grant_event how) noexcept { end_ = how; }
    /// What is known of giving it back while that goes on. The first word counts for who asked and who listens.
    void tell(const failure& how);
    /// How giving it back ended. For its session it counts that it was given back after all.
    void finish(const failure& how);
    /// Lives until it has finished, though its guard and its verb are gone: who listens, and who closes the session, is
    /// told all the same.
    void stay_until_finished();
    const std::optional<error_code>& finished() const noexcept override { return finished_; }
    bool returned() const noexcept override { return returned_; }
    /// @param told what is known of a failure; null: nobody asks
    boost::asio::awaitable<error_code> wait_finished(diagnostics* told);
    boost::asio::awaitable<void> wait_finished_until(dynalease::time_point until) override;
    boost::asio::awaitable<error_code> wait_lost();

protected:
    /// Whether the grant itself has run out, though its session lives. Any thread.
    virtual bool expired() const noexcept { return false; }
    /// Whether what keeps the grant itself alive goes unanswered. Any thread.
    virtual bool overdue() const noexcept { return false; }

private:
    /// On the database's executor.
    virtual void give_back() = 0;
    /// Counts its end, and tells it: once, whatever comes after.
    void end();
    void report_end();

    /// Told when it is lost, when it is known how giving it back goes, and when all is done for it.
    using news = runtime::waiter_list<runtime::unit>;
    news& waited_for();
    void tell_who_waits();

    std::shared_ptr<session_impl> core_;
    std::atomic<guard_state> state_{guard_state::held};
    std::atomic<bool> in_use_{false};
    std::atomic<bool> lost_under_work_{false};
    std::atomic<bool> handed_in_{false};
    std::atomic<bool> abandoned_{false};
    std::optional<error_code> finished_;
    /// Of a loss, or of what did not finish well; null: nothing is known. Written before those are told.
    std::unique_ptr<const diagnostics> about_;
    std::unique_ptr<news> news_;  ///< few holds are ever waited for, and there may be a hundred thousand
    const dynalease::time_point granted_at_;
    const bool wanted_;
    dynalease::time_point let_go_at_{};
    grant_event end_ = grant_event::released;
    bool ended_ = false;
    bool returned_ = false;
    bool settled_ = false;  ///< all is done that was to be done for it
    std::unique_ptr<grant_reporter> listener_;
};

/// A grant in the hands of the verb that ends it: back to its guard, unless the verb gets as far as ending it.
class last_use {
public:
    explicit last_use(std::shared_ptr<hold> grant) : grant_(std::move(grant)), ours_(grant_ && grant_->hand_in()) {}
    last_use(last_use&& other) noexcept : grant_(std::move(other.grant_)), ours_(std::exchange(other.ours_, false)) {}
    last_use& operator=(last_use&&) = delete;
    ~last_use() {
        if (ours_) grant_->hand_back();
    }

    /// @returns false where another verb ends it.
    explicit operator bool() const noexcept { return ours_; }
    /// Nothing goes back from here on. @returns false if it was lost or released since.
    bool end() noexcept { return std::exchange(ours_, false) && grant_->let_go(); }

private:
    std::shared_ptr<hold> grant_;
    bool ours_;
};

}  // namespace dynalease::detail
