// A coroutine at work in a node, while the world around it goes on.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/testing/node.hpp>
#include <dynalease/testing/world.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease::testing {

/// Starts `body` in `in`; it ends by itself, or with the node's crash. What it throws, `wait` hands on; where nobody
/// waits, it is written to `std::cerr` when the last of it goes.
class running {
public:
    running(world& where, const node& in, boost::asio::awaitable<void> body);

    bool done() const noexcept { return state_->done; }

    /// Lets the world go on until the body has ended.
    /// @throws what the body threw; `std::runtime_error` when it does not end within `limit` of virtual time.
    void wait(std::chrono::nanoseconds limit = std::chrono::minutes(10));

private:
    struct state {
        ~state();

        bool done = false;
        bool told = false;  ///< somebody has waited for it
        std::exception_ptr thrown;
    };
    static boost::asio::awaitable<void> body_of(std::shared_ptr<state> state, boost::asio::awaitable<void> body);

    world& world_;
    std::shared_ptr<state> state_;
};

namespace detail {
template <class T>
boost::asio::awaitable<void> store_result(boost::asio::awaitable<T> body, std::shared_ptr<std::optional<T>> into) {
    auto value = co_await std::move(body);
    into->emplace(std::move(value));
}
}  // namespace detail

/// Runs `body` in a node to its end and hands on what it returns or throws, as `running::wait` does.
template <class T>
T run(world& where, const node& in, boost::asio::awaitable<T> body,
      std::chrono::nanoseconds limit = std::chrono::minutes(10)) {
    auto value = std::make_shared<std::optional<T>>();
    running(where, in, detail::store_result(std::move(body), value)).wait(limit);
    return std::move(**value);
}
void run(world& where, const node& in, boost::asio::awaitable<void> body,
         std::chrono::nanoseconds limit = std::chrono::minutes(10));

/// Waits by the node's own clock.
boost::asio::awaitable<void> sleep(const node& in, std::chrono::nanoseconds time);

}  // namespace dynalease::testing
#pragma GCC visibility pop
