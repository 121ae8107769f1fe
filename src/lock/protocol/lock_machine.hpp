// A lock in one process, without I/O: what happened to it goes in, what it needs next comes out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/sequence.hpp"
#include "lock/protocol/lock_claimant.hpp"
#include "lock/protocol/lock_row.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace dynalease::protocol {

/// It needs nothing while the lock is held, or nobody wants it.
///
/// idle -> wanting -> held -> giving back -> held | idle; wanting -> resolving -> giving back | idle;
/// idle -> auditing -> wanting | resolving | idle.
class lock_machine {
public:
    lock_machine(session_view& session, lock_callers& callers, std::string name,
                 std::chrono::nanoseconds poll_interval);

    const std::string& name() const noexcept { return lock_.name; }
    lock_requests requests() const { return lock_.requests(); }
    bool idle() const noexcept { return lock_.now == lock_claimant::phase::idle; }
    bool held() const noexcept { return lock_.now == lock_claimant::phase::held; }
    /// Who else was seen to hold it last, and since when that is known; null: nobody.
    const lock_claimant::sights* others() const noexcept {
        return lock_.shown && lock_.shown->holder ? lock_.shown.get() : nullptr;
    }
    /// How many others stood in line when it was last seen, and stood free.
    std::size_t others_in_line() const noexcept {
        return lock_.shown && !lock_.shown->holder ? lock_.shown->in_line : 0;
    }
    /// A claim that is open while nobody wants the lock.
    bool has_idle_claim() const noexcept { return idle() && lock_.open; }
    /// The last copy of the open claim.
    std::optional<time_point> last_sent() const noexcept;
    /// Whether a write for those who want the lock may still land.
    /// @param sent what is under way may: not each attempt of it was answered
    bool may_land(bool sent) const noexcept { return lock_.may_land(sent); }

    // ---- what happens ----
    /// Somebody wants it.
    void want();
    /// The grant is given back.
    void give_back();
    /// The grant is over without a request, by the end of its session.
    void lose();
    /// The idle claim is to be closed. @param look_first at whether it landed
    void resolve(bool look_first);
    /// Nothing can be sent any more.
    void drop() { lock_.drop(); }

    // ---- what it needs ----
    /// Goes on until it rests. One at a time. @param steps whom it asks; lives as long as the sequence
    sequence<void> run(stepper& steps);

protected:
    lock_claimant lock_;

private:
    bool rests() const noexcept { return idle() || held(); }
};

}  // namespace dynalease::protocol
