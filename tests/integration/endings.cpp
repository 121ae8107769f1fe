// What ends before what: client, session, lock, guard and the context itself, in every order; and contexts that stop,
// go on, or end in the middle of something. For locks, queues and locks of items.
// SPDX-License-Identifier: BSL-1.0
#include "primitives.hpp"

#include <dynalease/dynalease.hpp>
#include <dynalease/local/server.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using namespace dynalease;
using namespace dynalease::tests;
using namespace std::chrono_literals;

namespace {

client_options options_for(const local::server& server) {
    client_options options;
    options.region = "local";
    options.endpoint = server.endpoint();
    options.credentials = credentials{"local", "local", ""};
    return options;
}

/// A server with the table, on a thread of its own.
class service {
public:
    service() {
        client first{context_.get_executor(), options_for(server_)};
        create_table(first, "coordination", {}, [this](error_code) { context_.stop(); });
        context_.run();
        context_.restart();
        thread_ = std::thread([this] { context_.run(); });
    }
    ~service() {
        context_.stop();
        thread_.join();
    }

    client_options options() const { return options_for(server_); }

    /// The holder that the lock's row names, if any.
    bool names_holder(const std::string& lock) const {
        asio::io_context io{1};
        client reader{io.get_executor(), options()};
        bool held = false;
        get_item_request get{.table_name = "coordination", .key = {{"pk", "lock#" + lock}, {"sk", "-"}}};
        get.consistent_read = true;
        reader.execute(std::move(get), {}, [&](error_code code, const get_item_response& seen) {
            held = code || (seen.found && find(*seen.found, "holder"));
            reader.close();
        });
        io.run();
        return held;
    }

    void put(item row) const {
        asio::io_context io{1};
        client writer{io.get_executor(), options()};
        writer.execute(put_item_request{.table_name = "coordination", .new_item = std::move(row)}, {},
                       [&](error_code, const put_item_response&) { writer.close(); });
        io.run();
    }

private:
    asio::io_context context_{1};
    local::server server_{context_.get_executor()};
    std::thread thread_;
};

session_options in_table() {
    session_options options;
    options.table = "coordination";
    return options;
}

asio::awaitable<void> hold_some(client_options where, asio::io_context& io, std::string prefix, std::size_t count,
                                std::exception_ptr& failure) {
    try {
        client mine{io.get_executor(), std::move(where)};
        session_options options = in_table();
        session lease{mine, std::move(options)};
        std::vector<lock_guard> held;
        for (std::size_t i = 0; i < count; ++i) {
            lock target{lease, prefix + std::to_string(i)};
            auto guard = co_await target.acquire();
            held.push_back(std::move(guard));
        }
    } catch (...) {
        failure = std::current_exception();
    }
}

}  // namespace

TEST_CASE("leaving the scope of client, session and guards frees the locks, and then there is nothing left to do") {
    const service store;
    for (const std::size_t count : {1U, 20U}) {
        asio::io_context io{1};
        std::exception_ptr failure;
        const auto prefix = "scope" + std::to_string(count) + "/";
        asio::co_spawn(io, hold_some(store.options(), io, prefix, count, failure), asio::detached);
        const auto began = std::chrono::steady_clock::now();
        io.run();
        CHECK(std::chrono::steady_clock::now() - began < 4s);
        CHECK_FALSE(failure);
        for (std::size_t i = 0; i < count; ++i) CHECK_FALSE(store.names_holder(prefix + std::to_string(i)));
    }
}

namespace {

/// Something of that name that can be taken.
template <class Primitive>
std::string ready(const service& store, std::string name) {
    if constexpr (std::is_same_v<Primitive, items>) store.put(items::key_of(name));
    return name;
}

template <class Primitive>
struct household {
    std::unique_ptr<asio::io_context> context = std::make_unique<asio::io_context>(1);
    std::unique_ptr<client> database;
    std::unique_ptr<session> lease;
    std::unique_ptr<typename Primitive::target> target;
    std::unique_ptr<typename Primitive::guard> guard;

    household(const service& store, const std::string& name)
        : database(std::make_unique<client>(context->get_executor(), store.options())),
          lease(std::make_unique<session>(*database, in_table())),
          target(std::make_unique<typename Primitive::target>(Primitive::of(*lease, name))) {
        Primitive::take(*target, [this](error_code code, typename Primitive::guard got) {
            if (!code) guard = std::make_unique<typename Primitive::guard>(std::move(got));
        });
        while (!guard && context->run_one() != 0) {
        }
        // One that waits for it, and one that waits for its end.
        Primitive::take(*target, [](error_code, const typename Primitive::guard&) {});
        if (guard) guard->lost([](error_code) {});
    }
    // Of what is left, in no particular order.
    ~household() = default;

