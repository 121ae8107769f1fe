// What the published recipe for locks and repositories is tested for, here on the payment system's own repositories.
// SPDX-License-Identifier: BSL-1.0
#include "payment_world.hpp"

#include <dynalease/item_lock.hpp>

using namespace payments;
using namespace payments::tests;

namespace {

asio::awaitable<int> change_to(unit_of_work& unit, std::int64_t amount) {
    unit.intent().change_amount(amount);
    together_with nothing;
    co_await unit.save(std::move(nothing));
    co_return 0;
}
asio::awaitable<int> end_of(unit_of_work& unit) {
    co_await unit.end();
    co_return 0;
}

bool locked(payment_world& world) {
    return world.row("INTENT#pi_1", "INTENT")->contains("_lockW");
}

struct two_branches : payment_world {
    branch one{*this, control::pessimistic, 1};
    branch two{*this, control::pessimistic, 2};
};

}  // namespace

TEST_CASE_METHOD(two_branches, "lock: none is acquired of an intent that does not exist, and none is made",
                 "[recipe]") {
    CHECK(one.refusal(one.intents->open("pi_1")) == problem::not_found);
    CHECK_FALSE(row("INTENT#pi_1", "INTENT"));
    CHECK(one.refusal(one.charging()) == problem::not_found);
    CHECK(gateway.charges_asked == 0);
}

TEST_CASE_METHOD(two_branches, "lock: a second acquire fails, and does not free the first", "[recipe]") {
    one.make();
    auto first = one.run(one.intents->open("pi_1"));
    CHECK(two.refusal(two.intents->open("pi_1")) == problem::busy);
    CHECK(two.refusal(two.intents->open("pi_1")) == problem::busy);
    CHECK(locked(*this));
    one.run(change_to(*first, 200));
    CHECK(intent("pi_1").amount == 200);
}

TEST_CASE_METHOD(two_branches, "lock: it is freed at the end of the work, and when that throws", "[recipe]") {
    one.make();
    one.run(one.changing(200));
    simulated.run_for(1s);
    CHECK_FALSE(locked(*this));
    CHECK(one.refusal(one.changing(-1)) == problem::invalid);
    simulated.run_for(1s);
    CHECK_FALSE(locked(*this));
    CHECK(two.run(two.changing(300)).amount == 300);
}

TEST_CASE_METHOD(two_branches, "lock: its attributes come and go, all others stay", "[recipe]") {
    one.make();
    auto plain = row("INTENT#pi_1", "INTENT").value();
    auto unit = one.run(one.intents->open("pi_1"));
    auto now = row("INTENT#pi_1", "INTENT").value();
    CHECK(now.contains("_lockW"));
    one.run(end_of(*unit));
    now = row("INTENT#pi_1", "INTENT").value();
    CHECK_FALSE(now.contains("_lockW"));
    now.erase("_lockF");  // the floor of the tokens stays
    plain.erase("_lockF");
    CHECK(now == plain);
}

TEST_CASE_METHOD(two_branches, "lock: it is not discarded before its lease is over, and then it is", "[recipe]") {
    one.make();
    auto first = one.run(one.intents->open("pi_1"));
    one.machine.crash();
    branch patient(*this, control::pessimistic, 3, {.wait = 9s});
    CHECK(patient.refusal(patient.intents->open("pi_1")) == problem::busy);
    branch more_patient(*this, control::pessimistic, 4, {.wait = 20s});
    CHECK(more_patient.run(more_patient.changing(200)).amount == 200);
}

TEST_CASE_METHOD(two_branches, "lock: it is never discarded while its process lives, however long that works",
                 "[recipe]") {
    one.make();
    auto unit = one.run(one.intents->open("pi_1"));
    for (int minute = 0; minute < 10; ++minute) {
        simulated.run_for(1min);
        CHECK(two.refusal(two.intents->open("pi_1")) == problem::busy);
    }
    one.run(change_to(*unit, 200));
    CHECK(intent("pi_1").amount == 200);
}

TEST_CASE_METHOD(two_branches, "lock: it can have another name, and lie in a table without a sort key", "[recipe]") {
    dynalease::create_table_request make{.table_name = "flat", .key = {.hash = {.name = "id"}, .range = {}}};
    REQUIRE(simulated.call(std::move(make)).has_value());
    REQUIRE(simulated.call(dynalease::put_item_request{.table_name = "flat", .new_item = {{"id", "x"}}}).has_value());
    const dynalease::item_lock named{one.session, {"flat", {{"id", "x"}}}, {.prefix = "held"}};
    auto guard = one.run(named.acquire());
    const auto seen = simulated.call(dynalease::get_item_request{.table_name = "flat", .key = {{"id", "x"}}});
    CHECK(seen->found->contains("heldW"));
    CHECK(guard.held());
}

TEST_CASE("repository: what is created is found, and not created twice", "[recipe]") {
    payment_world world;
    branch server(world, either_control());
    const auto made = server.make("pi_1", 100);
    CHECK(made.state == intent_state::CREATED);
    CHECK(server.run(get_intent(*server.intents, "pi_1")) == made);
    CHECK_THROWS(server.make("pi_1", 200));
    CHECK(world.intent("pi_1").amount == 100);
    CHECK(world.version("pi_1") == 1);
}

