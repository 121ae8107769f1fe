// A forked child and the connections that it inherits: they stay its parent's, and so do the answers in them.
// SPDX-License-Identifier: BSL-1.0
#include "unit/http/fixture.hpp"

#include <sys/wait.h>
#include <unistd.h>

using namespace http_test;
using support::answer;
using support::reaction;
using support::scripted_server;

namespace {

/// The peer has a loop of its own, which only the parent runs.
struct forking : fixture {
    asio::io_context serving{1};
    bool silent = false;
    scripted_server server{serving.get_executor(), [this](std::size_t, const std::string& request) {
                               return silent ? reaction{} : reaction{answer(200, request.substr(request.size() - 2))};
                           }};

    forking() { connect_to(server.port()); }
    ~forking() {
        server.stop();
        serving.poll();
    }

    void begin(std::string body, done& into) {
        asio::co_spawn(
            world.executor,
            [](forking& fx, std::string what, done& result) -> asio::awaitable<void> {
                auto got = co_await exchange(*fx.pool, post(what), fx.in(5s));
                result = std::move(got);
            }(*this, std::move(body), into),
            [](std::exception_ptr failure) {
                if (failure) std::rethrow_exception(failure);
            });
    }

    template <class Condition>
    void serve_until(Condition condition) {
        while (!condition()) {
            io.restart();
            io.poll();
            serving.restart();
            serving.poll();
        }
    }

    /// Runs `child` in a child, while the parent serves and does nothing else. Whether it returned true.
    template <class Child>
    bool fork_and_serve(Child child) {
        io.notify_fork(asio::io_context::fork_prepare);
        const auto id = ::fork();
        REQUIRE(id >= 0);
        if (id == 0) {
            io.notify_fork(asio::io_context::fork_child);
            io.restart();
            ::_exit(child() ? 0 : 1);
        }
        io.notify_fork(asio::io_context::fork_parent);
        int status = 0;
        while (::waitpid(id, &status, WNOHANG) == 0) {
            serving.restart();
            serving.poll();
        }
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
};

}  // namespace

TEST_CASE("a forked child opens connections of its own, and its parent's are as they were") {
    forking f;
    done seen;
    f.begin("in", seen);
    f.serve_until([&] { return seen.body == "in"; });
    CHECK(f.fork_and_serve([&f] {
        done own;
        f.begin("ch", own);
        f.io.run_for(5s);
        return own.body == "ch" && f.pool->counters().opened == 2;
    }));
    f.begin("pa", seen);
    f.serve_until([&] { return seen.body == "pa"; });
    CHECK(f.pool->counters().opened == 1);
    CHECK(f.server.connections() == 2);
}

TEST_CASE("an answer that was under way at the fork is its parent's; the child's copies of those who wait are told") {
    forking f;
    f.limits.connections = 1;
    f.connect_to(f.server.port());
    f.silent = true;
    done first;
    done second;
    f.begin("a1", first);
    f.serve_until([&] { return f.server.requests().size() == 1; });
    f.begin("a2", second);
    f.serve_until([&] { return f.pool->counters().waiting == 1; });
    f.server.say(answer(200, "a1"));
    CHECK(f.fork_and_serve([&] {
        f.io.run_for(5s);
        return first.error == errc::shut_down && second.error == errc::shut_down && f.pool->counters().opened == 1;
    }));
    f.silent = false;
    f.serve_until([&] { return first.status == 200 && second.status == 200; });
    CHECK(first.body == "a1");
    CHECK(second.body == "a2");
    CHECK(f.server.connections() == 1);
}
