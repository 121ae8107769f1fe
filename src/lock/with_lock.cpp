// Work that is cancelled when its lock is lost.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/lock/with_lock.hpp>

#include "lock/lock_hold.hpp"
#include "session/guard_verbs.hpp"
#include "session/guarded_work.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

constexpr guarded_verb verb{"with_lock", "the lock"};

}  // namespace

granted_lock::hold granted_lock::held(const lock_guard& guard) {
    return lock_hold::of(guard);
}

void granted_lock::run(const boost::asio::any_io_executor& executor, const hold& held,
                       boost::asio::awaitable<void> work, guarded_handler handler) {
    std::make_shared<guarded_work>(executor, held, verb, std::move(handler))->start(std::move(work));
}

void granted_lock::end(const hold& held, bool has_guard, diagnostics* details, handler_for<void> handler) {
    start_ending_work(held, has_guard, {details, verb.name}, std::move(handler));
}

void granted_lock::check_kept(const hold& held, error_code end, const diagnostics& why) {
    check_kept_under_work(*held, verb, end, why);
}

}  // namespace dynalease::detail
