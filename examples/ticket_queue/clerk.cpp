// Enter, work, write under the fence, leave.
// SPDX-License-Identifier: BSL-1.0
#include "ticket_queue/clerk.hpp"

#include "support/local_server.hpp"
#include "ticket_queue/settings.hpp"

#include <dynalease/client.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>

#include <unistd.h>

#include <iostream>

namespace asio = boost::asio;

namespace tickets {
namespace {

/// One line, flushed whole.
void tell(const std::string& event) {
    std::cout << event << std::endl;
}

class clerk {
public:
    clerk(std::string name, const std::string& endpoint)
        : client_(io_.get_executor(), support::local_client_options(endpoint)),
          session_(client_, session_of(std::move(name))),
          commands_(client_.get_executor(), ::dup(STDIN_FILENO)) {}

    int run() {
        asio::co_spawn(client_.get_executor(), listen(), [](std::exception_ptr) {});
        asio::co_spawn(client_.get_executor(), work(), [this](std::exception_ptr failure) { end(failure); });
        io_.run();
        return status_;
    }

private:
    asio::awaitable<void> listen();
    asio::awaitable<void> work();
    asio::awaitable<void> change_order(dynalease::queue_turn& turn);
    void end(std::exception_ptr failure);

    asio::io_context io_{1};
    dynalease::client client_;
    dynalease::session session_;
    asio::posix::stream_descriptor commands_;
    bool stays_ = false;
    int status_ = 0;
};

asio::awaitable<void> clerk::listen() {
    std::string buffer;
    const auto told =
        co_await asio::async_read_until(commands_, asio::dynamic_buffer(buffer), '\n', asio::as_tuple(asio::deferred));
    stays_ = !std::get<0>(told);
}

asio::awaitable<void> clerk::work() {
    const auto queue = order_queue(session_);
    asio::steady_timer timer(client_.get_executor());
    for (std::size_t i = 0; i < turns_each; ++i) {
        tell("enters");
        auto turn = co_await queue.enter();
        const auto ticket = std::to_string(turn.ticket());
        tell("turn " + ticket + " " + std::to_string(turn.position()));
        if (stays_) {
            tell("stays " + ticket);
            timer.expires_after(std::chrono::hours(1));
            co_await timer.async_wait(asio::deferred);
        }
        timer.expires_after(work_time);
        co_await timer.async_wait(asio::deferred);
        co_await change_order(turn);
        tell("changed " + ticket);
        co_await turn.leave();
    }
    co_await session_.close();
}

/// The order is written only while nobody after us can have the turn, whatever delayed us.
asio::awaitable<void> clerk::change_order(dynalease::queue_turn& turn) {
    dynalease::transact_update change{.table_name = table, .key = order_key(), .update_expression = {}};
    change.update_expression = "SET history = list_append(if_not_exists(history, :none), :me)";
    change.values = {{":none", dynalease::attribute_list{}}, {":me", dynalease::attribute_list{turn.ticket()}}};
    dynalease::transact_write_items_request request;
    request.actions.emplace_back(turn.fence());
    request.actions.emplace_back(std::move(change));
    for (;;) {
        auto attempt = request;
        auto written = co_await client_.execute(std::move(attempt), {}, asio::as_tuple(asio::deferred));
        const auto code = std::get<0>(written);
        if (!code) co_return;
        // Somebody who draws a ticket writes to the row that the fence reads: then neither is wrong, and it is tried
        // again.
        if (code != dynalease::errc::transaction_canceled || !turn.held()) throw dynalease::error(code, {});
    }
}

void clerk::end(std::exception_ptr failure) {
    commands_.close();
    client_.close();
    try {
        if (failure) std::rethrow_exception(failure);
        tell("done");
    } catch (const std::exception& why) {
        tell(std::string("failed ") + why.what());
        status_ = 1;
    }
}

}  // namespace

int run_clerk(const std::string& name, const std::string& endpoint) {
    clerk self(name, endpoint);
    return self.run();
}

}  // namespace tickets
