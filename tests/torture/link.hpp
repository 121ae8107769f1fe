// The way of one worker to the store: a proxy that understands HTTP, and mistreats it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/upstream.hpp"
#include "torture/weather.hpp"
#include "torture/witness.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <cstdint>
#include <string>

namespace torture {

class link {
public:
    enum class passage { open, answers_lost, nothing_passes };

    /// @param place is whom the judge is told about: the worker's place.
    link(boost::asio::any_io_executor executor, const store_address& store, witness& tell, std::string place,
         weather conditions);

    /// Where the worker finds it.
    std::string endpoint() const;
    weather& conditions() noexcept { return weather_; }

    /// What does not pass hangs until all passes again; then its connection is cut.
    void set(passage now);
    /// Nobody listens any more, or again.
    void refuse();
    void listen();

private:
    using tcp = boost::asio::ip::tcp;

    boost::asio::awaitable<void> accept(std::uint64_t generation);
    boost::asio::awaitable<void> serve(tcp::socket client);
    /// @returns whether the connection can be used on.
    boost::asio::awaitable<bool> exchange(tcp::socket& client, upstream& store, http_request request);
    boost::asio::awaitable<bool> answer(tcp::socket& client, http_response response, strike struck);
    boost::asio::awaitable<void> send_again(http_request request, std::chrono::milliseconds later);
    boost::asio::awaitable<void> hang_up(tcp::socket& client, strike struck);
    boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
    boost::asio::awaitable<void> until_open();
    void tell_applied(const request_facts& facts, const http_response& response);

    boost::asio::any_io_executor executor_;
    const store_address& store_;
    witness& tell_;
    std::string place_;
    weather weather_;
    tcp::acceptor acceptor_;
    tcp::endpoint endpoint_;
    std::uint64_t generation_ = 0;
    passage passage_ = passage::open;
    boost::asio::steady_timer opened_;  ///< cancelled when all passes again
};

}  // namespace torture
