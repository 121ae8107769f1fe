// The one place of a process for one lock: its callers, its grant, and who carries its protocol out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/lock_hold.hpp"
#include "lock/protocol/lock_callers.hpp"
#include "lock/protocol/lock_machine.hpp"
#include "session/claiming_front.hpp"

#include <dynalease/lock/lock.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

/// A caller's wish is what it wants written into the row.
class lock_impl final
    : public claiming_front<lock_target, lock_guard, item, protocol::lock_machine, protocol::lock_callers> {
public:
    static constexpr char membership{};  ///< its address is the kind of member

    lock_impl(session_impl& core, std::string name, const lock_options& options);

    /// The same lock in another life of its session.
    std::shared_ptr<lock_impl> in(session_impl& life) const {
        return life.members().member<lock_impl>(name(), options_);
    }

    // ---- the database's executor ----
    /// Held, or wanted by others in this process: a try need not ask the table.
    bool busy(const item& /*data*/) { return machine_.held() || wanted(); }
    /// Somebody waits who is not being driven yet.
    void wake();
    /// Gives the grant back, or hands it to the next local waiter.
    void give_back(const std::shared_ptr<lock_hold>& hold);
    std::string in_the_way() const override;
    bool tell_long_wait() override;
    void session_lost(const failure& why) override;
    void session_drains(const failure& why) override { turn_away(why); }
    void session_closes(const failure& why, bool release) override;
    void list_grants(std::vector<std::shared_ptr<pending_release>>& into) const override;

private:
    /// Who else was seen to hold it last; null: nobody.
    const protocol::lock_claimant::sights* others() const;
    void end_grant();
    void note_wait();
    /// Forgets the grant without a request; others get the lock when the lease is over.
    void leave_to_lease(const std::shared_ptr<lock_hold>& hold);

    // The machine's callers.
    std::optional<dynalease::time_point> tries_until_known() override { return callers_.tries_until_known(may_land()); }
    const item& data() override { return first()->wish; }
    void serve(const protocol::claim& claim) override;
    void fail_first(const shared_failure& why, dynalease::time_point asked) override {
        callers_.fail_first(why, asked, may_land());
    }
    void tell_release(const failure& how) override;
    void end_hand_over() override;
    void end_release(const failure& how) override;

    const lock_options options_;
    dynalease::time_point held_since_{};
    bool wait_noted_ = false;  ///< the session asks from time to time whether somebody waits for too long
    /// Of whoever had it since then the log has been told that others wait for long.
    std::optional<dynalease::time_point> long_wait_told_{};
    std::weak_ptr<lock_hold> hold_;     ///< the present grant
    std::weak_ptr<lock_hold> leaving_;  ///< the one that is being given back; it keeps us, not we it
};

}  // namespace dynalease::detail
