// Workers that are forked from a process with a client: each has a life of its own.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>
#include <dynalease/local/server.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;

namespace {

/// What a worker found.
struct finding {
    std::array<char, 32> session{};
    bool holds = false;
    bool valid = false;
};

asio::awaitable<void> take_lock(client& shared, finding& found) {
    session_options options{.table = "coordination"};
    session mine{shared, options};
    lock x{mine, "x"};
    auto guard = co_await x.try_acquire();
    std::strncpy(found.session.data(), mine.id().c_str(), found.session.size() - 1);
    found.holds = static_cast<bool>(guard);
    found.valid = guard.held();
    // The worker ends by _exit, which gives nothing back.
    static lock_guard kept = std::move(guard);
    static session alive = std::move(mine);
}

asio::awaitable<void> take_turn(client& shared, finding& found) {
    session_options options{.table = "coordination"};
    session mine{shared, options};
    queue_options plain;
    queue line{mine, "x", plain};
    auto turn = co_await line.try_enter();
    std::strncpy(found.session.data(), mine.id().c_str(), found.session.size() - 1);
    found.holds = static_cast<bool>(turn);
    found.valid = turn.held();
    static queue_turn kept = std::move(turn);
    static session alive = std::move(mine);
}

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
        CHECK(::write(sign_[1], "", 1) == 1);
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

client_options options_for(const local::server& server) {
    client_options options;
    options.region = "local";
    options.endpoint = server.endpoint();
    options.credentials = credentials{"local", "local", ""};
    return options;
}

asio::awaitable<void> make_table(client& through) {
    co_await create_table(through, "coordination");
}

}  // namespace

TEST_CASE("of workers forked after the client was made one holds at a time") {
    const auto what = GENERATE(as<work>(), &take_lock, &take_turn);
    asio::io_context serving{1};
    local::server server{serving.get_executor()};
    {
        client first{serving.get_executor(), options_for(server)};
        asio::co_spawn(serving, make_table(first), [&](std::exception_ptr) { serving.stop(); });
        serving.run();
        serving.restart();
    }
    asio::io_context context{1};
    client shared{context.get_executor(), options_for(server)};
    {
        worker a(context, shared, what);
        worker b(context, shared, what);
        std::thread serves([&] { serving.run(); });
        const auto first = a.go();
        const auto second = b.go();
        serving.stop();
        serves.join();
        CHECK(first.holds);
        CHECK(first.valid);
        CHECK_FALSE(second.holds);
        CHECK_FALSE(second.valid);
        CHECK(std::string(first.session.data()) != std::string(second.session.data()));
        CHECK_FALSE(std::string(second.session.data()).empty());
    }
}
