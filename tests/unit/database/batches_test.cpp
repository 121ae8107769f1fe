// Batches of any size on a service that takes only some of each.
// SPDX-License-Identifier: BSL-1.0
#include "support/world.hpp"

#include <dynalease/dynamodb/batches.hpp>

#include <boost/asio/as_tuple.hpp>

#include <catch2/catch.hpp>

namespace {

using namespace dynalease;
using namespace dynalease::tests;

/// Takes the first `most` pieces of each batch and leaves the others unprocessed, as a service under load.
class stingy final : public database_backend {
public:
    stingy(std::shared_ptr<database_backend> behind, std::size_t most) : behind_(std::move(behind)), most_(most) {}

    const dynalease::environment& environment() const noexcept override { return behind_->environment(); }

    asio::awaitable<result<any_response>> perform(any_request request, call_options options) override {
        ++requests;
        std::map<std::string, std::vector<batch_write>> writes_left;
        std::map<std::string, keys_and_options> keys_left;
        if (auto* writes = std::get_if<batch_write_item_request>(&request)) {
            largest = std::max(largest, cut<decltype(writes_left)>(writes->tables, writes_left));
            if (writes->tables.empty()) co_return batch_write_item_response{.unprocessed = writes_left, .consumed = {}};
        } else if (auto* gets = std::get_if<batch_get_item_request>(&request)) {
            largest = std::max(largest, cut<decltype(keys_left)>(gets->tables, keys_left));
        }
        auto answer = co_await behind_->perform(std::move(request), options);
        if (!answer) co_return answer;
        if (auto* written = std::get_if<batch_write_item_response>(&*answer)) written->unprocessed = writes_left;
        if (auto* found = std::get_if<batch_get_item_response>(&*answer)) found->unprocessed = keys_left;
        co_return answer;
    }

    std::size_t requests = 0;
    std::size_t largest = 0;

private:
    static std::vector<batch_write>& list_of(std::vector<batch_write>& part) { return part; }
    static std::vector<item_key>& list_of(keys_and_options& part) { return part.keys; }

    template <class Tables>
    std::size_t cut(Tables& tables, Tables& left) const {
        std::size_t count = 0;
        std::size_t room = most_;
        for (auto part = tables.begin(); part != tables.end();) {
            auto& list = list_of(part->second);
            count += list.size();
            const auto kept = std::min(room, list.size());
            room -= kept;
            if (kept < list.size()) {
                auto rest = part->second;
                list_of(rest).erase(list_of(rest).begin(), list_of(rest).begin() + static_cast<std::ptrdiff_t>(kept));
                list.resize(kept);
                left.emplace(part->first, std::move(rest));
            }
            part = list.empty() ? tables.erase(part) : std::next(part);
        }
        return count;
    }

    std::shared_ptr<database_backend> behind_;
    std::size_t most_;
};

/// Answers each request after a second, and leaves keys of a table unprocessed that it was not asked for by that name.
class slow_stranger final : public database_backend {
public:
    explicit slow_stranger(std::shared_ptr<database_backend> behind) : behind_(std::move(behind)) {}

    const dynalease::environment& environment() const noexcept override { return behind_->environment(); }

    asio::awaitable<result<any_response>> perform(any_request request, call_options) override {
        const auto& clock = environment().clock;
        co_await clock->async_wait_until(clock->now() + 1s, asio::deferred);
        asked.push_back(request);
        if (std::holds_alternative<batch_write_item_request>(request)) co_return batch_write_item_response{};
        batch_get_item_response answer;
        if (asked.size() == 1) {
            keys_and_options left;
            left.keys.push_back({{"pk", "left over"}});
            left.projection_expression = "n";
            answer.unprocessed.emplace("by another name", std::move(left));
        }
        co_return answer;
    }

    std::vector<any_request> asked;

private:
    std::shared_ptr<database_backend> behind_;
};

item_key key_of(int i) {
    return {{"pk", "row"}, {"sk", std::to_string(i)}};
}

asio::awaitable<void> write_and_read(database on, int count, batch_write_all_response& wrote,
                                     batch_get_all_response& read) {
    std::map<std::string, std::vector<batch_write>> writes;
    std::map<std::string, keys_and_options> keys;
    for (int i = 0; i < count; ++i) {
        item one = key_of(i);
        one.emplace("n", i);
        writes[table].push_back(batch_put{std::move(one)});
        keys[table].keys.push_back(key_of(i));
    }
    batch_options options;
    options.report_capacity = true;
    wrote = co_await batch_write_all(on, std::move(writes), options);
    keys[table].consistent_read = true;
    read = co_await batch_get_all(on, std::move(keys), options);
}

}  // namespace

