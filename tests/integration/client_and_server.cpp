// The client against the embedded server: real sockets and real signatures, in one process and on one loop.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/client.hpp>
#include <dynalease/local/server.hpp>
#include <dynalease/runtime/environment.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace {

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;

create_table_request locks_table() {
    create_table_request request;
    request.table_name = "locks";
    request.key.hash.name = "pk";
    return request;
}

put_item_request put(std::string key, std::int64_t value) {
    put_item_request request;
    request.table_name = "locks";
    request.new_item.emplace("pk", std::move(key));
    request.new_item.emplace("n", value);
    return request;
}

get_item_request get(std::string key) {
    get_item_request request;
    request.table_name = "locks";
    request.key.emplace("pk", std::move(key));
    request.consistent_read = true;
    return request;
}

/// Sets `n` if it is what we think it is.
update_item_request update(std::string key, std::int64_t from, std::int64_t to) {
    update_item_request request;
    request.table_name = "locks";
    request.key.emplace("pk", std::move(key));
    request.update_expression = "SET n = :to";
    request.condition_expression = "n = :from";
    request.values.emplace(":from", from);
    request.values.emplace(":to", to);
    request.returned = return_values::all_new;
    request.current_on_refusal = true;
    return request;
}

// Requests are named before they are awaited: GCC 12 destroys a temporary aggregate in such an expression twice.

auto make_table_on(const database& where) {
    auto request = locks_table();
    return where.call(std::move(request));
}

auto put_on(const database& where, std::string key, std::int64_t value) {
    auto request = put(std::move(key), value);
    return where.call(std::move(request));
}

auto get_on(const database& where, std::string key) {
    auto request = get(std::move(key));
    return where.call(std::move(request));
}

auto update_on(const database& where, std::string key, std::int64_t from, std::int64_t to) {
    auto request = update(std::move(key), from, to);
    return where.call(std::move(request));
}

struct fixture {
    asio::io_context io{1};
    client_options options{};
    local::server_options serving{};
    std::unique_ptr<local::server> server;

    fixture() {
        options.region = "eu-central-1";
        options.credentials = credentials{"local", "local"};
    }

    void run(std::function<asio::awaitable<void>(client&)> body) {
        server = std::make_unique<local::server>(io.get_executor(), serving);
        options.endpoint = server->endpoint();
        client database(io.get_executor(), options);
        asio::co_spawn(database.get_executor(), finish(database, *server, std::move(body)), [](std::exception_ptr e) {
            if (e) std::rethrow_exception(e);
        });
        io.run_for(20s);
        REQUIRE(io.stopped());
    }

    /// The failure of a first read.
    failure refused() {
        failure why;
        run([&](client& database) { return read_once(database, why); });
        return why;
    }

private:
    static asio::awaitable<void> finish(client& database, local::server& served,
                                        std::function<asio::awaitable<void>(client&)> body) {
        co_await body(database);
        database.close();
        served.stop();
    }
    static asio::awaitable<void> read_once(client& database, failure& into) {
        auto answer = co_await get_on(database, "a");
        REQUIRE_FALSE(answer.has_value());
        into = std::move(answer).error();
    }
};

}  // namespace

TEST_CASE("items travel both ways, and a refused condition brings what is there") {
    fixture f;
    f.run([](client& database) -> asio::awaitable<void> {
        const auto made = co_await make_table_on(database);
        REQUIRE(made.has_value());
        const auto stored = co_await put_on(database, "a", 1);
        REQUIRE(stored.has_value());
        const auto updated = co_await update_on(database, "a", 1, 2);
        REQUIRE(updated.has_value());
        CHECK(find_integer(updated->attributes, "n") == 2);
        const auto refused = co_await update_on(database, "a", 1, 3);
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().code == errc::condition_failed);
        CHECK(refused.error().outcome == outcome::not_applied);
        REQUIRE(refused.error().current.has_value());
        CHECK(find_integer(*refused.error().current, "n") == 2);
        const auto found = co_await get_on(database, "a");
        REQUIRE(found.has_value());
        REQUIRE(found->found.has_value());
        CHECK(find_integer(*found->found, "n") == 2);
        const auto absent = co_await get_on(database, "b");
        REQUIRE(absent.has_value());
        CHECK_FALSE(absent->found.has_value());
    });
}

