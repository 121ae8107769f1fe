// Many plain connections to one server, which nobody waits for one by one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace load {

class crowd {
public:
    /// @param receive_buffer of each socket, in bytes; 0: the system's choice.
    crowd(std::uint16_t port, std::size_t size, int receive_buffer = 0);

    /// Each sends the text, or what the server takes of it in this time. @returns how many could send all of it.
    std::size_t send(std::string_view text, std::chrono::milliseconds limit);

    /// Each reads up to this end. @returns how many got there in this time.
    std::size_t receive(std::string_view end, std::chrono::milliseconds limit);

private:
    struct member {
        boost::asio::ip::tcp::socket socket;
        std::string unread;
    };

    /// Until all is done, or this time is over.
    void run(std::chrono::milliseconds limit);

    boost::asio::io_context context_{1};
    std::deque<member> members_;
};

}  // namespace load
