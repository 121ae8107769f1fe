// Work that is done only while a lock is held: cancelled when it is lost, followed by the release.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/detail/guarded_work.hpp>
#include <dynalease/lock/lock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
struct granted_lock {
    using hold = std::shared_ptr<lock_hold>;
    static hold held(const lock_guard& guard);
    static void run(const boost::asio::any_io_executor& executor, const hold& held, boost::asio::awaitable<void> work,
                    guarded_handler handler);
    static void end(const hold& held, bool has_guard, diagnostics* details, handler_for<void> handler);
    static void check_kept(const hold& held, error_code end, const diagnostics& why);
};

template <class Body>
auto run_with_lock(lock target, Body body, acquire_options options) -> std::invoke_result_t<Body&, lock_guard&> {
    auto guard = co_await target.acquire(std::move(options));
    auto run = run_guarded<granted_lock>(std::move(guard), std::move(body));
    co_return co_await std::move(run);
}
}  // namespace detail

/// Acquires, runs `body(guard)` on the caller's executor, releases. The body returns an `asio::awaitable<T>`; its
/// value, or what it throws, is the result.
///
/// Errors: those of `acquire`; `errc::lock_lost` when the lock was lost before the body ended, though it be the release
/// that finds it so (what the body returned is dropped then); `errc::session_closed` when its session was closed or
/// destroyed before the body began, or too long before it ended (`close_options::timeout`). A body whose lock is lost,
/// or whose time is over, is cancelled (terminal) and waited for; its lock is released only after that. As in any
/// coroutine each of its awaits throws from then on, also of one that has caught an error and goes on: without
/// suspending, so that a loop which catches all and goes on never lets anything else run. What the body
/// throws as in doubt is told so all the same: a write of it may have been applied. Cancellation: cancels the wait, or
/// the body. Cost: as acquire and release.
///
/// Threads: the body and its cancellation run on the caller's executor; where several threads run that, call it on a
/// strand, as for everything that is cancelled from outside.
template <class Body>
    requires std::invocable<std::decay_t<Body>&, lock_guard&>
auto with_lock(lock target, Body&& body, acquire_options options = {}) {
    static_assert(detail::is_awaitable<std::invoke_result_t<std::decay_t<Body>&, lock_guard&>>,
                  "the body of with_lock returns an asio::awaitable");
    detail::check_temporary<Body>();
    return detail::run_with_lock<std::decay_t<Body>>(std::move(target), std::forward<Body>(body), std::move(options));
}
/// The same of the lock of that name. @throws as its constructor does
template <class Body>
    requires std::invocable<std::decay_t<Body>&, lock_guard&>
auto with_lock(session& session, std::string name, Body&& body, acquire_options options = {}) {
    lock target(session, std::move(name));
    return with_lock(std::move(target), std::forward<Body>(body), std::move(options));
}

}  // namespace dynalease
#pragma GCC visibility pop