TEST_CASE("a cancelled transaction brings a reason for each action") {
    fixture f;
    f.run([](client& database) -> asio::awaitable<void> {
        co_await make_table_on(database);
        co_await put_on(database, "a", 1);
        transact_write_items_request request;
        transact_put free;
        free.table_name = "locks";
        free.new_item = put("b", 1).new_item;
        transact_put taken = free;
        taken.new_item = put("a", 9).new_item;
        taken.condition_expression = "attribute_not_exists(pk)";
        taken.current_on_refusal = true;
        request.actions = {free, taken};
        const auto answer = co_await database.call(std::move(request));
        REQUIRE_FALSE(answer.has_value());
        CHECK(answer.error().code == errc::transaction_canceled);
        REQUIRE(answer.error().reasons.size() == 2);
        CHECK(answer.error().reasons[0].code == "None");
        CHECK(answer.error().reasons[1].code == "ConditionalCheckFailed");
        CHECK(answer.error().reasons[1].current.has_value());
        CHECK(answer.error().details.table == "locks");
        CHECK(answer.error().details.key == "a");
        CHECK(answer.error().details.message.find("action 2 of 2, a put: ConditionalCheckFailed") != std::string::npos);
    });
}

TEST_CASE("values of every type and awkward text survive the way there and back") {
    fixture f;
    f.run([](client& database) -> asio::awaitable<void> {
        co_await make_table_on(database);
        auto request = put("umlaut ä, quote \", line\n, emoji 🔒", 0);
        request.new_item.emplace("number", number("-0.00000000000000000000000000000000012345678901234567890123456789"));
        request.new_item.emplace("binary", binary{std::byte{0}, std::byte{255}});
        request.new_item.emplace("list", attribute_list{true, null{}, "text", attribute_map{{"deep", 1}}});
        request.new_item.emplace("set", string_set{"a", "b"});
        const auto original = request.new_item;
        const auto stored = co_await database.call(std::move(request));
        REQUIRE(stored.has_value());
        const auto key = *find_string(original, "pk");
        const auto found = co_await get_on(database, key);
        REQUIRE(found.has_value());
        CHECK((found->found == original));
    });
}

TEST_CASE("a server with another key pair refuses by name") {
    fixture wrong_secret;
    wrong_secret.options.credentials = credentials{"local", "wrong"};
    CHECK(wrong_secret.refused().code == errc::invalid_signature);
    fixture wrong_key;
    wrong_key.options.credentials = credentials{"other", "local"};
    CHECK(wrong_key.refused().code == errc::unknown_access_key);
}

TEST_CASE("a table that does not exist is named, with advice") {
    fixture f;
    const auto why = f.refused();
    CHECK(why.code == errc::table_not_found);
    CHECK(why.details.table == "locks");
    CHECK_FALSE(why.details.request_id.empty());
    CHECK_THAT(why.details.advice, Catch::Contains("create_table"));
}

TEST_CASE("a thousand calls at once share the connections allowed") {
    fixture f;
    f.options.connections = 8;
    f.run([](client& database) -> asio::awaitable<void> {
        co_await make_table_on(database);
        int left = 1000;
        asio::cancellation_signal all_done;
        for (int i = 0; i < 1000; ++i) {
            asio::co_spawn(
                database.get_executor(),
                [](client& on, int number, int& pending, asio::cancellation_signal& done) -> asio::awaitable<void> {
                    const auto stored = co_await put_on(on, "key" + std::to_string(number), number);
                    CHECK(stored.has_value());
                    if (--pending == 0) done.emit(asio::cancellation_type::terminal);
                }(database, i, left, all_done),
                asio::detached);
        }
        const auto& world = database.environment();
        co_await world.clock->async_wait_until(
            world.clock->now() + 15s,
            asio::bind_cancellation_slot(all_done.slot(), asio::as_tuple(asio::use_awaitable)));
        CHECK(left == 0);
        CHECK(database.counters().connections_open <= 8);
        CHECK(database.counters().operations.at("PutItem").applied == 1000);
    });
}

TEST_CASE("a clock that is wrong by hours is corrected on the first refusal") {
    struct fast_clock final : clock {
        explicit fast_clock(const asio::any_io_executor& executor) : real(environment::system(executor).clock) {}
        time_point now() const noexcept override { return real->now(); }
        wall_time wall() const noexcept override { return real->wall() + 5h; }
        void wait_until(time_point when, wait_handler handler) override {
            real->async_wait_until(when, std::move(handler));
        }
        std::shared_ptr<clock> real;
    };
    fixture f;
    f.serving.clock = std::make_shared<fast_clock>(f.io.get_executor());
    f.run([](client& database) -> asio::awaitable<void> {
        const auto made = co_await make_table_on(database);
        CHECK(made.has_value());
        const auto stored = co_await put_on(database, "a", 1);
        CHECK(stored.has_value());
        CHECK(database.counters().skew_corrections == 1);
    });
}
