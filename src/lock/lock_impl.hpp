// The one place of a process for one lock: its callers, its grant, and who carries its protocol out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock/lock_hold.hpp"
#include "lock/protocol/lock_callers.hpp"
#include "lock/protocol/lock_machine.hpp"
#include "session/callers.hpp"
#include "session/session_impl.hpp"
#include "session/step_driver.hpp"

#include <dynalease/lock/lock.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

/// At most one coroutine drives the machine, and only while there is something to do: a held lock costs none.
class lock_impl final : public claiming_member,
                        public std::enable_shared_from_this<lock_impl>,
                        private protocol::lock_callers {
public:
    static constexpr char membership{};  ///< its address is the kind of member

    lock_impl(session_impl& core, std::string name, const lock_options& options);
    ~lock_impl() override;

    using guard_type = lock_guard;
    /// What each wants written into the row.
    using callers_type = detail::callers<lock_guard, item>;
    callers_type& callers() noexcept { return callers_; }

    const std::string& name() const noexcept { return machine_.name(); }
    member_key key() const noexcept override { return {&membership, name()}; }
    protocol::lock_requests requests() const { return machine_.requests(); }

    // ---- the database's executor ----
    /// Held, or wanted by others in this process: a try need not ask the table.
    bool busy(const item& /*data*/) { return machine_.held() || wanted(); }
    /// Somebody waits who is not being driven yet.
    void wake();
    /// A caller goes that was not served. @returns whether its write may still land: the machine then resolves it.
    bool left(const callers_type::caller& who);
    /// Gives the grant back, or hands it to the next local waiter.
    void give_back(const std::shared_ptr<lock_hold>& hold);
    void session_lost(const failure& why) override;
    void session_closes(const failure& why, bool release,
                        std::vector<std::shared_ptr<pending_release>>& under_way) override;
    void resolve_claim(bool look_first) override;
    bool has_idle_claim() const noexcept override { return machine_.has_idle_claim(); }
    std::optional<dynalease::time_point> last_sent() const noexcept override { return machine_.last_sent(); }

private:
    void drive();
    boost::asio::awaitable<void> run(lock_target self);

    callers_type::caller* first() { return callers_.first(machine_.may_land()); }
    /// All who wait, and the driver's sleep: nobody waits any more.
    void turn_away(const failure& why);
    void end_grant();
    /// Forgets the grant without a request; others get the lock when the lease is over.
    void leave_to_lease(const std::shared_ptr<lock_hold>& hold);

    // The machine's callers.
    bool wanted() override { return first() != nullptr; }
    bool waited_for() override { return callers_.waited_for(machine_.may_land()); }
    const item& data() override { return first()->wish; }
    void serve(const protocol::claim& claim) override;
    void fail_try(const shared_failure& why, dynalease::time_point asked) override {
        callers_.fail_try(why, asked, machine_.may_land());
    }
    void fail_first(const shared_failure& why, dynalease::time_point asked) override {
        callers_.fail_first(why, asked, machine_.may_land());
    }
    void fail_all(const shared_failure& why, dynalease::time_point asked) override { callers_.fail_all(why, asked); }
    bool try_came_after(dynalease::time_point asked) override {
        return callers_.try_came_after(asked, machine_.may_land());
    }
    void end_release(error_code code) override;
    void audit_later() override;

    session_impl& core_;
    protocol::lock_machine machine_;
    bool driven_ = false;            ///< a coroutine is at work
    step_driver* driver_ = nullptr;  ///< ... by this
    callers_type callers_;
    std::weak_ptr<lock_hold> hold_;     ///< the present grant
    std::weak_ptr<lock_hold> leaving_;  ///< the one that is being given back; it keeps us, not we it
};

}  // namespace dynalease::detail
