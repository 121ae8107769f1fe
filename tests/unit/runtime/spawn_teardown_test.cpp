// A context that ends at any step destroys what is pending, once, and calls nothing.
// SPDX-License-Identifier: BSL-1.0
#include "bridged_operation.hpp"
#include "runtime/alarm.hpp"
#include "runtime/gate.hpp"

#include <dynalease/testing/environment.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

#include <catch2/catch.hpp>

#include <optional>
#include <utility>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using runtime::completion;

namespace {

/// Counts itself, to see that every frame and handler ends.
class counted {
public:
    explicit counted(int& alive) : alive_(&alive) { ++alive; }
    counted(const counted& other) : alive_(other.alive_) { ++*alive_; }
    counted& operator=(const counted&) = delete;
    ~counted() { --*alive_; }

private:
    int* alive_;
};

/// What a session owns: shared by the coroutines that wait on it, so that only the context can break the ring.
struct core {
    explicit core(const environment& given) : where(given), line(given.executor), gate(given.executor), alarm(given) {}

    environment where;
    runtime::waiter_list<runtime::unit> line;
    runtime::gate gate;
    runtime::alarm alarm;
};

asio::awaitable<void> beat(std::shared_ptr<core> owner, counted) {
    for (int i = 0; i < 5; ++i) co_await owner->alarm.wait_until(owner->where.clock->now() + 20us);
}

asio::awaitable<completion<void>> wait_in_line(std::shared_ptr<core> owner, counted) {
    const auto deadline = owner->where.clock->now() + 70us;
    const auto served =
        co_await owner->line.async_wait_until(*owner->where.clock, deadline, asio::as_tuple(asio::deferred));
    completion<void> result;
    result.code = std::get<0>(served);
    co_return result;
}

asio::awaitable<completion<void>> wait_for_ever(std::shared_ptr<core> owner, counted) {
    const auto served = co_await owner->line.async_wait(asio::as_tuple(asio::deferred));
    completion<void> result;
    result.code = std::get<0>(served);
    co_return result;
}

asio::awaitable<completion<void>> close_when_idle(std::shared_ptr<core> owner, counted) {
    owner->gate.close();
    completion<void> result;
    result.code = co_await owner->gate.wait_idle();
    co_return result;
}

void start(const environment& where, asio::cancellation_signal& signal, int& alive, int& completed) {
    const auto owner = std::make_shared<core>(where);
    const auto count = [&completed, kept = counted(alive)](error_code) { ++completed; };
    asio::post(where.executor, [owner, &alive] {
        runtime::spawn_background(owner->where.executor, owner->gate, beat(owner, counted(alive)));
    });
    runtime::spawn<void>(where.executor, wait_in_line(owner, counted(alive)), count);
    runtime::spawn<void>(where.executor, wait_for_ever(owner, counted(alive)),
                         asio::bind_cancellation_slot(signal.slot(), count));
    runtime::spawn<void>(where.executor, close_when_idle(owner, counted(alive)), count);
}

}  // namespace

TEST_CASE("a simulated process may crash at every step", "[teardown]") {
    int completed_at_end = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        for (int kill_at = 0;; ++kill_at) {
            asio::cancellation_signal signal;
            int alive = 0;
            int completed = 0;
            bool ended = false;
            {
                testing::scheduler scheduler(seed);
                start(testing::make_environment(scheduler, 1), signal, alive, completed);
                bool cancelled = false;
                for (int i = 0; i < kill_at && !ended; ++i) {
                    if (scheduler.step()) continue;
                    // Only the waiter without a deadline is left.
                    ended = std::exchange(cancelled, true);
                    signal.emit(asio::cancellation_type::total);
                }
            }
            const int before = completed;
            signal.emit(asio::cancellation_type::terminal);  // to nobody, and harmless
            INFO("seed " << seed << ", killed at step " << kill_at);
            REQUIRE(alive == 0);
            REQUIRE(completed == before);
            if (ended) {
                completed_at_end += completed;
                break;
            }
            REQUIRE(kill_at < 1000);
        }
    }
    CHECK(completed_at_end == 5 * 3);
}

TEST_CASE("an io_context may end at every step, with the environment before or after it", "[teardown]") {
    for (int kill_at = 0; kill_at < 60; ++kill_at) {
        asio::cancellation_signal signal;
        int alive = 0;
        int completed = 0;
        std::shared_ptr<dynalease::clock> outlives;
        {
            asio::io_context context;
            const auto where = environment::system(context.get_executor());
            if (kill_at % 2 == 0) outlives = where.clock;
            start(where, signal, alive, completed);
            for (int i = 0; i < kill_at; ++i) context.poll_one();
        }
        const int before = completed;
        signal.emit(asio::cancellation_type::terminal);
        INFO("killed at step " << kill_at);
        REQUIRE(alive == 0);
        REQUIRE(completed == before);
    }
}

TEST_CASE("lists, gates and clocks may be used up after their context has ended", "[teardown]") {
    std::optional<asio::io_context> context(std::in_place);
    const asio::any_io_executor executor = context->get_executor();
    int alive = 0;
    runtime::waiter_list<runtime::unit> list(executor);
    runtime::gate gate(executor);
    auto pass = gate.enter();
    environment where = environment::system(executor);
    where.executor = executor;
    list.async_wait([kept = counted(alive)](error_code, runtime::unit) { FAIL("called after the end"); });
    list.async_wait_until(*where.clock, where.clock->now() + 1h,
                          [kept = counted(alive)](error_code, runtime::unit) { FAIL("called after the end"); });
    CHECK(alive == 2);
    context.reset();
    CHECK(alive == 0);
    CHECK(list.empty());
    CHECK(!list.complete_one({}));
}
