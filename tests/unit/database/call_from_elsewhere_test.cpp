// `call` from coroutines on other executors than the database's: the request is made on ours, the answer comes back
// whole.
// SPDX-License-Identifier: BSL-1.0
#include "support/world.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using strand = asio::strand<asio::any_io_executor>;

/// Notes where requests are made, and refuses a transaction.
class noting final : public database_backend {
public:
    explicit noting(strand own) : environment_(local::database(own).environment()), own_(std::move(own)) {}

    const dynalease::environment& environment() const noexcept override { return environment_; }
    asio::awaitable<result<any_response>> perform(any_request request, call_options) override {
        ++performed;
        if (!own_.running_in_this_thread()) ++elsewhere;
        if (std::holds_alternative<get_item_request>(request)) co_return get_item_response{};
        failure why(errc::transaction_canceled);
        why.reasons.emplace_back().code = "ConditionalCheckFailed";
        co_return why;
    }

    std::atomic<int> performed = 0;
    std::atomic<int> elsewhere = 0;

private:
    const dynalease::environment environment_;
    const strand own_;
};

asio::awaitable<int> ask(database by, int times) {
    int answered = 0;
    for (int i = 0; i < times; ++i) {
        auto answer = co_await by.call(get_item_request{});
        if (answer) ++answered;
    }
    co_return answered;
}

asio::awaitable<bool> asks_here(database by, strand here) {
    auto answer = co_await by.call(transact_write_items_request{});
    const bool whole = answer.error().code == errc::transaction_canceled && answer.error().reasons.size() == 1;
    co_return whole&& here.running_in_this_thread();
}

}  // namespace

TEST_CASE("a call is made on the database's executor, on whichever its caller runs") {
    asio::thread_pool threads(4);
    const auto backend = std::make_shared<noting>(strand(threads.get_executor()));
    std::vector<std::future<int>> all;
    for (int i = 0; i < 8; ++i) {
        all.push_back(asio::co_spawn(asio::any_io_executor(threads.get_executor()), ask(database(backend), 100),
                                     asio::use_future));
    }
    for (auto& each : all) CHECK(each.get() == 100);
    CHECK(backend->performed == 800);
    CHECK(backend->elsewhere == 0);
}

TEST_CASE("the caller goes on where it was, and has all that is known of a failure") {
    asio::thread_pool threads(4);
    const auto backend = std::make_shared<noting>(strand(threads.get_executor()));
    const strand here(threads.get_executor());
    CHECK(asio::co_spawn(here, asks_here(database(backend), here), asio::use_future).get());
    CHECK(backend->elsewhere == 0);
}

TEST_CASE("a call from elsewhere is cancelled as one from here") {
    world w;
    node a(w);
    const database by(a.network);
    const strand elsewhere(a.environment.executor);
    asio::cancellation_signal cancel;
    std::optional<failure> told;
    const auto put = [](database target, std::optional<failure>& into) -> asio::awaitable<void> {
        put_item_request request{.table_name = table, .new_item = {{"pk", "x"}, {"sk", "-"}}};
        auto answer = co_await target.call(std::move(request));
        if (!answer) into = answer.error();
    };
    a.network->set_plan([](const any_request&, const call_options&) {
        return testing::fault{.what = testing::fault::kind::lose_answer};
    });
    asio::co_spawn(asio::any_io_executor(elsewhere), put(by, told),
                   asio::bind_cancellation_slot(cancel.slot(), [](std::exception_ptr) {}));
    w.scheduler.run_for(100ms);
    CHECK_FALSE(told);
    asio::post(elsewhere, [&cancel] { cancel.emit(asio::cancellation_type::terminal); });
    w.scheduler.run_for(100ms);
    REQUIRE(told);
    CHECK(told->code == errc::in_doubt);
}

TEST_CASE("a call from elsewhere that is cancelled before is not sent") {
    asio::io_context io{1};
    const auto backend = std::make_shared<noting>(strand(io.get_executor()));
    asio::cancellation_signal cancel;
    error_code told;
    const auto late = [](database target, error_code& into) -> asio::awaitable<void> {
        co_await asio::this_coro::throw_if_cancelled(false);
        asio::steady_timer long_pause(co_await asio::this_coro::executor, 1min);
        co_await long_pause.async_wait(as_tuple);  // it is cancelled here
        auto answer = co_await target.call(get_item_request{});
        if (!answer) into = answer.error().code;
    };
    asio::co_spawn(asio::any_io_executor(io.get_executor()), late(database(backend), told),
                   asio::bind_cancellation_slot(cancel.slot(), [](std::exception_ptr) {}));
    io.poll();
    cancel.emit(asio::cancellation_type::terminal);
    io.run();
    CHECK(told == errc::cancelled);
    CHECK(backend->performed == 0);
}

TEST_CASE("what a backend throws reaches a caller elsewhere as it is") {
    struct throwing final : database_backend {
        explicit throwing(dynalease::environment own) : own_(std::move(own)) {}
        const dynalease::environment& environment() const noexcept override { return own_; }
        asio::awaitable<result<any_response>> perform(any_request, call_options) override {
            throw std::domain_error("as it is");
            co_return failure();
        }
        const dynalease::environment own_;
    };
    asio::io_context io{1};
    const local::database model(strand(io.get_executor()));
    std::string told;
    const auto ask = [](database by, std::string& into) -> asio::awaitable<void> {
        try {
            co_await by.call(get_item_request{});
        } catch (const std::domain_error& why) {
            into = why.what();
        }
    };
    const database by(std::make_shared<throwing>(model.environment()));
    asio::co_spawn(asio::any_io_executor(io.get_executor()), ask(by, told), asio::detached);
    io.run();
    CHECK(told == "as it is");
}
