// The store: dynalease-local as a process, its table, and what can be done to it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/upstream.hpp"

#include "support/child_process.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <optional>

namespace torture {

class store {
public:
    explicit store(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

    /// Starts it and makes the table.
    boost::asio::awaitable<void> start();
    /// kill -9: all that it held is gone.
    void kill() { process_.reset(); }
    void stop() noexcept { process_->stop(); }
    void resume() noexcept { process_->resume(); }

    const store_address& address() const noexcept { return address_; }

private:
    boost::asio::any_io_executor executor_;
    std::optional<support::child_process> process_{};
    store_address address_{};
};

}  // namespace torture
