// From a completion token to a compiled function: the only template machinery of the public verbs.
//
// A verb is a callable `start(diagnostics*, any_completion_handler<void(error_code, T)>)` that begins the operation.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#if __cplusplus < 202002L
#error "dynalease needs C++20 (-std=c++20, CMake's cxx_std_20)"
#endif
#if !defined(__cpp_rtti)
#error "dynalease needs RTTI (no -fno-rtti): Asio finds its services by their types, and would crash at the first one"
#endif

#include <dynalease/error.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {

template <class T>
struct verb_signature {
    using type = void(error_code, T);
};
template <>
struct verb_signature<void> {
    using type = void(error_code);
};

template <class T>
using handler_for = boost::asio::any_completion_handler<typename verb_signature<T>::type>;

template <class T, class Start>
struct initiation {
    boost::asio::any_io_executor executor;
    diagnostics* details;

    using executor_type = boost::asio::any_io_executor;
    executor_type get_executor() const noexcept { return executor; }

    template <class Handler>
    void operator()(Handler&& handler, Start start) const {
        std::move(start)(details, handler_for<T>(std::forward<Handler>(handler)));
    }
};

/// Starts the verb with a completion token.
template <class T, class Start, class Token>
auto initiate(const boost::asio::any_io_executor& executor, Start start, Token&& token) {
    return boost::asio::async_initiate<Token, typename verb_signature<T>::type>(initiation<T, Start>{executor, nullptr},
                                                                                token, std::move(start));
}
/// The same; `details` are emptied now, and filled before the handler runs if the verb fails, or a try finds others.
template <class T, class Start, class Token>
auto initiate(const boost::asio::any_io_executor& executor, Start start, diagnostics& details, Token&& token) {
    return boost::asio::async_initiate<Token, typename verb_signature<T>::type>(
        initiation<T, Start>{executor, &details}, token, std::move(start));
}

/// What a verb without a token returns. Boost 1.81 cannot await `void(exception_ptr, T)`, so that an exception
/// which carries diagnostics needs this one frame.
/// @param told null, or where the caller wants the diagnostics, too
template <class T, class Start>
boost::asio::awaitable<T> await_verb(boost::asio::any_io_executor executor, Start start, diagnostics* told = nullptr) {
    diagnostics own;
    auto& details = told != nullptr ? *told : own;
    auto done = co_await initiate<T>(executor, std::move(start), details, boost::asio::as_tuple(boost::asio::deferred));
    if (std::get<0>(done)) throw error(std::get<0>(done), details);
    if constexpr (!std::is_void_v<T>) co_return std::get<1>(std::move(done));
}

/// Where a verb that is awaited tells its diagnostics; null: nowhere.
constexpr diagnostics* told_to() noexcept {
    return nullptr;
}
constexpr diagnostics* told_to(diagnostics& details) noexcept {
    return &details;
}

/// The verb with `details` and no token.
template <class T, class Start>
auto initiate(const boost::asio::any_io_executor& executor, Start start, diagnostics& details) {
    return await_verb<T>(executor, std::move(start), &details);
}

}  // namespace detail

/// A completion token for a verb that yields a T (or nothing, for void).
template <class Token, class T>
concept token_for = boost::asio::completion_token_for<std::decay_t<Token>, typename detail::verb_signature<T>::type>;

namespace detail {
template <class T, class... Tail>
inline constexpr bool is_verb_tail = false;
template <class T, class Token>
inline constexpr bool is_verb_tail<T, Token> = token_for<Token, T>;
template <class T, class Token>
inline constexpr bool is_verb_tail<T, diagnostics&, Token> = token_for<Token, T>;
template <class T>
inline constexpr bool is_verb_tail<T, diagnostics&> = true;
}  // namespace detail

/// What may follow the arguments of a verb that yields a T: a completion token, `diagnostics` and a token, or
/// `diagnostics` alone, for `co_await`. The diagnostics are emptied when the verb begins, are filled before the handler
/// runs, or the exception is thrown, if it has failed, or was a try that has found others, and must live until then.
template <class T, class... Tail>
concept verb_tail = detail::is_verb_tail<T, Tail...>;

}  // namespace dynalease
#pragma GCC visibility pop
