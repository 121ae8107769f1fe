// The gateway's answers: twice, late, unasked, lost; and charges without any answer.
// SPDX-License-Identifier: BSL-1.0
#include "payment_world.hpp"

using namespace payments;
using namespace payments::tests;

namespace {

charge_answer declined(const std::string& charge) {
    return {.intent = "pi_1",
            .charge = charge,
            .amount = 100,
            .failure_code = "card_declined",
            .failure_message = "the customer's bank refuses"};
}

struct requested_charge : payment_world {
    explicit requested_charge(payments::control how) : server(*this, how) {
        // Under a lock the gateway's answer gets lost: both controls are then as far.
        gateway.loses_answers = true;
        server.make();
        server.run(server.charging());
        gateway.loses_answers = false;
        relay_all(server);
    }
    branch server;
};

}  // namespace

TEST_CASE("a second copy of an answer changes nothing", "[answers]") {
    requested_charge in(either_control());
    const auto answer = in.gateway.take({.intent = "pi_1", .customer = "cust_1", .amount = 100, .currency = "USD"});
    CHECK(in.server.run(settle(*in.server.intents, answer)));
    const auto before = in.row("INTENT#pi_1", "INTENT");
    CHECK_FALSE(in.server.run(settle(*in.server.intents, answer)));
    CHECK(in.intent("pi_1").state == intent_state::CHARGED);
    CHECK(in.version("pi_1") == dynalease::find_integer(*before, "version"));
}

TEST_CASE("two copies of an answer that arrive at once make a difference once", "[answers]") {
    const auto how = either_control();
    requested_charge in(how);
    branch other(in, how, 2);
    const auto answer = in.gateway.take({.intent = "pi_1", .customer = "cust_1", .amount = 100, .currency = "USD"});
    const auto version = in.version("pi_1");
    in_background one(in.server, settle(*in.server.intents, answer));
    in_background two(other, settle(*other.intents, answer));
    one.wait();
    two.wait();
    CHECK(in.intent("pi_1").state == intent_state::CHARGED);
    CHECK(in.version("pi_1") == version + 1);
}

TEST_CASE("a late answer that contradicts the first is ignored: terminal states are final", "[answers]") {
    requested_charge in(either_control());
    const auto answer = in.gateway.take({.intent = "pi_1", .customer = "cust_1", .amount = 100, .currency = "USD"});
    CHECK(in.server.run(settle(*in.server.intents, answer)));
    CHECK_FALSE(in.server.run(settle(*in.server.intents, declined("ch_other"))));
    CHECK(in.intent("pi_1").state == intent_state::CHARGED);
    CHECK(in.server.refusal(in.server.charging()) == problem::wrong_state);
}

TEST_CASE("an answer that comes before it was asked for is ignored", "[answers]") {
    payment_world world;
    branch server(world, either_control());
    server.make();
    CHECK_FALSE(server.run(settle(*server.intents, declined("ch_1"))));
    CHECK(world.intent("pi_1").state == intent_state::CREATED);
}

TEST_CASE("an answer that speaks of another amount is refused, and settles nothing") {
    requested_charge in(either_control());
    auto answer = in.gateway.take({.intent = "pi_1", .customer = "cust_1", .amount = 100, .currency = "USD"});
    answer.amount = 99;
    CHECK(in.server.refusal(settle(*in.server.intents, answer)) == problem::invalid);
    CHECK(in.intent("pi_1").state == intent_state::CHARGE_REQUESTED);
}

TEST_CASE("an answer to an intent that does not exist is refused") {
    payment_world world;
    branch server(world, either_control());
    CHECK(server.refusal(settle(*server.intents, declined("ch_1"))) == problem::not_found);
}

TEST_CASE("a charge without an answer is resolved by asking the gateway", "[resolution]") {
    requested_charge in(either_control());
    CHECK(in.intent("pi_1").state == intent_state::CHARGE_REQUESTED);
    CHECK(in.server.run(in.server.sender->ask_round()) == 0);  // in good time
    in.simulated.run_for(10s);
    in.server.run(in.server.sender->ask_round());
    CHECK(in.intent("pi_1").state == intent_state::CHARGED);
    CHECK(in.gateway.withdrawals() == 1);
    CHECK(in.stage_of("pi_1") == "done");
}

TEST_CASE("a charge that the gateway never heard of is sent again", "[resolution]") {
    const auto how = either_control();
    payment_world world;
    branch server(world, how);
    server.make();
    world.gateway.loses_orders = true;
    server.run(server.charging());
    world.gateway.loses_orders = false;
    if (how == control::optimistic) {  // the relay was told that it was taken, and it was forgotten
        relay_all(server);
        world.gateway.book = {};
    }
    CHECK(world.gateway.withdrawals() == 0);
    world.simulated.run_for(10s);
    server.run(server.sender->ask_round());
    CHECK(world.stage_of("pi_1") == "to_send");
    relay_all(server);
    deliver_all(server);
    CHECK(world.gateway.withdrawals() == 1);
    CHECK(world.intent("pi_1").state == intent_state::CHARGED);
    CHECK(server.sender->counts().sent_again == 1);
}

TEST_CASE("a gateway that cannot be asked is asked again later", "[resolution]") {
    requested_charge in(either_control());
    in.simulated.run_for(10s);
    in.gateway.loses_answers = true;
    in.server.run(in.server.sender->ask_round());
    CHECK(in.intent("pi_1").state == intent_state::CHARGE_REQUESTED);
    in.gateway.loses_answers = false;
    in.simulated.run_for(2s);
    in.server.run(in.server.sender->ask_round());
    CHECK(in.intent("pi_1").state == intent_state::CHARGED);
}

TEST_CASE("a failed charge is stored with code and message", "[recipe]") {
    payment_world world;
    world.gateway.declines = true;
    branch server(world, either_control());
    server.make();
    server.run(server.charging());
    relay_all(server);
    deliver_all(server);
    const auto failed = world.intent("pi_1");
    CHECK(failed.state == intent_state::CHARGE_FAILED);
    CHECK(failed.charge->failure_code == "card_declined");
    CHECK(failed.charge->failure_message == "the customer's bank refuses");
    CHECK(world.gateway.book.money_withdrawn() == 0);
    CHECK(server.refusal(server.changing(5)) == problem::wrong_state);
}
