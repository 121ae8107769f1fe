// The bridge with real threads: initiated, run and cancelled on different ones.
// SPDX-License-Identifier: BSL-1.0
#include "bridged_operation.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <thread>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using runtime::async_deliver;
using runtime::parcel;

namespace {

/// Two threads that run one context.
class two_threads {
public:
    ~two_threads() { join(); }

    asio::io_context context{2};

    void join() {
        work_.reset();
        for (auto& thread : threads_) {
            if (thread.joinable()) thread.join();
        }
    }

private:
    asio::executor_work_guard<asio::io_context::executor_type> work_{context.get_executor()};
    std::array<std::thread, 2> threads_{std::thread([this] { context.run(); }), std::thread([this] { context.run(); })};
};

constexpr std::array types{asio::cancellation_type::terminal, asio::cancellation_type::partial,
                           asio::cancellation_type::total};

}  // namespace

TEST_CASE("operations on a strand survive cancellation from other threads", "[spawn][threads]") {
    constexpr std::size_t count = 2100;
    std::deque<asio::cancellation_signal> signals(count);
    std::atomic<std::size_t> delivered = 0;
    std::atomic<std::size_t> aborted = 0;
    std::atomic<std::size_t> started = 0;
    two_threads pool;
    const auto where = environment::system(pool.context.get_executor());
    const auto elsewhere = asio::make_strand(pool.context);

    std::thread canceller([&] {
        for (std::size_t i = 0; i < count; ++i) {
            while (started.load(std::memory_order_acquire) <= i) std::this_thread::yield();
            signals[i].emit(types[i % 3]);
        }
    });
    for (std::size_t i = 0; i < count; ++i) {
        auto handler = [&](error_code code, parcel got) { ++(code || !got.content ? aborted : delivered); };
        auto bound = asio::bind_cancellation_slot(signals[i].slot(), std::move(handler));
        const auto time = i % 2 == 0 ? 0us : 20us;
        if (i % 4 < 2) {
            async_deliver(where, time, 1, std::move(bound));
        } else {
            async_deliver(where, time, 1, asio::bind_executor(elsewhere, std::move(bound)));
        }
        started.store(i + 1, std::memory_order_release);
    }
    canceller.join();
    pool.join();
    CHECK(delivered + aborted == count);
}

namespace {

asio::awaitable<runtime::completion<void>> count_up(int* shared, asio::any_io_executor executor) {
    const int seen = *shared;
    *shared = seen + 1;  // a plain int: only a serial executor makes this right
    co_await asio::post(executor, asio::deferred);
    ++*shared;
    co_return runtime::completion<void>{};
}

}  // namespace

TEST_CASE("bodies started from many threads run serially on their strand", "[spawn][threads]") {
    constexpr int each = 500;
    int shared = 0;
    std::atomic<int> done = 0;
    two_threads pool;
    const asio::any_io_executor strand = asio::make_strand(pool.context);
    const auto start_all = [&] {
        for (int i = 0; i < each; ++i) {
            runtime::spawn<void>(strand, count_up(&shared, strand), [&](error_code) { ++done; });
        }
    };
    std::thread first(start_all);
    std::thread second(start_all);
    first.join();
    second.join();
    pool.join();
    CHECK(done == 2 * each);
    CHECK(shared == 4 * each);
}

TEST_CASE("waits on the system clock are started and cancelled on any thread", "[clock][threads]") {
    constexpr std::size_t each = 500;
    std::deque<asio::cancellation_signal> signals(2 * each);
    std::atomic<std::size_t> reached = 0;
    std::atomic<std::size_t> aborted = 0;
    two_threads pool;
    const auto where = environment::system(pool.context.get_executor());
    const auto wait_and_cancel = [&](std::size_t first) {
        for (std::size_t i = first; i < first + each; ++i) {
            const auto when = where.clock->now() + std::chrono::microseconds(i % 40);
            where.clock->async_wait_until(when, asio::bind_cancellation_slot(signals[i].slot(), [&](error_code code) {
                                              ++(code ? aborted : reached);
                                          }));
            if (i % 3 != 0) signals[i].emit(types[i % 3]);
        }
    };
    std::thread first(wait_and_cancel, 0);
    std::thread second(wait_and_cancel, each);
    first.join();
    second.join();
    pool.join();
    CHECK(reached + aborted == 2 * each);
    CHECK(reached > 0);
}
