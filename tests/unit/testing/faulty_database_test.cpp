// What a faulty network does to requests, and what it lets the caller know.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/spawn.hpp"

#include <dynalease/testing/environment.hpp>
#include <dynalease/testing/faulty_database.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using testing::fault;
using kind = testing::fault::kind;

namespace {

/// Answers each write with the number of writes so far.
struct counting_store {
    int writes = 0;

    result<any_response> operator()(const any_request& request, kind) {
        if (!is_write(request)) return any_response(get_item_response{});
        ++writes;
        update_item_response response;
        response.attributes["writes"] = number(writes);
        return any_response(std::move(response));
    }
};

using answer_type = std::optional<result<any_response>>;

asio::awaitable<runtime::completion<answer_type>> call(std::shared_ptr<database_backend> backend, any_request request,
                                                       call_options options) {
    runtime::completion<answer_type> done;
    auto answer = co_await backend->perform(std::move(request), options);
    done.value.emplace(std::move(answer));
    co_return done;
}

any_request write_request() {
    update_item_request request;
    request.table_name = "coordination";
    request.key["pk"] = "lock";
    request.key["sk"] = "account/42";
    return request;
}

any_request read_request() {
    get_item_request request;
    request.table_name = "coordination";
    request.key["pk"] = "lock";
    return request;
}

struct world {
    testing::scheduler scheduler{11};
    environment where = testing::make_environment(scheduler, 1);
    std::shared_ptr<counting_store> inner = std::make_shared<counting_store>();
    std::shared_ptr<testing::faulty_database> network =
        std::make_shared<testing::faulty_database>(scheduler, std::ref(*inner), where);
    asio::cancellation_signal signal;
    answer_type answer;
    clock::duration answered{};

    void send(any_request request, call_options options = {}) {
        answer.reset();
        auto note = [this](error_code, answer_type got) {
            answer = std::move(got);
            answered = where.clock->now().time_since_epoch();
        };
        runtime::spawn<answer_type>(where.executor, call(network, std::move(request), options),
                                    asio::bind_cancellation_slot(signal.slot(), std::move(note)));
    }

    void plan(fault fate) { network->set_plan(testing::scripted_faults({std::move(fate)})); }

    bool in_doubt() const {
        return answer && !*answer && answer->error().code == errc::in_doubt &&
               answer->error().outcome == outcome::unknown;
    }
    bool answered_well() const { return answer && *answer; }
};

fault fate_of(kind what, clock::duration before = {}, clock::duration after = {}) {
    fault fate;
    fate.what = what;
    fate.before = before;
    fate.after = after;
    return fate;
}

}  // namespace

TEST_CASE_METHOD(world, "without a plan everything passes, and is logged", "[faulty_database]") {
    call_options options;
    options.lane = lane::heartbeat;
    send(write_request(), options);
    scheduler.run_for(1s);
    REQUIRE(answered_well());
    CHECK(answered == 0s);
    REQUIRE(network->log().size() == 1);
    const auto& entry = *network->log().front();
    CHECK(entry.operation == "UpdateItem");
    CHECK(entry.table == "coordination");
    CHECK(entry.key == "lock/account/42");
    CHECK(entry.lane == lane::heartbeat);
    CHECK(entry.applied.size() == 1);
    CHECK(entry.completed);
    CHECK(!entry.code);
    network->clear_log();
    CHECK(network->log().empty());
}

TEST_CASE_METHOD(world, "a lost request and a lost answer look the same to the caller", "[faulty_database]") {
    const auto what = GENERATE(kind::lose_request, kind::lose_answer);
    plan(fate_of(what));
    send(write_request());
    scheduler.run();
    CHECK(in_doubt());
    CHECK(answered == 1s);
    CHECK(answer->error().details.operation == "UpdateItem");
    CHECK(inner->writes == (what == kind::lose_answer ? 1 : 0));
}

TEST_CASE_METHOD(world, "a read without an answer leaves no doubt", "[faulty_database]") {
    plan(fate_of(kind::lose_answer));
    call_options options;
    options.attempt_timeout = 300ms;
    send(read_request(), options);
    scheduler.run();
    REQUIRE(answer);
    REQUIRE(!*answer);
    CHECK(answer->error().code == errc::timeout);
    CHECK(answer->error().outcome == outcome::not_applied);
    CHECK(answered == 300ms);
}

TEST_CASE_METHOD(world, "delays add up while the caller is patient", "[faulty_database]") {
    plan(fate_of(kind::pass, 200ms, 300ms));
    send(write_request());
    scheduler.run();
    CHECK(answered_well());
    CHECK(answered == 500ms);
    CHECK(network->log().front()->applied.front().time_since_epoch() == 200ms);
}

