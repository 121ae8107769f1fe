// What all workloads share, and which there are.
// SPDX-License-Identifier: BSL-1.0
#include "torture/workload.hpp"

#include "torture/lock_workload.hpp"
#include "torture/queue_workload.hpp"
#include "torture/transaction_workload.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>

#include <poll.h>
#include <unistd.h>

#include <iostream>

namespace torture {

void halt_order::obey() {
    if (!given_) return;
    given_ = false;
    std::cout << "halted" << std::endl;
    pollfd word{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    while (::poll(&word, 1, -1) < 0) {
    }
}

boost::asio::awaitable<void> post::pause(std::chrono::nanoseconds time) const {
    boost::asio::steady_timer timer(executor, std::chrono::duration_cast<std::chrono::steady_clock::duration>(time));
    co_await timer.async_wait(boost::asio::deferred);
}

boost::asio::awaitable<void> workload::prepare(dynalease::database) const {
    co_return;
}

boost::asio::awaitable<void> workload::take_stock(dynalease::database, witness&) const {
    co_return;
}

std::unique_ptr<const workload> make_workload(std::string_view primitive) {
    if (primitive == "lock") return std::make_unique<const lock_workload>();
    if (primitive == "queue") return std::make_unique<const queue_workload>();
    if (primitive == "transaction") return std::make_unique<const transaction_workload>();
    return nullptr;
}

}  // namespace torture
