// The clock of production on a real io_context. Waits are short; nothing sleeps.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/system_clock.hpp"

#include <dynalease/runtime/environment.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <vector>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using boost::system::error_code;

namespace {

struct world {
    asio::io_context context;
    runtime::system_clock clock{context.get_executor()};
};

}  // namespace

TEST_CASE_METHOD(world, "it shows the time since boot, suspend included", "[clock]") {
    timespec boot{};
    ::clock_gettime(CLOCK_BOOTTIME, &boot);
    const auto expected = std::chrono::seconds(boot.tv_sec) + std::chrono::nanoseconds(boot.tv_nsec);
    const auto shown = clock.now().time_since_epoch();
    CHECK(shown >= expected);
    CHECK(shown < expected + 1s);
    const auto earlier = clock.now();
    CHECK(clock.now() >= earlier);
    const auto wall = clock.wall();
    CHECK(std::chrono::abs(std::chrono::system_clock::now() - wall) < 1s);
}

TEST_CASE_METHOD(world, "waits complete in the order of their times, never early", "[clock]") {
    std::vector<int> order;
    const auto start = clock.now();
    for (const int i : {3, 1, 2, 0}) {
        const auto when = start + i * 500us;
        clock.async_wait_until(when, [&, i, when](error_code code) {
            CHECK(!code);
            CHECK(clock.now() >= when);
            order.push_back(i);
        });
    }
    context.run();
    CHECK(order == std::vector{0, 1, 2, 3});
    CHECK(clock.now() < start + 1s);
}

TEST_CASE_METHOD(world, "a time that is past completes at once, but not inside the call", "[clock]") {
    bool done = false;
    clock.async_wait_until(clock.now() - 1h, [&](error_code code) { done = !code; });
    CHECK(!done);
    context.run();
    CHECK(done);
}

TEST_CASE_METHOD(world, "an earlier wait that comes later is not held up", "[clock]") {
    asio::cancellation_signal signal;
    std::vector<int> order;
    clock.async_wait_until(clock.now() + 1h, asio::bind_cancellation_slot(signal.slot(), [&](error_code code) {
                               order.push_back(code == asio::error::operation_aborted ? 2 : -1);
                           }));
    clock.async_wait_until(clock.now() + 1ms, [&](error_code) {
        order.push_back(1);
        signal.emit(asio::cancellation_type::total);
    });
    context.run();
    CHECK(order == std::vector{1, 2});
}

TEST_CASE_METHOD(world, "run() returns when nobody waits any more, and waits can start again", "[clock]") {
    for (int round = 0; round < 3; ++round) {
        context.restart();
        asio::cancellation_signal signal;
        error_code got;
        clock.async_wait_until(clock.now() + 1h,
                               asio::bind_cancellation_slot(signal.slot(), [&](error_code code) { got = code; }));
        CHECK(context.poll() == 0);
        CHECK(!context.stopped());
        signal.emit(asio::cancellation_type::partial);
        context.run();
        CHECK(got == asio::error::operation_aborted);

        context.restart();
        bool reached = false;
        clock.async_wait_until(clock.now() + 100us, [&](error_code code) { reached = !code; });
        context.run();
        CHECK(reached);
    }
}

TEST_CASE_METHOD(world, "a slot may still emit after the wait", "[clock]") {
    asio::cancellation_signal signal;
    int completions = 0;
    clock.async_wait_until(clock.now() + 100us,
                           asio::bind_cancellation_slot(signal.slot(), [&](error_code) { ++completions; }));
    context.run();
    signal.emit(asio::cancellation_type::terminal);
    context.restart();
    context.run();
    CHECK(completions == 1);
}

TEST_CASE_METHOD(world, "handlers run on their associated executor, whose context stays at work", "[clock]") {
    asio::io_context other;
    const auto strand = asio::make_strand(other);
    bool there = false;
    clock.async_wait_until(clock.now() + 100us,
                           asio::bind_executor(strand, [&](error_code) { there = strand.running_in_this_thread(); }));
    CHECK(other.poll() == 0);
    CHECK(!other.stopped());
    context.run();
    CHECK(!there);
    other.run();
    CHECK(there);
}

TEST_CASE("the end of the clock aborts its waits", "[clock]") {
    asio::io_context context;
    auto clock = std::make_unique<runtime::system_clock>(context.get_executor());
    auto future = clock->async_wait_until(clock->now() + 1h, asio::use_future);
    clock.reset();
    context.run();
    CHECK_THROWS_AS(future.get(), boost::system::system_error);
}

TEST_CASE("the end of the context destroys waits, wherever the clock is", "[clock]") {
    const bool clock_in_handler = GENERATE(false, true);
    auto alive = std::make_shared<int>(1);
    std::shared_ptr<runtime::system_clock> clock;
    {
        asio::io_context context;
        clock = std::make_shared<runtime::system_clock>(context.get_executor());
        auto& waits_on = *clock;
        auto held = clock_in_handler ? std::exchange(clock, nullptr) : nullptr;
        waits_on.async_wait_until(waits_on.now() + 1h, [alive, held](error_code) { FAIL("called after the end"); });
        held.reset();
        context.poll();
        CHECK(alive.use_count() == 2);
    }
    CHECK(alive.use_count() == 1);
    if (clock) CHECK(clock->now().time_since_epoch() > 0s);
}

TEST_CASE_METHOD(world, "a forked child sets a timer of its own, not its parent's", "[clock]") {
    bool reached = false;
    clock.async_wait_until(clock.now() + 5ms, [&](error_code code) { reached = !code; });
    context.notify_fork(asio::io_context::fork_prepare);
    const auto child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        context.notify_fork(asio::io_context::fork_child);
        context.run_for(10s);  // its copy of the wait
        clock.async_wait_until(clock.now() + 1h, [](error_code) {});
        ::_exit(reached ? 0 : 1);
    }
    context.notify_fork(asio::io_context::fork_parent);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    context.run_for(10s);
    CHECK(reached);
}

TEST_CASE("an environment of the system needs no thread and gives a serial executor", "[clock]") {
    const auto threads = [] {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
        return count;
    };
    const auto before = threads();
    asio::io_context context;
    const auto where = environment::system(context.get_executor());
    CHECK(where.executor.target<asio::strand<asio::io_context::executor_type>>() != nullptr);
    CHECK(where.new_id() != where.new_id());
    bool reached = false;
    where.clock->async_wait_until(where.clock->now() + 1ms, [&](error_code) { reached = true; });
    context.run();
    CHECK(reached);
    CHECK(threads() == before);
}
