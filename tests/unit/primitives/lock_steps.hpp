// The steps of a caller that takes and gives back locks.
#pragma once

#include "support/world.hpp"

#include <string>
#include <utility>

namespace dynalease::tests {

inline asio::awaitable<void> take(lock target, lock_guard& into, acquire_options options = {}) {
    into = co_await target.acquire(std::move(options));
}

inline asio::awaitable<void> take(node& in, std::string name, lock_guard& into) {
    lock target{*in.session, std::move(name)};
    into = co_await target.acquire();
}

inline asio::awaitable<void> try_take(lock target, lock_guard& into) {
    into = co_await target.try_acquire();
}

inline asio::awaitable<void> give_back(lock_guard& guard) {
    co_await guard.release();
}

}  // namespace dynalease::tests
