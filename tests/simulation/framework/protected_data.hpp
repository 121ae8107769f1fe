// What a primitive protects: something outside DynamoDB that compares tokens, and rows that are written with the fence.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/coverage.hpp"
#include "simulation/framework/played_world.hpp"

#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/testing/node.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace dynalease::simulation {

/// Refuses tokens below the highest it has seen.
class outside_resource {
public:
    /// Sends a write on its way, which it goes even after a crash. It may take up to `longest`.
    /// @param accepted is called if the resource took it @param refused if it did not
    void write(
        played_world& where, std::int64_t token, clock::duration longest, std::function<void()> accepted,
        std::function<void()> refused = [] {});

private:
    bool accepts(std::int64_t token);

    std::int64_t highest_ = 0;
};

/// Writes a row in a transaction that carries the fence.
/// @param number of what protects the row @param writer who shall stand in it
boost::asio::awaitable<void> write_fenced(testing::node& machine, coverage& counted, condition_check fence,
                                          std::size_t number, std::uint64_t writer);

}  // namespace dynalease::simulation