TEST_CASE("a batch of any size is written and read whole, within the limits of each request") {
    for (const std::size_t most : {1U, 7U, 1000U}) {
        for (const int count : {0, 1, 25, 26, 100, 101, 230}) {
            world w;
            node me{w};
            const auto service = std::make_shared<stingy>(me.network, most);
            batch_write_all_response wrote;
            batch_get_all_response read;
            run(w, me, write_and_read(database(service), count, wrote, read));
            CHECK(read.items[table].size() == static_cast<std::size_t>(count));
            CHECK(service->largest <= 100);
            CHECK(wrote.requests + read.requests == service->requests);
            CHECK(wrote.consumed[table] == Approx(count));
            CHECK(read.consumed[table] == Approx(count));
            if (most == 1000) CHECK(wrote.requests == static_cast<std::size_t>((count + 24) / 25));
        }
    }
}

TEST_CASE("a service that takes nothing more: throttled at the deadline, after fewer and fewer requests") {
    world w;
    node me{w};
    const auto service = std::make_shared<stingy>(me.network, 0);
    const auto begin = w.scheduler.now();
    run(w, me, [](database on) -> asio::awaitable<void> {
        std::map<std::string, std::vector<batch_write>> writes;
        writes[table].push_back(batch_delete{key_of(1)});
        const auto failed = co_await batch_write_all(on, std::move(writes), batch_options{.timeout = 20s},
                                                     asio::as_tuple(asio::deferred));
        CHECK(std::get<0>(failed) == errc::throttled);
    }(database(service)));
    CHECK(w.scheduler.now() - begin <= 20s);
    CHECK(service->requests >= 10);
    CHECK(service->requests <= 80);
}

TEST_CASE("what the service refuses ends a batch with the service's words") {
    world w;
    node me{w};
    run(w, me, [](database on) -> asio::awaitable<void> {
        std::map<std::string, keys_and_options> keys;
        keys["nowhere"].keys.push_back(key_of(1));
        std::string operation;
        try {
            co_await batch_get_all(on, keys);
        } catch (const error& refused) {
            CHECK(refused.code() == errc::table_not_found);
            operation = refused.diagnostics().operation;
        }
        CHECK(operation == "batch_get_all (BatchGetItem)");
    }(database(me.network)));
}

TEST_CASE("keys left over under another name of their table are asked for by that name, as the service wrote it") {
    world w;
    node me{w};
    const auto service = std::make_shared<slow_stranger>(me.network);
    run(w, me, [](database on) -> asio::awaitable<void> {
        std::map<std::string, keys_and_options> keys;
        keys["arn"].keys.push_back(key_of(1));
        const auto read = co_await batch_get_all(on, keys);
        CHECK(read.requests == 2);
    }(database(service)));
    REQUIRE(service->asked.size() == 2);
    const auto& second = std::get<batch_get_item_request>(service->asked[1]).tables;
    REQUIRE(second.size() == 1);
    CHECK(second.begin()->first == "by another name");
    CHECK(second.begin()->second.projection_expression == "n");
    CHECK(second.begin()->second.keys.size() == 1);
}

TEST_CASE("a batch begins no request after its deadline, even if everything was taken so far") {
    world w;
    node me{w};
    const auto service = std::make_shared<slow_stranger>(me.network);
    for (const auto timeout : {std::chrono::nanoseconds(2500ms), std::chrono::nanoseconds::max()}) {
        service->asked.clear();
        error_code ended;
        run(w, me, [](database on, std::chrono::nanoseconds time, error_code& into) -> asio::awaitable<void> {
            std::map<std::string, std::vector<batch_write>> writes;
            for (int i = 0; i < 100; ++i) writes[table].push_back(batch_delete{key_of(i)});
            const auto done = co_await batch_write_all(on, std::move(writes), batch_options{.timeout = time},
                                                       asio::as_tuple(asio::deferred));
            into = std::get<0>(done);
        }(database(service), timeout, ended));
        const bool endless = timeout == std::chrono::nanoseconds::max();
        CHECK(service->asked.size() == (endless ? 4 : 3));
        CHECK(ended == (endless ? error_code{} : make_error_code(errc::throttled)));
    }
}
