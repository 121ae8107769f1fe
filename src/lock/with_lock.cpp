// Work that is cancelled when its lock is lost.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/lock/with_lock.hpp>

#include "lock/lock_hold.hpp"
#include "session/guarded_work.hpp"

#include <utility>

namespace dynalease::detail {

granted_lock::hold granted_lock::held(const lock_guard& guard) {
    return lock_hold::of(guard);
}

void granted_lock::run(const boost::asio::any_io_executor& executor, const hold& held,
                       boost::asio::awaitable<void> work, guarded_handler handler) {
    diagnostics about;
    about.operation = "with_lock";
    about.key = held->name();
    about.message = "the lock";
    std::make_shared<guarded_work>(executor, held, std::move(about), std::move(handler))->start(std::move(work));
}

}  // namespace dynalease::detail
