// What there is to take, by one name, for tests that all of it must pass.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynalease.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <utility>

namespace dynalease::tests {

struct locks {
    using target = lock;
    using guard = lock_guard;
    static lock of(session& in, std::string name) { return {in, std::move(name)}; }
    template <class... Tail>
    static auto take(const lock& from, Tail&&... tail) {
        return from.acquire(std::forward<Tail>(tail)...);
    }
    static boost::asio::awaitable<void> give_back(lock_guard& mine) { co_await mine.release(); }
};

struct queues {
    using target = queue;
    using guard = queue_turn;
    static queue of(session& in, std::string name) { return {in, std::move(name)}; }
    template <class... Tail>
    static auto take(const queue& from, Tail&&... tail) {
        return from.enter(std::forward<Tail>(tail)...);
    }
    static boost::asio::awaitable<void> give_back(queue_turn& mine) { co_await mine.leave(); }
};

/// Items of the coordination table itself, which must be there.
struct items {
    using target = item_lock;
    using guard = item_guard;
    static item_key key_of(const std::string& name) { return {{"pk", "item#" + name}, {"sk", "-"}}; }
    static item_lock of(session& in, const std::string& name) {
        item_ref where{"coordination", key_of(name)};
        return {in, std::move(where)};
    }
    template <class... Tail>
    static auto take(const item_lock& from, Tail&&... tail) {
        return from.acquire(std::forward<Tail>(tail)...);
    }
    static boost::asio::awaitable<void> give_back(item_guard& mine) { co_await mine.release(); }
};

}  // namespace dynalease::tests
