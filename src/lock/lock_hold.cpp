// One grant of a lock.
// SPDX-License-Identifier: BSL-1.0
#include "lock/lock_hold.hpp"

#include "lock/lock_impl.hpp"
#include "session/session_impl.hpp"

#include <utility>

namespace dynalease::detail {

lock_hold::lock_hold(std::shared_ptr<session_impl> session, std::shared_ptr<lock_impl> front,
                     const protocol::claim& claim)
    : hold(std::move(session)), front_(std::move(front)), claim_(claim) {}

const std::string& lock_hold::name() const noexcept {
    return front_->name();
}

void lock_hold::give_back() {
    front_->give_back(std::static_pointer_cast<lock_hold>(shared_from_this()));
}

void abandon(lock_hold& hold) noexcept {
    hold.abandon();
}

}  // namespace dynalease::detail
