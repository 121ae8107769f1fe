// Order, time, pauses and crashes of simulated processes.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/testing/environment.hpp>
#include <dynalease/testing/seeded_random.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using boost::system::error_code;

namespace {

asio::awaitable<void> work(environment where, int id, std::string& trace) {
    for (int i = 0; i < 3; ++i) {
        const auto when = where.clock->now() + 10s;
        co_await where.clock->async_wait_until(when, asio::use_awaitable);
        trace += std::to_string(id);
    }
}

asio::awaitable<void> choose(environment where, std::size_t& winner) {
    using namespace asio::experimental::awaitable_operators;
    const auto now = where.clock->now();
    auto either = where.clock->async_wait_until(now + 1h, asio::use_awaitable) ||
                  where.clock->async_wait_until(now + 5s, asio::use_awaitable);
    const auto won = co_await std::move(either);
    winner = won.index();
    const auto strand = asio::make_strand(where.executor);
    co_await asio::post(strand, asio::use_awaitable);
}

std::string trace_of(std::uint64_t seed) {
    testing::scheduler scheduler(seed);
    std::string trace;
    std::size_t winner = 9;
    std::vector<std::unique_ptr<testing::process>> processes;
    for (int id = 0; id < 4; ++id) {
        processes.push_back(std::make_unique<testing::process>(scheduler));
        auto& process = *processes.back();
        asio::co_spawn(process.get_executor(), work(testing::make_environment(process, 1), id, trace), asio::detached);
    }
    asio::co_spawn(scheduler.get_executor(), choose(testing::make_environment(scheduler, 1), winner), asio::detached);
    scheduler.run();
    CHECK(winner == 1);
    CHECK(scheduler.now().time_since_epoch() == 30s);
    return trace;
}

struct unwound {
    int* count;
    ~unwound() { ++*count; }
};

asio::awaitable<void> wait_twice(environment where, int* count) {
    const unwound note{count};
    co_await where.clock->async_wait_until(where.clock->now() + 1h, asio::use_awaitable);
    co_await where.clock->async_wait_until(where.clock->now() + 1h, asio::use_awaitable);
}

std::size_t threads() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
    return count;
}

}  // namespace

TEST_CASE("a seed fixes the order, other seeds give other orders, and no thread is started", "[scheduler]") {
    const auto threads_before = threads();
    std::set<std::string> traces;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto trace = trace_of(seed);
        CHECK(trace.size() == 12);
        CHECK(trace_of(seed) == trace);
        traces.insert(trace);
    }
    CHECK(traces.size() > 10);
    CHECK(trace_of(0) == "012301230123");
    CHECK(threads() == threads_before);
}

TEST_CASE("a strand keeps the order of posts whatever the seed", "[scheduler]") {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        testing::scheduler scheduler(seed);
        const auto strand = asio::make_strand(scheduler.get_executor());
        std::vector<int> order;
        for (int i = 0; i < 5; ++i) asio::post(strand, [&, i] { order.push_back(i); });
        scheduler.run();
        REQUIRE(order == std::vector{0, 1, 2, 3, 4});
    }
}

TEST_CASE("time is run in pieces", "[scheduler]") {
    testing::scheduler scheduler;
    const auto where = testing::make_environment(scheduler, 1);
    std::vector<std::chrono::seconds> fired;
    for (const auto time : {1s, 2s, 3s}) {
        where.clock->async_wait_until(time_point(time), [&, time](error_code) { fired.push_back(time); });
    }
    scheduler.run_until(time_point(2s));
    CHECK(fired == std::vector{1s, 2s});
    CHECK(scheduler.now().time_since_epoch() == 2s);
    scheduler.run_for(500ms);
    CHECK(scheduler.now().time_since_epoch() == 2500ms);
    CHECK(fired.size() == 2);
    while (scheduler.step()) {
    }
    CHECK(fired.size() == 3);
    CHECK(scheduler.now().time_since_epoch() == 3s);
    CHECK(scheduler.run() == 0);
}

TEST_CASE("while the machine is suspended time passes and nothing runs", "[scheduler]") {
    testing::scheduler scheduler;
    const auto where = testing::make_environment(scheduler, 1);
    std::optional<dynalease::clock::time_point> seen;
    where.clock->async_wait_until(time_point(1s), [&](error_code) { seen = where.clock->now(); });
    scheduler.advance(1min);
    CHECK(!seen);
    scheduler.run();
    REQUIRE(seen);
    CHECK(seen->time_since_epoch() == 1min);
}

TEST_CASE("a paused process does nothing while others go on, and catches up", "[scheduler]") {
    testing::scheduler scheduler(3);
    testing::process other(scheduler);
    const auto here = testing::make_environment(scheduler, 1);
    const auto there = testing::make_environment(other, 2);
    std::string here_trace;
    std::string there_trace;
    asio::co_spawn(here.executor, work(here, 1, here_trace), asio::detached);
    asio::co_spawn(there.executor, work(there, 2, there_trace), asio::detached);
    scheduler.run_for(15s);
    CHECK(there_trace == "2");
    other.pause();
    scheduler.run_for(1h);
    CHECK(here_trace == "111");
    CHECK(there_trace == "2");
    other.resume();
    scheduler.run();
    CHECK(there_trace == "222");
}

TEST_CASE("a crash of one process destroys its handlers and leaves the others", "[scheduler]") {
    for (int crash_at = 0; crash_at < 12; ++crash_at) {
        testing::scheduler scheduler(5);
        auto other = std::make_unique<testing::process>(scheduler);
        int unwound_there = 0;
        for (int i = 0; i < 3; ++i) {
            const auto there = testing::make_environment(*other, 2);
            asio::co_spawn(there.executor, wait_twice(there, &unwound_there), asio::detached);
        }
        const auto here = testing::make_environment(scheduler, 1);
        std::string trace;
        asio::co_spawn(here.executor, work(here, 1, trace), asio::detached);
        for (int i = 0; i < crash_at; ++i) scheduler.step();
        if (crash_at % 2 == 1) other->pause();
        other.reset();
        const int unwound_by_crash = unwound_there;
        scheduler.run();
        CHECK(trace == "111");
        CHECK(unwound_there == unwound_by_crash);
        if (crash_at == 0) CHECK(scheduler.now().time_since_epoch() == 30s);
    }
}

TEST_CASE("an hour of a thousand heartbeats costs no time", "[scheduler]") {
    testing::scheduler scheduler;
    const auto where = testing::make_environment(scheduler, 1);
    std::string beats;
    for (int i = 0; i < 1000; ++i) asio::co_spawn(where.executor, work(where, 1, beats), asio::detached);
    scheduler.run();
    CHECK(beats.size() == 3000);
}

TEST_CASE("seeded numbers are the same for ever", "[scheduler]") {
    const auto chance = testing::seeded_random(42);
    CHECK(chance->next() == 1546998764402558742u);
    CHECK(chance->next() == 6990951692964543102u);
}
