// The steps of a caller that takes and gives back locks.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/world.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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

/// What the call came to, beside the guard.
inline asio::awaitable<void> take_told(lock target, acquire_options options, lock_guard& into, error_code& told) {
    auto done = co_await target.acquire(std::move(options), as_tuple);
    told = std::get<0>(done);
    into = std::get<1>(std::move(done));
}

inline asio::awaitable<void> try_told(lock target, lock_guard& into, error_code& told) {
    auto done = co_await target.try_acquire(as_tuple);
    told = std::get<0>(done);
    into = std::get<1>(std::move(done));
}

inline asio::awaitable<void> release_told(lock_guard& guard, error_code& told) {
    auto done = co_await guard.release(as_tuple);
    told = std::get<0>(done);
}

/// Each request takes so long either way.
inline testing::fault_plan latency(std::chrono::nanoseconds each_way) {
    return [each_way](const any_request&, const call_options&) {
        return testing::fault{.before = each_way, .after = each_way};
    };
}

/// The fates of the writes to locks, one by one; whatever else is sent, and what comes after them, passes.
inline testing::fault_plan lock_writes_meet(std::vector<testing::fault> fates) {
    auto rest = std::make_shared<testing::fault_plan>(testing::scripted_faults(std::move(fates)));
    return [rest](const any_request& request, const call_options& options) {
        const auto* write = std::get_if<update_item_request>(&request);
        const bool of_a_lock = write != nullptr && find_string(write->key, "pk")->starts_with("lock#");
        return of_a_lock ? (*rest)(request, options) : testing::fault{};
    };
}

inline testing::fault throttling() {
    return {.what = testing::fault::kind::fail, .answer = failure(errc::throttled, outcome::not_applied)};
}

inline asio::awaitable<void> give_back(lock_guard& guard) {
    co_await guard.release();
}

}  // namespace dynalease::tests
