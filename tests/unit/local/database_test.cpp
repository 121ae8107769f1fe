// The engine behind the database port.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/local/database.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <catch2/catch.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace dynalease::local::test {

namespace asio = boost::asio;

namespace {

class fixed_clock : public dynalease::clock {
public:
    time_point now() const noexcept override { return {}; }
    wall_time wall() const noexcept override { return wall_; }

    wall_time wall_{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};

protected:
    void wait_until(time_point, wait_handler) override { FAIL("the engine does not wait"); }
};

create_table_request create_things() {
    create_table_request request;
    request.table_name = "things";
    request.key.hash.name = "pk";
    return request;
}

get_item_request get_a() {
    get_item_request request;
    request.table_name = "things";
    request.key = {{"pk", "a"}};
    return request;
}

put_item_request put_a(item more = {}) {
    put_item_request request;
    request.table_name = "things";
    request.new_item = std::move(more);
    request.new_item.emplace("pk", "a");
    return request;
}

template <class Request>
using answer_to = std::optional<result<typename Request::response>>;

/// Begins the request; `answer` is filled while the context runs.
template <class Request>
void begin(asio::io_context& context, const database& target, Request request, answer_to<Request>& answer,
           asio::cancellation_slot slot = {}) {
    asio::co_spawn(context, target.call(std::move(request)),
                   asio::bind_cancellation_slot(
                       slot, [&answer](std::exception_ptr thrown, result<typename Request::response> value) {
                           CHECK_FALSE(thrown);
                           answer = std::move(value);
                       }));
}

template <class Request>
result<typename Request::response> ask(asio::io_context& context, const database& target, Request request) {
    answer_to<Request> answer;
    begin(context, target, std::move(request), answer);
    context.restart();
    context.run();
    REQUIRE(answer);
    return *std::move(answer);
}

}  // namespace

TEST_CASE("the answer comes through the executor, after the call") {
    asio::io_context context;
    const database database(context.get_executor());
    answer_to<create_table_request> answer;
    begin(context, database, create_things(), answer);
    CHECK_FALSE(answer);
    context.run_one();
    CHECK_FALSE(answer);
    context.run();
    REQUIRE(answer);
    CHECK(answer->value().table.table_name == "things");
}

TEST_CASE("two databases on one store see the same items") {
    asio::io_context context;
    const database one(context.get_executor());
    const database two(environment::system(context.get_executor()), one.store());
    REQUIRE(ask(context, one, create_things()).has_value());
    REQUIRE(ask(context, one, put_a()).has_value());
    CHECK(ask(context, two, get_a())->found == item{{"pk", "a"}});
}

TEST_CASE("a failure names operation, table and key") {
    asio::io_context context;
    const database database(context.get_executor());
    const auto why = ask(context, database, get_a()).error();
    CHECK(why.code == errc::table_not_found);
    CHECK(why.details.operation == "GetItem");
    CHECK(why.details.table == "things");
    CHECK(why.details.key == "a");
    CHECK(why.details.attempts == 1);
}

TEST_CASE("items expire by the environment's clock") {
    asio::io_context context;
    auto clock = std::make_shared<fixed_clock>();
    environment where = environment::system(context.get_executor());
    where.clock = clock;
    const database database(where);
    REQUIRE(ask(context, database, create_things()).has_value());
    update_time_to_live_request ttl;
    ttl.table_name = "things";
    ttl.attribute_name = "ttl";
    REQUIRE(ask(context, database, ttl).has_value());
    const auto seconds = std::chrono::floor<std::chrono::seconds>(clock->wall_).time_since_epoch().count();
    REQUIRE(ask(context, database, put_a({{"ttl", seconds + 5}})).has_value());
    clock->wall_ += std::chrono::seconds(5);
    CHECK(ask(context, database, get_a())->found);
    clock->wall_ += std::chrono::seconds(1);
    CHECK_FALSE(ask(context, database, get_a())->found);
}

namespace {
asio::awaitable<void> put_without_throwing(database target, answer_to<put_item_request>& answer) {
    co_await asio::this_coro::throw_if_cancelled(false);
    answer = co_await target.call(put_a());
}
}  // namespace

TEST_CASE("a request cancelled before it was carried out does nothing") {
    asio::io_context context;
    const database database(context.get_executor());
    REQUIRE(ask(context, database, create_things()).has_value());
    asio::cancellation_signal signal;
    answer_to<put_item_request> answer;
    asio::co_spawn(context, put_without_throwing(database, answer),
                   asio::bind_cancellation_slot(signal.slot(), [](std::exception_ptr thrown) { CHECK_FALSE(thrown); }));
    // Behind the first step, which queues the request, and before the request.
    asio::post(context, [&] { signal.emit(asio::cancellation_type::terminal); });
    context.restart();
    context.run();
    REQUIRE(answer);
    REQUIRE(answer->has_error());
    CHECK(answer->error().code == errc::cancelled);
    CHECK(answer->error().outcome == outcome::not_applied);
    CHECK_FALSE(ask(context, database, get_a())->found);
}

}  // namespace dynalease::local::test
