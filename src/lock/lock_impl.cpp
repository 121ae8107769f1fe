// The one place of a process for one lock: its callers, its grant, and who carries its protocol out.
// SPDX-License-Identifier: BSL-1.0
#include "lock/lock_impl.hpp"

#include <utility>

namespace dynalease::detail {

lock_impl::lock_impl(session_impl& core, std::string name, const lock_options& options)
    : claiming_front(core, std::move(name), options.poll_interval), options_(options) {}

// ---- its callers -------------------------------------------------------------------------------------------

void lock_impl::serve(const protocol::claim& claim) {
    auto hold = std::make_shared<lock_hold>(core_.shared_from_this(), shared_from_this(), claim);
    hold_ = hold;
    first()->served.complete_one({lock_hold::make_guard(std::move(hold)), nullptr});
}

void lock_impl::wake() {
    machine_.want();
    if (!machine_.held()) drive();
}

// ---- the grant ---------------------------------------------------------------------------------------------

void lock_impl::end_grant() {
    hold_.reset();
    --core_.counters().leases_held;
    machine_.lose();
}

void lock_impl::leave_to_lease(const std::shared_ptr<lock_hold>& hold) {
    if (hold_.lock() == hold) end_grant();
    hold->finish(core_.over_failure().code);
}

void lock_impl::give_back(const std::shared_ptr<lock_hold>& hold) {
    if (hold_.lock() != hold || !core_.may_write()) {
        leave_to_lease(hold);
        return;
    }
    end_grant();
    leaving_ = hold;
    machine_.give_back();
    drive();
}

void lock_impl::end_release(error_code code) {
    if (const auto hold = leaving_.lock()) hold->finish(code);
    leaving_.reset();
}

void lock_impl::session_lost(const failure& why) {
    turn_away(why);
    const auto hold = hold_.lock();
    if (!hold) return;
    // One that was let go, and not yet given back, is no loss to anybody.
    if (hold->lose()) ++core_.counters().lost;
    end_grant();
}

void lock_impl::session_closes(const failure& why, bool release,
                               std::vector<std::shared_ptr<pending_release>>& under_way) {
    turn_away(why);
    const auto hold = hold_.lock();
    if (hold && release && hold->in_use()) {
        under_way.push_back(hold);
        return;
    }
    if (!hold || !hold->let_go()) return;
    if (release) {
        give_back(hold);
        under_way.push_back(hold);
    } else {
        leave_to_lease(hold);
    }
}

}  // namespace dynalease::detail
