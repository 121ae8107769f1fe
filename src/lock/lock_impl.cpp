// The one place of a process for one lock: its callers, its grant, and who carries its protocol out.
// SPDX-License-Identifier: BSL-1.0
#include "lock/lock_impl.hpp"

#include "lock/data_words.hpp"
#include "session/holder_words.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dynalease::detail {

lock_impl::lock_impl(session_impl& core, std::string name, const lock_options& options)
    : claiming_front(core, std::move(name), options.poll_interval), options_(options) {}

// ---- its callers -------------------------------------------------------------------------------------------

void lock_impl::serve(const protocol::claim& claim) {
    auto hold = std::make_shared<lock_hold>(core_.shared_from_this(), shared_from_this(), claim);
    hold_ = hold;
    held_since_ = core_.now();
    first()->served.complete_one({lock_hold::make_guard(std::move(hold)), nullptr});
    if (wanted()) note_wait();
}

void lock_impl::wake() {
    machine_.want();
    note_wait();
    hurry();
    if (!machine_.held()) drive();
}

void lock_impl::note_wait() {
    if (!std::exchange(wait_noted_, true)) core_.members().note_wait(weak_from_this());
}

const protocol::lock_claimant::sights* lock_impl::others() const {
    const auto* seen = machine_.others();
    return seen != nullptr && seen->holder->session != core_.id() ? seen : nullptr;
}

std::string lock_impl::in_the_way() const {
    if (machine_.held()) return words_of_own_hold(core_, held_since_, hold_.lock().get());
    if (const auto waiting = machine_.others_in_line()) {
        return "nobody has it; " +
               (waiting == 1 ? "another process that stands in line goes"
                             : std::to_string(waiting) + " others that stand in line go") +
               " first";
    }
    const auto* seen = others();
    if (seen == nullptr) return {};
    const auto& holder = seen->holder->session;
    auto words =
        words_of_hold(core_, holder, {seen->holder_since, seen->holder_last_seen}) + words_of_heartbeat(core_, holder);
    if (!seen->holder_data.empty())
        words += "; data in the row, of this grant or an earlier one: " + words_of_data(seen->holder_data);
    return words;
}

bool lock_impl::tell_long_wait() {
    const auto* who = first();
    if (who == nullptr) {
        wait_noted_ = false;
        return false;
    }
    const bool ours = machine_.held();
    if (!ours && others() == nullptr) return true;
    const auto since = ours ? held_since_ : others()->holder_since;
    const bool long_ago = core_.now() - std::max(since, who->came) >= core_.options().lease;
    if (!long_ago || std::exchange(long_wait_told_, since) == since) return true;
    core_.log(ours ? severity::warning : severity::info,
              "lock '" + name() + "': " + (ours ? "others" : "callers") +
                  " of this process wait for it longer than a lease: " + in_the_way());
    return true;
}

// ---- the grant ---------------------------------------------------------------------------------------------

void lock_impl::end_grant() {
    hold_.reset();
    --core_.counters().leases_held;
    machine_.lose();
}

void lock_impl::leave_to_lease(const std::shared_ptr<lock_hold>& hold) {
    if (hold_.lock() == hold) end_grant();
    hold->finish(core_.over_failure());
}

void lock_impl::give_back(const std::shared_ptr<lock_hold>& hold) {
    if (hold_.lock() != hold || !core_.may_write()) {
        leave_to_lease(hold);
        return;
    }
    end_grant();
    leaving_ = hold;
    hold->stay_until_finished();
    machine_.give_back();
    drive();
}

void lock_impl::end_hand_over() {
    if (const auto hold = leaving_.lock()) hold->ends_by(grant_event::handed_over);
    end_release({});
}

void lock_impl::tell_release(const failure& how) {
    if (const auto hold = leaving_.lock()) hold->tell(how);
}

void lock_impl::end_release(const failure& how) {
    if (const auto hold = leaving_.lock()) hold->finish(how);
    leaving_.reset();
}

void lock_impl::session_lost(const failure& why) {
    turn_away(why);
    const auto hold = hold_.lock();
    if (!hold) return;
    hold->lose();  // one that was let go meanwhile tells its end by itself
    end_grant();
}

void lock_impl::session_closes(const failure& why, bool release) {
    turn_away(why);
    const auto hold = hold_.lock();
    const bool stays = hold && release && hold->in_use();
    if (!hold || stays || !hold->let_go()) return;
    hold->ends_by(grant_event::closed);
    if (release) {
        give_back(hold);
    } else {
        leave_to_lease(hold);
    }
}

void lock_impl::list_grants(std::vector<std::shared_ptr<pending_release>>& into) const {
    for (const auto* each : {&hold_, &leaving_}) {
        if (auto hold = each->lock()) into.push_back(std::move(hold));
    }
}

}  // namespace dynalease::detail
