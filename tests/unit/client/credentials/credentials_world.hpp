// Sources of keys among fakes: a loop, a clock set by hand, a configuration of maps, services that follow a script.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "client/credentials/default_chain.hpp"
#include "client/credentials/source_context.hpp"

#include "unit/aws/fake_config.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace credentials_test {

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using detail::shared_source_context;

/// Stands still until it is told to move.
class manual_clock final : public clock {
public:
    explicit manual_clock(asio::io_context& io) : io_(io) {}

    time_point now() const noexcept override { return now_; }
    wall_time wall() const noexcept override { return wall_; }

    void advance(duration time) {
        now_ += time;
        wall_ += std::chrono::duration_cast<std::chrono::milliseconds>(time);
        while (!waits_.empty() && waits_.begin()->first <= now_) {
            asio::post(io_,
                       [handler = std::move(waits_.begin()->second)]() mutable { std::move(handler)(error_code{}); });
            waits_.erase(waits_.begin());
        }
    }

private:
    void wait_until(time_point when, wait_handler handler) override {
        waits_.emplace(when, std::move(handler));
        advance(0s);
    }

    asio::io_context& io_;
    time_point now_{1h};
    wall_time wall_{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};
    std::multimap<time_point, wait_handler> waits_;
};

/// Chance without surprises: pauses have no length.
class no_chance final : public random {
public:
    std::uint64_t next() override { return 0; }
};

class fake_transport final : public detail::web_transport {
public:
    using script = std::function<result<aws::web_answer>(const aws::web_request&)>;

    explicit fake_transport(script behaviour) : behaviour_(std::move(behaviour)) {}

    asio::awaitable<result<aws::web_answer>> exchange(aws::web_request request, std::chrono::milliseconds) override {
        asked.push_back(request.method + ' ' + request.url());
        co_return behaviour_(request);
    }
    void close() noexcept override {}

    std::vector<std::string> asked;

private:
    script behaviour_;
};

struct credentials_world {
    asio::io_context io{1};
    std::shared_ptr<manual_clock> time = std::make_shared<manual_clock>(io);
    environment world{io.get_executor(), time, std::make_shared<no_chance>()};
    testing_support::fake_config config;
    std::shared_ptr<fake_transport> web;

    shared_source_context context(fake_transport::script behaviour, std::string profile = {}) {
        web = std::make_shared<fake_transport>(std::move(behaviour));
        return std::make_shared<const detail::source_context>(detail::source_context{
            world, config.source(), web, detail::make_process_runner(world), std::move(profile)});
    }

    template <class T>
    T run(asio::awaitable<T> body) {
        std::optional<T> done;
        asio::co_spawn(io, std::move(body), [&done](std::exception_ptr failure, T value) {
            if (failure) std::rethrow_exception(failure);
            done = std::move(value);
        });
        io.restart();
        io.run_for(20s);
        REQUIRE(done);
        return *std::move(done);
    }
};

/// In the child of a fork that shares the loop: what it says is the exit status.
template <class Work>
int status_of_a_fork(asio::io_context& io, Work work) {
    io.notify_fork(asio::io_context::fork_prepare);
    const pid_t forked = ::fork();
    if (forked == 0) {
        io.notify_fork(asio::io_context::fork_child);
        ::_exit(work());
    }
    io.notify_fork(asio::io_context::fork_parent);
    int status = 0;
    REQUIRE(::waitpid(forked, &status, 0) == forked);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline failure nobody_there() {
    return failure(errc::unreachable);
}

}  // namespace credentials_test
