// A connection to the judge: tells what happens, and uses the resource that the judge keeps.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/event.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace torture {

class witness {
public:
    /// @param who is reported where an event names nobody.
    witness(const boost::asio::any_io_executor& executor, std::uint16_t judge, std::string who, std::int64_t task = 0);

    const std::string& who() const noexcept { return who_; }
    std::int64_t task() const noexcept { return task_; }

    /// Has left this process when it returns: no kill takes it back. An event without a time happened now.
    void report(event happened);

    // One at a time.

    /// @returns nothing if the token is too old.
    boost::asio::awaitable<std::optional<std::int64_t>> read(std::string name, std::int64_t token);
    /// @returns whether it was accepted.
    boost::asio::awaitable<bool> write(std::string name, std::int64_t token, std::int64_t value);

private:
    boost::asio::awaitable<event> ask(event question);

    boost::asio::ip::tcp::socket socket_;
    std::string who_;
    std::int64_t task_;
    std::string heard_;
};

}  // namespace torture
