// Cancellation against completion, at every moment that a seed can find: each operation completes exactly once.
// SPDX-License-Identifier: BSL-1.0
#include "bridged_operation.hpp"

#include <dynalease/testing/environment.hpp>
#include <dynalease/testing/seeded_random.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>

#include <catch2/catch.hpp>

#include <array>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using runtime::async_deliver;
using runtime::parcel;

namespace {

constexpr std::array cancellation_types{asio::cancellation_type::terminal, asio::cancellation_type::partial,
                                        asio::cancellation_type::total};

/// What the handler was told, by count.
struct tally {
    int delivered = 0;
    int aborted = 0;
    int other = 0;

    void operator()(error_code code, const parcel& got) {
        if (!code && got.content) {
            ++delivered;
        } else if (code == asio::error::operation_aborted && !got.content) {
            ++aborted;
        } else {
            ++other;
        }
    }
    int total() const { return delivered + aborted + other; }
};

}  // namespace

TEST_CASE("cancelled at any step of the scheduler, an operation completes once", "[spawn]") {
    tally all;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        const auto chance = testing::seeded_random(seed);
        const auto type = cancellation_types[seed % 3];
        testing::scheduler scheduler(seed);
        auto where = testing::make_environment(scheduler, seed);
        if (seed % 13 < 6) where.executor = asio::make_strand(scheduler.get_executor());
        const auto elsewhere = asio::make_strand(scheduler.get_executor());
        asio::cancellation_signal signal;
        tally once;

        const auto start = [&] {
            auto handler = [&](error_code code, parcel got) { once(code, got); };
            auto bound = asio::bind_cancellation_slot(signal.slot(), std::move(handler));
            if (seed % 2 == 0) {
                async_deliver(where, 1ms, 5, std::move(bound));
            } else {
                async_deliver(where, 1ms, 5, asio::bind_executor(elsewhere, std::move(bound)));
            }
        };
        if (seed % 5 == 0) {
            asio::post(where.executor, start);
        } else {
            start();
        }
        for (auto steps = chance->below(12); steps > 0; --steps) scheduler.step();
        if (seed % 7 == 0) {
            asio::post(where.executor, [&] { signal.emit(type); });
        } else {
            signal.emit(type);
        }
        if (seed % 11 == 0) signal.emit(cancellation_types[(seed + 1) % 3]);
        scheduler.run();

        INFO("seed " << seed);
        REQUIRE(once.total() == 1);
        REQUIRE(once.other == 0);
        all.delivered += once.delivered;
        all.aborted += once.aborted;
    }
    // The races are worth something only if both sides win many.
    CHECK(all.delivered > 300);
    CHECK(all.aborted > 300);
}

TEST_CASE("cancelled at any step of an io_context, an operation completes once", "[spawn]") {
    tally all;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        const auto chance = testing::seeded_random(seed);
        const auto type = cancellation_types[seed % 3];
        asio::io_context context;
        asio::any_io_executor executor = context.get_executor();
        if (seed % 2 == 0) executor = asio::make_strand(context);
        const auto line = std::make_shared<runtime::waiter_list<parcel>>(executor);
        auto signal = std::make_unique<asio::cancellation_signal>();
        tally once;

        // The signal ends with the operation, as in an object that owns both.
        auto handler = [&](error_code code, parcel got) {
            signal.reset();
            once(code, got);
        };
        runtime::spawn<parcel>(executor,
                               runtime::stand_in_line(executor, line, static_cast<unsigned>(chance->below(3))),
                               asio::bind_cancellation_slot(signal->slot(), std::move(handler)));
        const auto cancel_first = chance->below(2) == 0;
        for (auto steps = chance->below(9); steps > 0; --steps) context.poll_one();
        if (cancel_first && signal) signal->emit(type);
        asio::post(executor, [&] { line->complete_one(parcel{std::make_unique<int>(1)}); });
        for (auto steps = chance->below(4); steps > 0; --steps) context.poll_one();
        if (signal) signal->emit(type);
        context.run();

        INFO("seed " << seed);
        REQUIRE(once.total() == 1);
        REQUIRE(once.other == 0);
        all.delivered += once.delivered;
        all.aborted += once.aborted;
    }
    CHECK(all.delivered > 300);
    CHECK(all.aborted > 300);
}

TEST_CASE("an emission of no type cancels nothing", "[spawn]") {
    testing::scheduler scheduler;
    const auto where = testing::make_environment(scheduler, 1);
    asio::cancellation_signal signal;
    tally once;
    async_deliver(where, 1ms, 5,
                  asio::bind_cancellation_slot(signal.slot(), [&](error_code code, parcel got) { once(code, got); }));
    scheduler.step();
    signal.emit(asio::cancellation_type::none);
    scheduler.run();
    CHECK(once.delivered == 1);
}
