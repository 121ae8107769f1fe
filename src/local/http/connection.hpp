// One connection of the server: read a request, answer it, again.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/http/memory_budget.hpp"
#include "local/http/request_head.hpp"
#include "local/http/request_service.hpp"
#include "local/http/response_head.hpp"

#include <dynalease/runtime/clock.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>

namespace dynalease::local {

class connection;

/// What all connections of one server share.
struct shared_service {
    request_service requests;
    response_writer responses;
    std::shared_ptr<dynalease::clock> clock;
    std::chrono::milliseconds latency;
    memory_budget memory;
    std::list<connection*> open{};  ///< the one that has been silent for longest first

    /// A peer that neither sends nor takes anything may keep its descriptor so long.
    static constexpr std::chrono::minutes longest_silence{2};
    /// Closes those that have been silent for longer. Whoever comes makes room: there is no timer.
    void close_silent(std::chrono::nanoseconds silence);
};

/// Keeps itself alive by its pending operation: exactly one at any time, so it needs no lock and no queue.
class connection : public std::enable_shared_from_this<connection> {
public:
    connection(std::shared_ptr<shared_service> service, boost::asio::ip::tcp::socket socket);
    ~connection();
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    void start() { proceed(); }
    void close() noexcept;
    time_point last_heard() const noexcept { return last_heard_; }

private:
    void note_activity();
    void read();
    /// One step of the chain. What goes wrong in it is answered: no request ends more than its connection.
    template <class Step>
    void attempt(Step step) noexcept;
    /// Answers the request that the buffer begins with, or reads more of it.
    void proceed();
    void answer_or_read();
    /// Tells a peer that waits for it to send the body.
    void go_ahead();
    void refuse(request_head::status why);
    /// The request, or its answer, is too much for the memory there is now. As on AWS, 503 leaves it open whether a
    /// write was done.
    void put_off();
    /// Says no more than this, and ends.
    void give_up(unsigned status);
    /// A small buffer is not worth a look at the clock.
    bool has_room_for(std::size_t size) {
        return share_.cover(size, size > memory_budget::free_size ? service_->clock->now() : time_point{});
    }
    void prepare_answer(const request_head& head);
    void send(bool keep_alive);
    void send_later(bool keep_alive);
    void finish() noexcept;
    void discard_rest(std::size_t left) noexcept;

    std::shared_ptr<shared_service> service_;
    boost::asio::ip::tcp::socket socket_;
    boost::beast::flat_buffer in_;
    std::string out_;
    aws::request_view request_;  ///< views into `in_`, valid while a request is being answered
    std::size_t wanted_ = 0;     ///< bytes that the present request is known to have
    memory_budget::share share_;
    time_point last_heard_{};
    std::list<connection*>::iterator place_;  ///< among the open ones
};

}  // namespace dynalease::local
