// What a guard that holds nothing answers.
#pragma once

#include <dynalease/detail/initiate.hpp>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>

#include <type_traits>
#include <utility>

namespace dynalease::detail {

/// An empty guard has no executor of its own: the answer comes on the handler's. Not through the system executor,
/// which would start a thread.
template <class T = void>
void answer_for_empty(handler_for<T> handler) {
    const auto executor = boost::asio::get_associated_executor(handler);
    boost::asio::dispatch(executor, [handler = std::move(handler)]() mutable {
        if constexpr (std::is_void_v<T>) {
            std::move(handler)(make_error_code(errc::not_held));
        } else {
            std::move(handler)(make_error_code(errc::not_held), T{});
        }
    });
}

}  // namespace dynalease::detail