TEST_CASE_METHOD(world, "a late request is applied though its caller has given up", "[faulty_database]") {
    plan(fate_of(kind::pass, 5min));
    send(write_request());
    scheduler.run_for(1min);
    CHECK(in_doubt());
    CHECK(inner->writes == 0);
    CHECK(network->in_flight() == 1);
    scheduler.run();
    CHECK(inner->writes == 1);
    CHECK(network->in_flight() == 0);
    CHECK(scheduler.now().time_since_epoch() == 5min);
}

TEST_CASE_METHOD(world, "a request is applied twice, and answered once", "[faulty_database]") {
    const auto what = GENERATE(kind::apply_twice, kind::answer_copy);
    auto fate = fate_of(what);
    fate.copy = 500ms;
    plan(fate);
    send(write_request());
    scheduler.run_for(1ms);
    CHECK(answer.has_value() == (what == kind::apply_twice));
    CHECK(inner->writes == 1);
    scheduler.run();
    CHECK(answered_well());
    CHECK(inner->writes == 2);
    CHECK(network->log().front()->applied.size() == 2);
}

TEST_CASE_METHOD(world, "a failure is told as given, applied or not", "[faulty_database]") {
    const auto what = GENERATE(kind::fail, kind::apply_then_fail);
    auto fate = fate_of(what);
    fate.answer = failure(errc::server_error, outcome::unknown);
    plan(fate);
    send(write_request());
    scheduler.run();
    REQUIRE(answer);
    REQUIRE(!*answer);
    CHECK(answer->error().code == errc::server_error);
    CHECK(network->log().front()->code == errc::server_error);
    CHECK(inner->writes == (what == kind::fail ? 0 : 1));
}

TEST_CASE_METHOD(world, "a held request waits until it is cancelled, and was never sent", "[faulty_database]") {
    plan(fate_of(kind::hold));
    send(write_request());
    scheduler.run_for(24h);
    CHECK(!answer);
    signal.emit(asio::cancellation_type::total);
    scheduler.run();
    REQUIRE(answer);
    REQUIRE(!*answer);
    CHECK(answer->error().code == errc::cancelled);
    CHECK(answer->error().outcome == outcome::not_applied);
    CHECK(inner->writes == 0);
}

TEST_CASE_METHOD(world, "a cancelled write that was sent is in doubt at once", "[faulty_database]") {
    plan(fate_of(kind::pass, 500ms));
    send(write_request());
    scheduler.run_for(100ms);
    signal.emit(asio::cancellation_type::terminal);
    scheduler.run_for(1ms);
    CHECK(in_doubt());
    CHECK(answered == 100ms);
    scheduler.run();
    CHECK(inner->writes == 1);
}

namespace {

/// Refuses whatever finds its own trace.
struct once_only_store {
    int arrivals = 0;
    std::vector<std::string> tokens{};

    result<any_response> operator()(const any_request& request, kind) {
        if (const auto* all = std::get_if<transact_write_items_request>(&request)) {
            tokens.push_back(all->client_request_token);
        }
        if (++arrivals > 1) return failure(errc::condition_failed);
        return any_response(update_item_response{});
    }
};

fault then_again(fault fate) {
    fate.again = 20ms;
    return fate;
}

/// A network before a store that carries out one write.
struct once_only_world : world {
    once_only_store once;

    once_only_world() { network = std::make_shared<testing::faulty_database>(scheduler, std::ref(once), where); }
    void plan_all(std::vector<fault> fates) { network->set_plan(testing::scripted_faults(std::move(fates))); }
    bool ended_with(errc code, outcome known) const {
        return answer && !*answer && answer->error().code == code && answer->error().outcome == known;
    }
    unsigned attempts() const { return network->log().front()->attempts; }
};

}  // namespace

TEST_CASE_METHOD(once_only_world, "a refusal after an attempt without an answer leaves the outcome unknown",
                 "[faulty_database]") {
    plan_all({then_again(fate_of(kind::lose_answer))});
    send(write_request());
    scheduler.run();
    CHECK(ended_with(errc::condition_failed, outcome::unknown));
    CHECK(answer->error().details.attempts == 2);
    CHECK(answered == 1020ms);
    REQUIRE(network->log().size() == 1);
    CHECK(network->log().front()->applied.size() == 2);
}

TEST_CASE_METHOD(once_only_world, "a refusal after an attempt that surely did nothing is a refusal",
                 "[faulty_database]") {
    once.arrivals = 1;
    auto throttled = fate_of(kind::fail);
    throttled.answer = failure(errc::throttled);
    plan_all({then_again(throttled)});
    send(write_request());
    scheduler.run();
    CHECK(ended_with(errc::condition_failed, outcome::not_applied));
    CHECK(attempts() == 2);
}

