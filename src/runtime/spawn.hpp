// The one bridge from a coroutine to a completion handler; nothing else in the library calls `co_spawn`.
//
// Boost 1.81's `co_spawn` frees too early, or lets an exception out of `run()`, when an operation is cancelled in the
// wrong moment or its handler has an executor of its own. So it never sees the caller's handler, executor or slot.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/gate.hpp"
#include "runtime/handler_home.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace dynalease::runtime {

/// How a body ends: the arguments of the completion handler.
template <class T>
struct completion {
    boost::system::error_code code{};
    T value{};
};
template <>
struct completion<void> {
    boost::system::error_code code{};
};

template <class T>
struct completion_signature {
    using type = void(boost::system::error_code, T);
};
template <>
struct completion_signature<void> {
    using type = void(boost::system::error_code);
};
template <class T>
using completion_handler = boost::asio::any_completion_handler<typename completion_signature<T>::type>;

namespace detail {

/// Touched on `executor` only, except that any thread may ask for `executor` itself.
struct spawned {
    explicit spawned(boost::asio::any_io_executor where) : executor(std::move(where)) {}

    const boost::asio::any_io_executor executor;
    boost::asio::cancellation_signal signal;
    bool started = false;
    bool cancelled_early = false;

    void cancel(boost::asio::cancellation_type type) {
        // Before the first step of the body `co_spawn` would answer a cancellation with an exception out of run().
        if (started) {
            signal.emit(type);
        } else {
            cancelled_early = true;
        }
    }
};

/// Lives in the caller's slot, perhaps longer than the operation, and may be called on any thread. It is never
/// cleared: that would race with an emission on another thread. What it refers to weakly, it cannot harm.
struct cancel_spawned {
    std::weak_ptr<spawned> target;

    void operator()(boost::asio::cancellation_type type) const {
        auto state = target.lock();
        if (!state || type == boost::asio::cancellation_type::none) return;
        const auto executor = state->executor;
        boost::asio::post(executor, [state = std::move(state), type] { state->cancel(type); });
    }
};

template <class T, class Tell>
struct finish_spawned {
    std::shared_ptr<spawned> state;
    completion_handler<T> handler;
    handler_home home;
    Tell tell;

    using cancellation_slot_type = boost::asio::cancellation_slot;
    cancellation_slot_type get_cancellation_slot() const noexcept { return state->signal.slot(); }

    void operator()(std::exception_ptr failure, completion<T> result) {
        if (failure) std::rethrow_exception(failure);
        tell(result);
        if constexpr (std::is_void_v<T>) {
            std::move(home).post(std::move(handler), result.code);
        } else {
            std::move(home).post(std::move(handler), result.code, std::move(result.value));
        }
    }
};

template <class T>
boost::asio::awaitable<completion<T>> run_spawned(std::shared_ptr<spawned> state,
                                                  boost::asio::awaitable<completion<T>> body) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::enable_total_cancellation());
    state->started = true;
    completion<T> result;
    if (state->cancelled_early) {
        result.code = boost::asio::error::operation_aborted;
        co_return result;
    }
    try {
        result = co_await std::move(body);
    } catch (const boost::system::system_error& failure) {
        result.code = failure.code();
    }
    co_return result;
}

}  // namespace detail

/// Says of an end what its code says.
struct as_it_ended {
    template <class T>
    void operator()(completion<T>&) const noexcept {}
};

/// Runs `body` on `executor`, which must be serial, and hands what it returns to `handler` on the handler's
/// associated executor, or `executor` if it has none. Neither runs inside this call, even on `executor` itself: the
/// caller may be in the middle of something. The handler never runs within `executor` unless that is its own. A body
/// that ends with a `boost::system::system_error` completes with its code; any other exception leaves through the
/// executor's `run()`.
///
/// Cancellation: each type that the handler's slot emits reaches the body, on `executor`. A body cancelled before
/// its first step does not run: the handler gets `operation_aborted`. One that comes while the body is between two
/// waits ends neither of them: see `cancellation_requested`.
/// Thread safety: may be called, and the slot may emit, on any thread; but the slot must not emit during this call.
/// @param tell told of the end, on `executor`, however it came about; what it makes of it the handler gets.
/// @tparam T default-constructible and movable, or void.
template <class T, class Tell = as_it_ended>
void spawn(const boost::asio::any_io_executor& executor, boost::asio::awaitable<completion<T>> body,
           std::type_identity_t<completion_handler<T>> handler, Tell tell = {}) {
    auto state = std::make_shared<detail::spawned>(executor);
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) slot.assign(detail::cancel_spawned{state});
    handler_home home(handler, executor);
    home.keep_running();
    auto coroutine = detail::run_spawned<T>(state, std::move(body));
    auto finish =
        detail::finish_spawned<T, Tell>{std::move(state), std::move(handler), std::move(home), std::move(tell)};
    // `co_spawn` runs the first steps at once when it is called on `executor`.
    boost::asio::post(executor, [executor, coroutine = std::move(coroutine), finish = std::move(finish)]() mutable {
        boost::asio::co_spawn(executor, std::move(coroutine), std::move(finish));
    });
}

namespace detail {
inline boost::asio::awaitable<void> run_counted(gate::pass pass, boost::asio::awaitable<void> body) {
    const auto held = std::move(pass);
    co_await std::move(body);
}
}  // namespace detail

/// Runs `body` on `executor`, counted by `gate` until it ends. Call it on the gate's executor; the first steps may run
/// inside the call. When the gate is closed the body is dropped without a step and the answer is false. An exception
/// that leaves the body is a bug of ours and ends the process.
inline bool spawn_background(const boost::asio::any_io_executor& executor, gate& gate,
                             boost::asio::awaitable<void> body) {
    auto pass = gate.enter();
    if (!pass) return false;
    auto coroutine = detail::run_counted(std::move(pass), std::move(body));
    boost::asio::co_spawn(executor, std::move(coroutine), [](std::exception_ptr failure) noexcept {
        if (failure) std::rethrow_exception(failure);
    });
    return true;
}

}  // namespace dynalease::runtime
