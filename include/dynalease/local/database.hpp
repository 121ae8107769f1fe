// The embedded DynamoDB behind the `database` port: in this process, no socket.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/local/engine.hpp>
#include <dynalease/runtime/environment.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <memory>

#pragma GCC visibility push(default)
namespace dynalease::local {

/// In place of the `client` in tests: the same answers, no waiting. Answers come through the environment's executor,
/// never inside the call. Cancelled before the request was carried out it fails with `errc::cancelled`; afterwards
/// the answer comes.
class database : public dynalease::database {
public:
    /// @param where the executor answers come on, and the clock that decides what has expired.
    /// @param store shared by several databases, it is one DynamoDB seen by several processes; all their executors
    /// must then run on one thread. Empty: one of its own.
    explicit database(dynalease::environment where, std::shared_ptr<local::engine> store = {});
    /// On the system's clock.
    explicit database(const boost::asio::any_io_executor& executor);

    local::engine& engine() const noexcept { return *store_; }
    const std::shared_ptr<local::engine>& store() const noexcept { return store_; }

private:
    struct backed_by {};
    database(backed_by, dynalease::environment where, std::shared_ptr<local::engine> store);

    std::shared_ptr<local::engine> store_;
};

}  // namespace dynalease::local
#pragma GCC visibility pop
