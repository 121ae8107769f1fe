// The world a piece of the library lives in: where it runs, what time it is there, where chance comes from.
#pragma once

#include <dynalease/runtime/clock.hpp>
#include <dynalease/runtime/random.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <memory>

namespace dynalease {

/// Cheap to copy. `executor` is serial (a strand, or a single-threaded context's own): all state of a database
/// handle and of everything built on it is touched there and nowhere else.
struct environment {
    boost::asio::any_io_executor executor;
    std::shared_ptr<dynalease::clock> clock;
    std::shared_ptr<dynalease::random> random;

    /// A strand on `executor`, CLOCK_BOOTTIME, and a generator seeded by the kernel.
    static environment system(const boost::asio::any_io_executor& executor);
};

}  // namespace dynalease
