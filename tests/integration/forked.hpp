// Processes that are forked from one with a client, and a server that all of them can reach.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynalease.hpp>
#include <dynalease/local/server.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>

namespace dynalease::tests {

namespace asio = boost::asio;

/// What a worker found.
struct finding {
    std::array<char, 32> session{};  ///< whose id; or the last transaction's
    bool holds = false;
    bool valid = false;
};

using work = asio::awaitable<void> (*)(client&, finding&);

/// A child that waits for a sign, does its work, tells, and then holds on until the parent lets go.
class worker {
public:
    worker(asio::io_context& context, client& shared, work what) {
        REQUIRE(::pipe(sign_.data()) == 0);
        REQUIRE(::pipe(told_.data()) == 0);
        context.notify_fork(asio::io_context::fork_prepare);
        child_ = ::fork();
        if (child_ == 0) {
            context.notify_fork(asio::io_context::fork_child);
            be_child(context, shared, what);
        }
        context.notify_fork(asio::io_context::fork_parent);
    }
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker() {
        for (const int descriptor : {sign_[0], sign_[1], told_[0], told_[1]}) ::close(descriptor);
        ::waitpid(child_, nullptr, 0);
    }

    finding go() {
        begin();
        return end();
    }
    void begin() { CHECK(::write(sign_[1], "", 1) == 1); }
    finding end() {
        finding found;
        REQUIRE(::read(told_[0], &found, sizeof found) == sizeof found);
        return found;
    }

private:
    [[noreturn]] void be_child(asio::io_context& context, client& shared, work what) const {
        ::close(sign_[1]);
        char sign = 0;
        if (::read(sign_[0], &sign, 1) != 1) ::_exit(1);
        finding found;
        asio::co_spawn(context, what(shared, found), [&](std::exception_ptr) { context.stop(); });
        context.run();
        const auto told = ::write(told_[1], &found, sizeof found);
        const auto dismissed = ::read(sign_[0], &sign, 1);
        ::_exit(told == sizeof found && dismissed == 0 ? 0 : 1);
    }

    std::array<int, 2> sign_{};
    std::array<int, 2> told_{};
    pid_t child_ = 0;
};

inline client_options options_for(const local::server& server) {
    client_options options;
    options.region = "local";
    options.endpoint = server.endpoint();
    options.credentials = credentials{"local", "local", ""};
    return options;
}

inline asio::awaitable<void> make_tables(client& through) {
    co_await create_table(through, "coordination");
    create_table_request accounts{.table_name = "accounts", .key = {.hash = {.name = "id"}}};
    co_await through.execute(std::move(accounts));
}

inline asio::awaitable<void> read_balance(client& through, std::int64_t& balance) {
    get_item_request look{.table_name = "accounts", .key = {{"id", "ann"}}, .consistent_read = true};
    const auto answer = co_await through.execute(std::move(look));
    balance = find_integer(answer.found.value(), "balance").value();
}

/// A server with both tables, in this process.
struct served {
    served() {
        client first{serving.get_executor(), options_for(server)};
        asio::co_spawn(serving, make_tables(first), [&](std::exception_ptr) { serving.stop(); });
        serving.run();
    }
    /// While it lives the server answers, on a thread of its own.
    class open {
    public:
        explicit open(served& what) : serving_(what.serving) {
            serving_.restart();
            thread_ = std::thread([this] { serving_.run(); });
        }
        open(const open&) = delete;
        open& operator=(const open&) = delete;
        ~open() {
            serving_.stop();
            thread_.join();
        }

    private:
        asio::io_context& serving_;
        std::thread thread_;
    };
    /// Until `what` has ended in the context.
    void serve_while(asio::io_context& context, asio::awaitable<void> what) {
        const open answering(*this);
        context.restart();
        asio::co_spawn(context, std::move(what), [&](std::exception_ptr why) {
            CHECK_FALSE(why);
            context.stop();
        });
        context.run();
    }

    asio::io_context serving{1};
    local::server server{serving.get_executor()};
};

}  // namespace dynalease::tests
