// Without any control: the anomaly that all the rest is there to prevent. And under each control: it does not happen.
// SPDX-License-Identifier: BSL-1.0
#include "payment_world.hpp"

using namespace payments;
using namespace payments::tests;

TEST_CASE("no control: $200 is recorded as CHARGED, $100 was withdrawn", "[anomaly]") {
    payment_world world;
    world.gateway.before = 1s;
    branch server(world, control::none);
    server.make("pi_1", 100);
    in_background charges(server, server.charging());
    world.simulated.run_for(500ms);
    server.run(server.changing(200));
    charges.wait();
    CHECK(charges.succeeded());
    CHECK(world.intent("pi_1").state == intent_state::CHARGED);
    CHECK(world.intent("pi_1").amount == 200);
    CHECK(world.gateway.book.money_withdrawn() == 100);
}

TEST_CASE("under either control what is recorded is what was withdrawn", "[anomaly]") {
    const auto how = either_control();
    payment_world world;
    world.gateway.before = 1s;
    branch server(world, how);
    server.make("pi_1", 100);
    in_background charges(server, server.charging());
    world.simulated.run_for(500ms);
    const auto why = server.refusal(server.changing(200));
    CHECK(why == (how == control::optimistic ? problem::wrong_state : problem::busy));
    charges.wait();
    relay_all(server);
    deliver_all(server);
    CHECK(world.intent("pi_1").state == intent_state::CHARGED);
    CHECK(world.intent("pi_1").amount == 100);
    CHECK(world.gateway.book.money_withdrawn() == 100);
    CHECK(world.stage_of("pi_1") == "done");
}
