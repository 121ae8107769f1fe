// Session after session, several tasks in each; beside them one that notices when the event loop stands still.
// SPDX-License-Identifier: BSL-1.0
#include "torture/worker.hpp"

#include "torture/halting_network.hpp"
#include "torture/settings.hpp"
#include "torture/workload.hpp"

#include "support/at_once.hpp"
#include "support/local_server.hpp"

#include <dynalease/client.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>

#include <unistd.h>

#include <deque>
#include <iostream>
#include <utility>

namespace torture {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto quiet = asio::as_tuple(asio::deferred);

dynalease::client_options client_options(const std::string& endpoint) {
    auto options = support::local_client_options(endpoint);
    options.attempt_timeout = attempt_limit;
    options.connect_timeout = attempt_limit;
    options.timeout = request_limit;
    return options;
}

dynalease::session_options session_options(const std::string& owner) {
    dynalease::session_options options;
    options.table = std::string(table);
    options.owner = owner;
    options.lease = lease;
    options.clock_drift_ppm = clock_drift_ppm;
    options.begins_anew = false;  // each life is a session of its own in the reports
    return options;
}

/// What a user has to expect of a store that fails, and of leases; anything else is a mistake.
bool to_be_expected(const dynalease::error& why) {
    using dynalease::condition;
    switch (why.condition()) {
        case condition::contended:
        case condition::lost:
        case condition::throttled:
        case condition::in_doubt:
        case condition::unreachable:
            return true;
        default:
            // The store has just lost its table.
            return why.code() == dynalease::errc::table_not_found;
    }
}

class worker {
public:
    explicit worker(const worker_orders& orders)
        : who_(orders.who),
          client_(io_.get_executor(), client_options(orders.endpoint)),
          commands_(client_.get_executor(), ::dup(STDIN_FILENO)),
          workload_(make_workload(orders.primitive)),
          tell_(client_.get_executor(), orders.judge, orders.who) {
        const dynalease::database store{std::make_shared<halting_network>(client_, halt_)};
        for (std::size_t i = 0; i < tasks_per_worker; ++i) {
            const auto task = static_cast<std::int64_t>(i + 1);
            witnesses_.emplace_back(client_.get_executor(), orders.judge, orders.who, task);
            dice_.emplace_back(orders.seed, orders.who + "/" + std::to_string(task));
            posts_.push_back({client_.get_executor(), witnesses_.back(), dice_.back(), halt_, store});
        }
    }

    int run() {
        asio::co_spawn(client_.get_executor(), listen(), asio::detached);
        asio::co_spawn(client_.get_executor(), watch_loop(), asio::detached);
        asio::co_spawn(client_.get_executor(), work(), [this](std::exception_ptr failure) {
            failure_ = failure;
            io_.stop();
        });
        io_.run();
        if (failure_) std::rethrow_exception(failure_);
        return 0;
    }

private:
    asio::awaitable<void> listen();
    asio::awaitable<void> watch_loop();
    asio::awaitable<void> work();
    asio::awaitable<void> work_in(dynalease::session& session, const post& self);

    std::string who_;
    asio::io_context io_{1};
    dynalease::client client_;
    asio::posix::stream_descriptor commands_;
    std::unique_ptr<const workload> workload_;
    witness tell_;
    std::deque<witness> witnesses_;
    std::deque<dice> dice_;
    halt_order halt_;
    std::deque<post> posts_;
    std::string session_id_;
    bool ending_ = false;
    std::exception_ptr failure_;
};

asio::awaitable<void> worker::listen() {
    std::string buffer;
    while (!ending_) {
        auto heard = co_await asio::async_read_until(commands_, asio::dynamic_buffer(buffer), '\n', quiet);
        const auto size = std::get<1>(heard);
        const auto command = std::get<0>(heard) ? "end" : buffer.substr(0, size - 1);
        buffer.erase(0, size);
        if (command == "halt") halt_.give();
        if (command == "go") halt_.take_back();
        ending_ = command == "end";
    }
}

/// A tick that comes late shows that nothing else could run either.
asio::awaitable<void> worker::watch_loop() {
    constexpr instant tick = 10ms;
    constexpr instant tolerance = 10ms;
    asio::steady_timer timer(client_.get_executor());
    for (auto last = boot_time();;) {
        timer.expires_after(tick);
        co_await timer.async_wait(quiet);
        const auto now = boot_time();
        if (now - last > tick + tolerance) tell_.report({.kind = what::gap, .at = last, .until = now});
        last = now;
    }
}

asio::awaitable<void> worker::work() {
    while (!ending_) {
        dynalease::session session{client_, session_options(who_)};
        session.over([this, &session](dynalease::error_code why) {
            if (why == dynalease::errc::session_lost) tell_.report({.kind = what::over, .session = session.id()});
        });
        co_await support::at_once(tasks_per_worker, tasks_per_worker,
                                  [&](std::size_t i) { return work_in(session, posts_[i]); });
        if (session.state() != dynalease::session_state::lost) {
            tell_.report({.kind = what::closed, .session = session.id()});
            co_await session.close(dynalease::close_options{}, quiet);
        }
        co_await session.over(quiet);
    }
}

asio::awaitable<void> worker::work_in(dynalease::session& session, const post& self) {
    while (!ending_ && session.state() != dynalease::session_state::lost) {
        bool failed = false;
        try {
            co_await workload_->turn(session, self);
        } catch (const dynalease::error& why) {
            if (!to_be_expected(why)) throw;
            failed = why.condition() != dynalease::condition::contended;
        }
        co_await self.pause(failed ? 50ms : self.chance.between(0ms, 10ms));
    }
}

}  // namespace

int run_worker(const worker_orders& orders) {
    worker self(orders);
    return self.run();
}

}  // namespace torture
