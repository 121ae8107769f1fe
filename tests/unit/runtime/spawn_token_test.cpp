// Every form of completion token works on an operation behind the bridge, on real and on virtual time.
// SPDX-License-Identifier: BSL-1.0
#include "bridged_operation.hpp"

#include <dynalease/testing/environment.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch.hpp>

#include <future>
#include <vector>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using runtime::async_deliver;
using runtime::parcel;

namespace {

struct real_world {
    asio::io_context context;
    environment where = environment::system(context.get_executor());
    asio::any_io_executor elsewhere = asio::make_strand(context);
    using strand = asio::strand<asio::io_context::executor_type>;
    void run() { context.run(); }
};

struct virtual_world {
    virtual_world() { where.executor = asio::make_strand(scheduler.get_executor()); }

    testing::scheduler scheduler{7};
    environment where = testing::make_environment(scheduler, 1);
    asio::any_io_executor elsewhere = asio::make_strand(scheduler.get_executor());
    using strand = asio::strand<testing::process::executor_type>;
    void run() { scheduler.run(); }
};

asio::awaitable<void> await_all_forms(environment where, std::vector<int>& got) {
    auto first = co_await async_deliver(where, 50us, 1, asio::deferred);
    got.push_back(*first.content);
    auto second = co_await async_deliver(where, 50us, 2, asio::use_awaitable);
    got.push_back(*second.content);
    auto third = co_await async_deliver(where, 50us, 3, asio::as_tuple(asio::deferred));
    got.push_back(std::get<0>(third) ? 0 : *std::get<1>(third).content);
    error_code code = asio::error::fault;
    auto fourth = co_await async_deliver(where, 50us, 4, asio::redirect_error(asio::use_awaitable, code));
    got.push_back(code ? 0 : *fourth.content);
    auto fifth = co_await async_deliver(where, 0us, 5, asio::use_awaitable);
    got.push_back(*fifth.content);
}

asio::awaitable<void> await_either(environment where, std::size_t& winner, int& content) {
    using namespace asio::experimental::awaitable_operators;
    auto both = async_deliver(where, 1h, 1, asio::use_awaitable) || async_deliver(where, 100us, 2, asio::use_awaitable);
    auto won = co_await std::move(both);
    winner = won.index();
    if (won.index() == 1) content = *std::get<1>(won).content;
}

asio::awaitable<void> await_group(environment where, std::vector<error_code>& codes, std::vector<std::size_t>& order) {
    auto group = asio::experimental::make_parallel_group(async_deliver(where, 1h, 1, asio::deferred),
                                                         async_deliver(where, 100us, 2, asio::deferred));
    auto done = co_await group.async_wait(asio::experimental::wait_for_one(), asio::as_tuple(asio::use_awaitable));
    order.assign(std::get<0>(done).begin(), std::get<0>(done).end());
    codes = {std::get<1>(done), std::get<3>(done)};
}

void rethrow(std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

TEMPLATE_TEST_CASE("an operation can be awaited in every form", "[spawn]", real_world, virtual_world) {
    TestType world;
    std::vector<int> got;
    SECTION("on its own executor") {
        asio::co_spawn(world.where.executor, await_all_forms(world.where, got), rethrow);
    }
    SECTION("from another") {
        asio::co_spawn(world.elsewhere, await_all_forms(world.where, got), rethrow);
    }
    world.run();
    CHECK(got == std::vector{1, 2, 3, 4, 5});
}

TEMPLATE_TEST_CASE("the loser of an || is cancelled", "[spawn]", real_world, virtual_world) {
    TestType world;
    std::size_t winner = 9;
    int content = 0;
    asio::co_spawn(world.elsewhere, await_either(world.where, winner, content), rethrow);
    world.run();
    CHECK(winner == 1);
    CHECK(content == 2);
}

TEMPLATE_TEST_CASE("a parallel group cancels what it no longer waits for", "[spawn]", real_world, virtual_world) {
    TestType world;
    std::vector<error_code> codes;
    std::vector<std::size_t> order;
    asio::co_spawn(world.elsewhere, await_group(world.where, codes, order), rethrow);
    world.run();
    REQUIRE(codes.size() == 2);
    CHECK(codes[0] == asio::error::operation_aborted);
    CHECK(!codes[1]);
    CHECK(order == std::vector<std::size_t>{1, 0});
}

TEMPLATE_TEST_CASE("an operation gives a future", "[spawn]", real_world, virtual_world) {
    TestType world;
    std::future<parcel> future = async_deliver(world.where, 50us, 8, asio::use_future);
    world.run();
    CHECK(*future.get().content == 8);
}

TEMPLATE_TEST_CASE("a callback runs on its associated executor, or the operation's", "[spawn]", real_world,
                   virtual_world) {
    TestType world;
    const auto strand = asio::make_strand(world.elsewhere);
    bool on_own = false;
    bool on_operations = false;
    async_deliver(world.where, 50us, 1, asio::bind_executor(strand, [&](error_code code, parcel got) {
                      on_own = !code && *got.content == 1 && strand.running_in_this_thread();
                  }));
    async_deliver(world.where, 50us, 2, [&](error_code code, parcel got) {
        const auto* operations = world.where.executor.template target<typename TestType::strand>();
        on_operations = !code && *got.content == 2 && operations->running_in_this_thread();
    });
    world.run();
    CHECK(on_own);
    CHECK(on_operations);
}

TEMPLATE_TEST_CASE("nothing completes inside the initiating call", "[spawn]", real_world, virtual_world) {
    TestType world;
    bool done = false;
    bool done_inside = true;
    asio::post(world.where.executor, [&] {
        async_deliver(world.where, 0us, 1, [&](error_code, parcel) { done = true; });
        done_inside = done;
    });
    world.run();
    CHECK(done);
    CHECK(!done_inside);
}

namespace {

asio::awaitable<runtime::completion<void>> fail_with(error_code code) {
    throw boost::system::system_error(code);
    co_return runtime::completion<void>{};
}

asio::awaitable<runtime::completion<void>> throw_number() {
    throw 42;
    co_return runtime::completion<void>{};
}

}  // namespace

TEST_CASE("a system_error that leaves a body completes with its code", "[spawn]") {
    testing::scheduler scheduler;
    error_code got;
    const auto ex = asio::any_io_executor(scheduler.get_executor());
    runtime::spawn<void>(ex, fail_with(asio::error::host_not_found), [&](error_code code) { got = code; });
    scheduler.run();
    CHECK(got == asio::error::host_not_found);
}

TEST_CASE("any other exception leaves through run()", "[spawn]") {
    asio::io_context context;
    runtime::spawn<void>(asio::any_io_executor(context.get_executor()), throw_number(), [](error_code) {});
    CHECK_THROWS_AS(context.run(), int);
}

TEST_CASE("an operation keeps the context of its handler running", "[spawn]") {
    virtual_world world;
    asio::io_context other;
    bool done = false;
    async_deliver(world.where, 1s, 1,
                  asio::bind_executor(other.get_executor(), [&](error_code, parcel) { done = true; }));
    CHECK(other.poll() == 0);
    CHECK(!other.stopped());
    world.run();
    other.run();
    CHECK(done);
}
