// The script. Each step waits for an event.
// SPDX-License-Identifier: BSL-1.0
#include "ticket_queue/office.hpp"

#include "support/child_process.hpp"
#include "support/json_line.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"
#include "ticket_queue/order_table.hpp"
#include "ticket_queue/settings.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>

#include <unistd.h>

#include <deque>
#include <iostream>
#include <stdexcept>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace tickets {
namespace {

constexpr auto quiet = asio::as_tuple(asio::deferred);
constexpr std::size_t victim = 2;

class office {
public:
    office()
        : client_(io_.get_executor(), support::local_client_options(server_.endpoint())),
          news_(client_.get_executor()) {}

    int run() {
        if (support::run(io_, client_.get_executor(), play()) == 0) return ok_ ? 0 : 1;
        support::json_line().add("demo", "ticket_queue").add("ok", false).print();
        return 1;
    }

private:
    asio::awaitable<void> play();
    asio::awaitable<void> hear(std::size_t clerk);
    asio::awaitable<void> show();
    asio::awaitable<std::vector<std::int64_t>> history();
    template <class Predicate>
    asio::awaitable<void> until(Predicate reached, const char* what);

    support::local_server server_;
    asio::io_context io_{1};
    dynalease::client client_;
    asio::steady_timer news_;
    order_table table_{clerks};
    std::deque<support::child_process> processes_;
    std::deque<asio::posix::stream_descriptor> voices_;
    std::exception_ptr failure_;
    bool playing_ = true;
    bool ok_ = false;
};

template <class Predicate>
asio::awaitable<void> office::until(Predicate reached, const char* what) {
    const auto deadline = steady::now() + 30s;
    while (!reached()) {
        if (failure_) std::rethrow_exception(failure_);
        if (steady::now() >= deadline) throw std::runtime_error(std::string("no ") + what);
        news_.expires_at(deadline);
        co_await news_.async_wait(quiet);
    }
}

asio::awaitable<void> office::hear(std::size_t clerk) {
    std::string buffer;
    for (;;) {
        const auto [code, size] =
            co_await asio::async_read_until(voices_[clerk], asio::dynamic_buffer(buffer), '\n', quiet);
        if (code) co_return;
        try {
            table_.take(clerk, buffer.substr(0, size - 1), steady::now());
        } catch (const std::exception&) {
            failure_ = std::current_exception();
        }
        buffer.erase(0, size);
        news_.cancel();
    }
}

/// The queue as anybody sees it, whenever it has changed.
asio::awaitable<void> office::show() {
    dynalease::session session{client_, session_of("office")};
    const auto queue = order_queue(session);
    asio::steady_timer timer(client_.get_executor());
    std::string shown;
    while (playing_) {
        const auto seen = co_await queue.inspect();
        std::string line = "turn: ";
        line += seen.holder ? std::to_string(seen.holder->ticket) + " " + seen.holder->owner : "nobody";
        line += "   waiting:";
        for (const auto& entry : seen.waiting) line += " " + std::to_string(entry.ticket) + " " + entry.owner;
        if (line != shown) std::cerr << line << std::endl;
        shown = line;
        timer.expires_after(100ms);
        co_await timer.async_wait(quiet);
    }
    co_await session.close();
}

asio::awaitable<std::vector<std::int64_t>> office::history() {
    dynalease::get_item_request request{.table_name = table, .key = order_key(), .consistent_read = true};
    const auto read = co_await client_.execute(std::move(request));
    std::vector<std::int64_t> tickets;
    if (!read.found) co_return tickets;
    for (const auto& entry : *dynalease::find(*read.found, "history")->get_if<dynalease::attribute_list>()) {
        tickets.push_back(entry.get_if<dynalease::number>()->to_integer().value());
    }
    co_return tickets;
}

asio::awaitable<void> office::play() {
    co_await dynalease::create_table(client_, table);
    std::cerr << clerks << " clerks, each with " << turns_each << " changes of " << order
              << ", against dynalease-local at " << server_.endpoint() << std::endl;
    for (std::size_t i = 0; i < clerks; ++i) {
        const std::vector<std::string> command{support::own_path(), "clerk", clerk_name(i), server_.endpoint()};
        processes_.emplace_back(command);
        voices_.emplace_back(client_.get_executor(), ::dup(processes_.back().output()));
        asio::co_spawn(client_.get_executor(), hear(i), [](std::exception_ptr) {});
    }
    asio::co_spawn(client_.get_executor(), show(), [this](std::exception_ptr failure) {
        if (failure) failure_ = failure;
        news_.cancel();
    });

    co_await until([this] { return table_.changes() >= clerks; }, "turns");
    processes_[victim].tell("stay");
    co_await until([this] { return table_.staying() != 0; }, "turn of the victim");
    processes_[victim].kill();
    table_.killed(victim, steady::now());
    std::cerr << clerk_name(victim) << " killed by kill -9 in its turn, ticket " << table_.staying() << std::endl;
    co_await until([this] { return table_.done() == clerks - 1; }, "end of the others");
    playing_ = false;

    const auto changed_by = co_await history();
    ok_ = table_.report(changed_by);
    client_.close();
}

}  // namespace

int run_office() {
    office script;
    return script.run();
}

}  // namespace tickets