    void end(std::size_t which) {
        if (which == 0) context.reset();
        if (which == 1) database.reset();
        if (which == 2) lease.reset();
        if (which == 3) target.reset();
        if (which == 4) guard.reset();
    }
};

}  // namespace

TEMPLATE_TEST_CASE("context, client, session, lock and guard may end in any order", "", locks, queues, items) {
    const service store;
    std::array<std::size_t, 5> order{0, 1, 2, 3, 4};
    std::size_t round = 0;
    do {
        for (const bool goes_on_between : {false, true}) {
            household<TestType> all(store, ready<TestType>(store, "order" + std::to_string(++round)));
            REQUIRE(all.guard);
            for (const auto which : order) {
                all.end(which);
                if (goes_on_between && all.context) all.context->poll();
            }
        }
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(round == 240);
}

namespace {

template <class Primitive>
asio::awaitable<void> live(session lease, std::string name, bool& done) {
    auto target = Primitive::of(lease, std::move(name));
    auto guard = co_await Primitive::take(target);
    co_await Primitive::give_back(guard);
    co_await lease.close();
    done = true;
}

}  // namespace

TEMPLATE_TEST_CASE("a context may end, or stop and go on, at any step of a lock's life", "", locks, queues, items) {
    const service store;
    for (int steps = 0; steps < 60; ++steps) {
        const auto first = ready<TestType>(store, "step" + std::to_string(steps));
        const auto second = ready<TestType>(store, first + "/again");
        bool done = false;
        {
            asio::io_context ends{1};
            client database{ends.get_executor(), store.options()};
            session lease{database, in_table()};
            asio::co_spawn(ends, live<TestType>(std::move(lease), first, done), asio::detached);
            for (int i = 0; i < steps; ++i) ends.run_one_for(5ms);
        }
        asio::io_context goes_on{1};
        client database{goes_on.get_executor(), store.options()};
        session lease{database, in_table()};
        asio::co_spawn(goes_on, live<TestType>(std::move(lease), second, done), asio::detached);
        for (int i = 0; i < steps; ++i) goes_on.run_one_for(5ms);
        goes_on.stop();
        goes_on.restart();
        done = false;
        while (!done && goes_on.run_one_for(10s) != 0) {
        }
        // The session may have been closed before; then there is nothing more to run.
        CHECK((done || goes_on.stopped()));
    }
}

namespace {

asio::awaitable<int> keep_the_thread(lock_guard& guard) {
    std::this_thread::sleep_for(1200ms);  // in real time: where the loop stands still, no scheduler could tell
    CHECK_FALSE(guard.held());
    co_return 1;
}

asio::awaitable<void> work_too_long(session& lease, error_code& told) {
    lock target{lease, "too long"};
    acquire_options patience;
    patience.wait = std::chrono::nanoseconds::max();  // on a clock that goes on between two looks at it
    try {
        co_await with_lock(target, keep_the_thread, patience);
    } catch (const error& why) {
        told = why.code();
    }
}

}  // namespace

TEST_CASE("work that keeps its thread past the lease fails as lost, though nobody could tell it") {
    const service store;
    asio::io_context io{1};
    client database{io.get_executor(), store.options()};
    auto options = in_table();
    options.lease = 1s;
    session lease{database, options};
    error_code told;
    asio::co_spawn(io, work_too_long(lease, told), [&](std::exception_ptr) { io.stop(); });
    io.run();
    CHECK(told == errc::lock_lost);
}

TEST_CASE("what a handler throws leaves run(), and the library goes on") {
    const service store;
    asio::io_context io{1};
    client database{io.get_executor(), store.options()};
    session lease{database, in_table()};
    lock target{lease, "throws"};
    const bool on_strand = GENERATE(false, true);
    if (on_strand) {
        target.acquire([](error_code, lock_guard) { throw std::runtime_error("the handler's"); });
    } else {
        target.acquire(
            asio::bind_executor(io, [](error_code, lock_guard) { throw std::runtime_error("the handler's"); }));
    }
    CHECK_THROWS_WITH(io.run(), "the handler's");
    bool again = false;
    target.acquire([&](error_code code, lock_guard guard) {
        again = !code && guard.held();
        lease.close({}, [](error_code, const close_report&) {});
    });
    io.run();
    CHECK(again);
}
