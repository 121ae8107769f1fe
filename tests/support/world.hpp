// Simulated processes around one embedded DynamoDB, for tests of what runs on the ports.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/local/database.hpp>
#include <dynalease/lock.hpp>
#include <dynalease/session.hpp>
#include <dynalease/testing/environment.hpp>
#include <dynalease/testing/faulty_database.hpp>
#include <dynalease/testing/process.hpp>
#include <dynalease/testing/scheduler.hpp>
#include <dynalease/testing/virtual_clock.hpp>
#include <dynalease/testing/world.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynalease::tests {

using namespace std::chrono_literals;
namespace asio = boost::asio;

inline constexpr const char* table = "coordination";
inline constexpr auto as_tuple = asio::as_tuple(asio::deferred);

/// The store, and the one true time.
class world {
public:
    explicit world(std::uint64_t seed = 0) : simulated(seed) { simulated.create_table(table); }

    /// Straight to the engine, behind the back of all processes.
    template <class Request>
    typename Request::response apply(Request request) {
        return simulated.call(std::move(request)).value();
    }

    item row(const std::string& partition_key) { return simulated.row(table, partition_key).value_or(item{}); }

    testing::world simulated;
    testing::scheduler& scheduler = simulated.scheduler();
    const local::database& store = simulated.store();
};

/// One process: its clock, its network, its session.
class node {
public:
    explicit node(world& where, std::uint64_t seed = 1, testing::virtual_clock_options clock = {},
                  session_options options = {.table = table},
                  testing::dispatching how = testing::dispatching::posts)
        : process(std::make_unique<testing::process>(where.scheduler, how)),
          environment(testing::make_environment(*process, seed, clock)),
          network(std::make_shared<testing::faulty_database>(where.scheduler, where.simulated.receiver(), environment)),
          session(std::in_place, database(network), std::move(options)) {}

    /// As kill -9: nothing of it runs any more, not even what its destructors ask for. Drop its guards first.
    void crash() {
        session.reset();
        network.reset();
        environment = {};
        process.reset();
    }

    std::size_t requests(std::string_view key_part) const {
        return static_cast<std::size_t>(
            std::count_if(network->log().begin(), network->log().end(),
                          [&](const auto& entry) { return entry->key.find(key_part) != std::string::npos; }));
    }

    std::unique_ptr<testing::process> process;
    dynalease::environment environment;
    std::shared_ptr<testing::faulty_database> network;
    std::optional<dynalease::session> session;
};

/// Something that runs in a node; `wait` lets the world go on until it has ended.
class running {
public:
    running(world& where, const node& in, asio::awaitable<void> body)
        : world_(where), state_(std::make_shared<state>()) {
        asio::co_spawn(in.environment.executor, std::move(body), [state = state_](std::exception_ptr thrown) {
            state->thrown = thrown;
            state->done = true;
        });
    }

    bool done() const { return state_->done; }

    /// @throws what the body threw, and when it does not end within `limit` of virtual time.
    void wait(std::chrono::nanoseconds limit = 10min) {
        const auto end = world_.scheduler.now() + limit;
        while (!state_->done) {
            if (world_.scheduler.now() > end || !world_.scheduler.step()) {
                throw std::runtime_error("it does not end");
            }
        }
        if (state_->thrown) std::rethrow_exception(state_->thrown);
    }

private:
    struct state {
        bool done = false;
        std::exception_ptr thrown;
    };
    world& world_;
    std::shared_ptr<state> state_;
};

inline void run(world& where, const node& in, asio::awaitable<void> body, std::chrono::nanoseconds limit = 10min) {
    running(where, in, std::move(body)).wait(limit);
}

inline asio::awaitable<void> sleep(const node& in, std::chrono::nanoseconds time) {
    auto& clock = *in.environment.clock;
    co_await clock.async_wait_until(clock.now() + time, asio::deferred);
}

}  // namespace dynalease::tests
