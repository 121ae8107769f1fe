// A loop of transfers on one session; commands arrive beside it.
// SPDX-License-Identifier: BSL-1.0
#include "lock/worker.hpp"

#include "lock/ledger.hpp"
#include "lock/settings.hpp"
#include "support/local_server.hpp"
#include "support/requests_sent.hpp"

#include <dynalease/client.hpp>
#include <dynalease/lock.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>

#include <unistd.h>

#include <iostream>
#include <random>
#include <utility>

namespace asio = boost::asio;

namespace demo {
namespace {

constexpr auto quiet = asio::as_tuple(asio::deferred);

/// One line, flushed whole: shorter than PIPE_BUF, so that it arrives in one piece.
void tell(const std::string& event) {
    std::cout << event << std::endl;
}

class worker {
public:
    worker(std::string name, const std::string& endpoint, std::uint64_t seed)
        : name_(std::move(name)),
          client_(io_.get_executor(), support::local_client_options(endpoint)),
          accounts_(client_),
          commands_(client_.get_executor(), ::dup(STDIN_FILENO)),
          pause_(client_.get_executor()),
          random_(seed) {}

    int run() {
        asio::co_spawn(client_.get_executor(), listen(), [](std::exception_ptr) {});
        asio::co_spawn(client_.get_executor(), work(), [this](std::exception_ptr failure) { end(failure); });
        io_.run();
        return status_;
    }

private:
    asio::awaitable<void> listen();
    asio::awaitable<void> work();
    asio::awaitable<void> work_on(dynalease::session& session);
    asio::awaitable<void> transfer(dynalease::session& session);
    asio::awaitable<dynalease::lock_guard> take(dynalease::session& session, std::string_view account);
    asio::awaitable<void> give_back(dynalease::lock_guard& guard);
    asio::awaitable<void> think(std::string_view from, std::string_view to);
    void end(std::exception_ptr failure);

    std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_); }

    std::string name_;
    asio::io_context io_{1};
    dynalease::client client_;
    ledger accounts_;
    asio::posix::stream_descriptor commands_;
    asio::steady_timer pause_;
    std::mt19937_64 random_;
    std::uint64_t transfers_ = 0;
    bool dwell_ = false;
    bool ending_ = false;
    int status_ = 0;
};

asio::awaitable<void> worker::listen() {
    std::string buffer;
    while (!ending_) {
        const auto [code, size] = co_await asio::async_read_until(commands_, asio::dynamic_buffer(buffer), '\n', quiet);
        const auto command = code ? "end" : buffer.substr(0, size - 1);
        buffer.erase(0, size);
        dwell_ = command == "dwell";
        ending_ = command == "end";
        pause_.cancel();
    }
}

asio::awaitable<void> worker::work() {
    while (!ending_) {
        const auto options = session_options(name_, worker_lease, worker_heartbeat);
        dynalease::session session{client_, options};
        tell("session " + session.id());
        try {
            co_await work_on(session);
        } catch (const dynalease::error& why) {
            if (why.condition() != dynalease::condition::lost) throw;
            tell("lost");  // as a process that slept past its lease finds out; a new session starts afresh
        }
    }
}

asio::awaitable<void> worker::work_on(dynalease::session& session) {
    while (!ending_) co_await transfer(session);
    const auto report = co_await session.close();
    if (!report.failed.empty()) throw dynalease::error(report.failed.front().code, {});
}

asio::awaitable<void> worker::transfer(dynalease::session& session) {
    const auto i = below(accounts.size());
    const auto j = (i + 1 + below(accounts.size() - 1)) % accounts.size();
    const auto from = accounts[i];
    const auto to = accounts[j];
    // Everybody takes the two locks in the order of their names, so that no circle of waiting can close.
    auto first = co_await take(session, std::min(from, to));
    auto second = co_await take(session, std::max(from, to));
    const auto& payer_guard = from < to ? first : second;
    const auto& payee_guard = from < to ? second : first;

    posting payer;
    payer.after = co_await accounts_.read(std::string(from));
    payer.fencing_token = payer_guard.fencing_token();
    posting payee;
    payee.after = co_await accounts_.read(std::string(to));
    payee.fencing_token = payee_guard.fencing_token();
    co_await think(from, to);

    const auto amount = std::min<std::int64_t>(payer.after.balance, 1 + static_cast<std::int64_t>(below(20)));
    payer.after.balance -= amount;
    payee.after.balance += amount;
    ++payer.after.writes;
    ++payee.after.writes;
    // On purpose without asking the guards: a process that was paused just here could not know either.
    auto transfer_id = session.id() + "-" + std::to_string(++transfers_);
    const bool written = co_await accounts_.write(std::move(payer), std::move(payee), std::move(transfer_id));

    const auto pair = std::string(from) + " " + std::string(to) + " ";
    if (written) tell("moved " + pair + std::to_string(amount));
    if (!written) tell("refused " + pair + (first.held() || second.held() ? "1" : "0"));
    co_await give_back(second);
    co_await give_back(first);
}

asio::awaitable<dynalease::lock_guard> worker::take(dynalease::session& session, std::string_view account) {
    dynalease::lock lock{session, "account/" + std::string(account)};
    tell("waiting " + std::string(account));
    auto guard = co_await lock.acquire();
    tell("granted " + std::string(account) + " " + std::to_string(guard.fencing_token()));
    co_return guard;
}

asio::awaitable<void> worker::give_back(dynalease::lock_guard& guard) {
    tell("released " + guard.name().substr(guard.name().find('/') + 1));
    co_await guard.release();
}

asio::awaitable<void> worker::think(std::string_view from, std::string_view to) {
    if (!dwell_) {
        pause_.expires_after(std::chrono::milliseconds(5 + below(20)));
        co_await pause_.async_wait(quiet);
    }
    if (dwell_) tell("dwelling " + std::string(from) + " " + std::string(to));
    while (dwell_) {
        pause_.expires_at(asio::steady_timer::time_point::max());
        co_await pause_.async_wait(quiet);
    }
}

void worker::end(std::exception_ptr failure) {
    try {
        if (failure) std::rethrow_exception(failure);
        tell("done " + std::to_string(support::requests_sent(client_)));
    } catch (const std::exception& why) {
        tell(std::string("failed ") + why.what());
        status_ = 1;
        io_.stop();
    }
    commands_.close();
    client_.close();
}

}  // namespace

int run_worker(const std::string& name, const std::string& endpoint, std::uint64_t seed) {
    worker self(name, endpoint, seed);
    return self.run();
}

}  // namespace demo
