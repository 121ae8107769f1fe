// The world a piece of the library lives in: where it runs, what time it is there, where chance comes from.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/runtime/clock.hpp>
#include <dynalease/runtime/random.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#pragma GCC visibility push(default)
namespace dynalease {

/// Cheap to copy. `executor` is serial (a strand, or a single-threaded context's own): all state of a database
/// handle and of everything built on it is touched there and nowhere else. Callers' handlers are called outside of it,
/// if it is a strand on an `any_io_executor`, an `io_context` or a `thread_pool`.
struct environment {
    boost::asio::any_io_executor executor;
    std::shared_ptr<dynalease::clock> clock;
    std::shared_ptr<dynalease::random> random;

    /// A strand on `executor`, CLOCK_BOOTTIME, and the kernel's random numbers.
    static environment system(const boost::asio::any_io_executor& executor);

    /// 128 bits that name one thing for ever; for mere chance take `random`. The time is mixed into what `random`
    /// draws: a process that was copied with the state of its generator makes other names, unless at the same instant.
    std::array<std::uint64_t, 2> new_identity() const;
    /// The same as 22 characters of the URL-safe base64 alphabet.
    std::string new_id() const;
};

}  // namespace dynalease
#pragma GCC visibility pop
