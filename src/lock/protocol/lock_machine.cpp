// The phases of a lock in one process.
// SPDX-License-Identifier: BSL-1.0
#include "lock/protocol/lock_machine.hpp"

#include "lock/protocol/lock_sequences.hpp"

#include <utility>

namespace dynalease::protocol {

using phase = lock_claimant::phase;

lock_machine::lock_machine(session_view& session, lock_callers& callers, std::string name,
                           std::chrono::nanoseconds poll_interval)
    : lock_(session, callers, std::move(name), poll_interval) {}

std::optional<time_point> lock_machine::last_sent() const noexcept {
    return lock_.open && lock_.open->sent ? std::optional(lock_.open->sent_at) : std::nullopt;
}

void lock_machine::want() {
    if (idle()) lock_.now = phase::wanting;
}

void lock_machine::give_back() {
    lock_.of_guard = true;
    lock_.now = phase::giving_back;
}

void lock_machine::lose() {
    lock_.now = phase::idle;
}

void lock_machine::resolve(bool look_first) {
    lock_.now = look_first ? phase::auditing : phase::resolving;
}

sequence<void> lock_machine::run(stepper& steps) {
    lock_.steps = &steps;
    lock_row row;
    while (!rests()) {
        if (lock_.now == phase::wanting) {
            co_await acquire_lock(lock_, row);
        } else if (lock_.now == phase::resolving) {
            co_await resolve_claim(lock_, row);
        } else if (lock_.now == phase::giving_back) {
            co_await pass_lock_on(lock_, row);
        } else {
            co_await audit_claim(lock_, row);
        }
    }
    lock_.steps = nullptr;
}

}  // namespace dynalease::protocol
