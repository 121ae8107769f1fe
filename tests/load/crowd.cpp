// All connections on one loop, in one thread.
// SPDX-License-Identifier: BSL-1.0
#include "load/crowd.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace load {

namespace asio = boost::asio;
using asio::ip::tcp;

crowd::crowd(std::uint16_t port, std::size_t size, int receive_buffer) {
    for (std::size_t i = 0; i < size; ++i) {
        auto& socket = members_.emplace_back(member{tcp::socket(context_, tcp::v4()), {}}).socket;
        // Before it connects: later the window is not made smaller.
        if (receive_buffer > 0) socket.set_option(asio::socket_base::receive_buffer_size(receive_buffer));
        socket.connect({asio::ip::address_v4::loopback(), port});
    }
}

std::size_t crowd::send(std::string_view text, std::chrono::milliseconds limit) {
    std::size_t done = 0;
    for (auto& each : members_) {
        asio::async_write(each.socket, asio::buffer(text.data(), text.size()),
                          [&done](boost::system::error_code error, std::size_t) { done += error ? 0U : 1U; });
    }
    run(limit);
    return done;
}

std::size_t crowd::receive(std::string_view end, std::chrono::milliseconds limit) {
    std::size_t done = 0;
    for (auto& each : members_) {
        asio::async_read_until(each.socket, asio::dynamic_buffer(each.unread), end,
                               [&done, &each](boost::system::error_code error, std::size_t size) {
                                   if (error) return;
                                   each.unread.erase(0, size);
                                   ++done;
                               });
    }
    run(limit);
    return done;
}

void crowd::run(std::chrono::milliseconds limit) {
    context_.restart();
    context_.run_for(limit);
    boost::system::error_code ignored;
    for (auto& each : members_) each.socket.cancel(ignored);
    context_.restart();
    context_.run();
}

}  // namespace load