TEST_CASE("repository: an update of what is missing creates nothing", "[recipe]") {
    payment_world world;
    branch server(world, either_control());
    CHECK(server.refusal(server.changing(200)) == problem::not_found);
    CHECK(server.refusal(get_intent(*server.intents, "pi_1")) == problem::not_found);
    server.make();
    auto unit = server.run(server.intents->open("pi_1"));
    dynalease::delete_item_request removal{.table_name = payments_table,
                                           .key = {{"pk", "INTENT#pi_1"}, {"sk", "INTENT"}}};
    REQUIRE(world.simulated.call(std::move(removal)).has_value());
    CHECK_THROWS(server.run(change_to(*unit, 200)));
    CHECK_FALSE(world.row("INTENT#pi_1", "INTENT"));
}

TEST_CASE("repository: a unit of work can save more than once", "[recipe]") {
    payment_world world;
    branch server(world, either_control());
    server.make();
    auto unit = server.run(server.intents->open("pi_1"));
    server.run(change_to(*unit, 200));
    server.run(change_to(*unit, 300));
    server.run(end_of(*unit));
    CHECK(world.intent("pi_1").amount == 300);
    CHECK(world.version("pi_1") == 3);
}

TEST_CASE("repository: a process that was paused, while another changed the intent, writes nothing", "[recipe]") {
    const auto how = either_control();
    payment_world world;
    branch slow(world, how, 1);
    branch fast(world, how, 2, {.wait = 60s});
    slow.make();
    auto stale = slow.run(slow.intents->open("pi_1"));
    slow.machine.pause();  // beyond its lease
    in_background changes(fast, fast.changing(300));
    changes.wait();
    REQUIRE(changes.succeeded());
    slow.machine.resume();
    const auto why = slow.refusal(change_to(*stale, 666));
    CHECK(why == (how == control::optimistic ? problem::conflict : problem::lost));
    CHECK(world.intent("pi_1").amount == 300);
    CHECK(world.version("pi_1") == 2);
}

TEST_CASE("repository: two changes at once, and one of them happens", "[recipe]") {
    const auto how = either_control();
    payment_world world;
    branch one(world, how, 1, {.wait = 0s});
    branch two(world, how, 2, {.wait = 0s});
    one.make();
    in_background first(one, one.changing(200));
    in_background second(two, two.changing(300));
    first.wait();
    second.wait();
    CHECK(first.succeeded() != second.succeeded());
    CHECK(world.version("pi_1") == 2);
    CHECK(world.intent("pi_1").amount == (first.succeeded() ? 200 : 300));
}

TEST_CASE("use case: an intent that is charged is not charged again, and the gateway not called", "[recipe]") {
    payment_world world;
    branch server(world, either_control());
    server.make();
    server.run(server.charging());
    relay_all(server);
    deliver_all(server);
    CHECK(world.intent("pi_1").state == intent_state::CHARGED);
    const auto calls = world.gateway.charges_asked + world.gateway.submitted.size();
    CHECK(server.refusal(server.charging()) == problem::wrong_state);
    relay_all(server);
    CHECK(world.gateway.charges_asked + world.gateway.submitted.size() == calls);
}

TEST_CASE("use case: of an intent that does not exist the gateway does not hear", "[recipe]") {
    payment_world world;
    branch server(world, either_control());
    CHECK(server.refusal(server.charging()) == problem::not_found);
    relay_all(server);
    CHECK(world.gateway.charges_asked + world.gateway.submitted.size() == 0);
    CHECK_FALSE(world.row("INTENT#pi_1", "INTENT"));
}

TEST_CASE("use case: the amount is not changed while the charge is requested, nor after it", "[recipe]") {
    payment_world world;
    branch server(world, either_control());
    server.make();
    world.gateway.loses_answers = true;
    server.run(server.charging());
    REQUIRE(world.intent("pi_1").state == intent_state::CHARGE_REQUESTED);
    CHECK(server.refusal(server.changing(200)) == problem::wrong_state);
    world.gateway.loses_answers = false;
    world.simulated.run_for(10s);
    relay_all(server);
    deliver_all(server);
    world.simulated.run_for(10s);
    server.run(server.sender->ask_round());
    REQUIRE(world.intent("pi_1").state == intent_state::CHARGED);
    CHECK(server.refusal(server.changing(200)) == problem::wrong_state);
    CHECK(world.intent("pi_1").amount == 100);
}

TEST_CASE("use case: customer and currency are never changed", "[recipe]") {
    payment_world world;
    branch server(world, either_control());
    server.make();
    server.run(server.changing(200));
    server.run(server.charging());
    relay_all(server);
    deliver_all(server);
    CHECK(world.intent("pi_1").customer == "cust_1");
    CHECK(world.intent("pi_1").currency == "USD");
}

TEST_CASE("use case: amounts, customers and currencies that make no sense are refused, and nothing is written") {
    payment_world world;
    branch server(world, either_control());
    const auto refusal_of = [&](std::string customer, std::int64_t amount, std::string currency) {
        new_intent wanted{"pi_1", std::move(customer), amount, std::move(currency)};
        return server.refusal(create_intent(*server.intents, std::move(wanted), nullptr));
    };
    CHECK(refusal_of("", 100, "USD") == problem::invalid);
    CHECK(refusal_of(std::string(101, 'x'), 100, "USD") == problem::invalid);
    CHECK(refusal_of("cust_1", 0, "USD") == problem::invalid);
    CHECK(refusal_of("cust_1", -5, "USD") == problem::invalid);
    CHECK(refusal_of("cust_1", 2'000'000'000'000, "USD") == problem::invalid);
    CHECK(refusal_of("cust_1", 100, "usd") == problem::invalid);
    CHECK(refusal_of("cust_1", 100, "DOLLAR") == problem::invalid);
    CHECK_FALSE(world.row("INTENT#pi_1", "INTENT"));
}