TEST_CASE_METHOD(once_only_world, "anything less than a refusal after an attempt without an answer is doubt",
                 "[faulty_database]") {
    auto throttled = fate_of(kind::fail);
    throttled.answer = failure(errc::throttled);
    plan_all({then_again(fate_of(kind::lose_request)), throttled});
    send(write_request());
    scheduler.run();
    CHECK(in_doubt());
    CHECK(attempts() == 2);
    CHECK(once.arrivals == 0);
}

TEST_CASE_METHOD(once_only_world, "a lost request that is sent again is answered, and the late first copy lands too",
                 "[faulty_database]") {
    plan_all({then_again(fate_of(kind::pass, 5s))});
    send(write_request());
    scheduler.run_for(2s);
    CHECK(answered_well());
    CHECK(once.arrivals == 1);
    scheduler.run();
    CHECK(once.arrivals == 2);
}

TEST_CASE_METHOD(once_only_world, "no attempt is made that the call does not allow", "[faulty_database]") {
    plan_all(std::vector<fault>(10, then_again(fate_of(kind::lose_request))));
    call_options options;
    unsigned made = 4;
    SECTION("unless it says how many, four") {}
    SECTION("as many as it says") {
        options.attempts = 1;
        made = 1;
    }
    SECTION("none beyond its deadline") {
        options.timeout = 1500ms;
        made = 2;
    }
    send(write_request(), options);
    scheduler.run();
    CHECK(in_doubt());
    CHECK(attempts() == made);
    CHECK((options.timeout == 0ns || answered == options.timeout));
}

TEST_CASE_METHOD(once_only_world, "a cancellation between two attempts of a write is doubt", "[faulty_database]") {
    plan_all({then_again(fate_of(kind::lose_request))});
    send(write_request());
    scheduler.run_for(1010ms);
    signal.emit(asio::cancellation_type::terminal);
    scheduler.run_for(1ms);
    CHECK(in_doubt());
    CHECK(attempts() == 1);
}

TEST_CASE_METHOD(once_only_world, "reads without an answer are sent again, and never in doubt", "[faulty_database]") {
    plan_all(std::vector<fault>(2, then_again(fate_of(kind::lose_answer))));
    call_options twice;
    twice.attempts = 2;
    send(read_request(), twice);
    scheduler.run();
    CHECK(ended_with(errc::timeout, outcome::not_applied));
    CHECK(once.arrivals == 2);
}

TEST_CASE_METHOD(once_only_world, "all copies of a transaction bear one token", "[faulty_database]") {
    plan_all({then_again(fate_of(kind::lose_answer))});
    send(transact_write_items_request{});
    scheduler.run();
    REQUIRE(once.tokens.size() == 2);
    CHECK_FALSE(once.tokens.front().empty());
    CHECK(once.tokens.front() == once.tokens.back());
}

TEST_CASE_METHOD(world, "what a crashed process has sent is still applied", "[faulty_database]") {
    auto client = std::make_unique<testing::process>(scheduler);
    {
        const auto its = testing::make_environment(*client, 2);
        network = std::make_shared<testing::faulty_database>(scheduler, std::ref(*inner), its);
        plan(fate_of(kind::pass, 1s, 1s));
        runtime::spawn<answer_type>(its.executor, call(network, write_request(), {}),
                                    [](error_code, answer_type) { FAIL("called after the crash"); });
        network.reset();
    }
    scheduler.run_for(500ms);
    client.reset();
    scheduler.run();
    CHECK(inner->writes == 1);
}

TEST_CASE("seeded faults are the same for a seed, and come at their rates", "[faulty_database]") {
    testing::fault_rates rates;
    rates.lose_request = 0.1;
    rates.lose_answer = 0.2;
    rates.delay = 0.3;
    rates.longest_delay = 1min;
    auto plan = testing::seeded_faults(7, rates);
    auto same = testing::seeded_faults(7, rates);
    const auto request = write_request();
    int lost_requests = 0;
    int lost_answers = 0;
    int delayed = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto fate = plan(request, {});
        const auto again = same(request, {});
        REQUIRE(fate.what == again.what);
        REQUIRE(fate.before == again.before);
        REQUIRE(fate.before < rates.longest_delay);
        lost_requests += fate.what == kind::lose_request;
        lost_answers += fate.what == kind::lose_answer;
        delayed += fate.before > 0s;
    }
    CHECK(std::abs(lost_requests - 1000) < 150);
    CHECK(std::abs(lost_answers - 2000) < 200);
    CHECK(std::abs(delayed - 3000) < 250);
    rates.lose_answer = 0.95;
    CHECK_THROWS_AS(testing::seeded_faults(7, rates), std::invalid_argument);
}
