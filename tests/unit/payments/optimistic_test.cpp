// The optimistic control: versions, the semantic lock, and saves whose answer was lost.
// SPDX-License-Identifier: BSL-1.0
#include "payment_world.hpp"

using namespace payments;
using namespace payments::tests;

namespace {

asio::awaitable<int> save(unit_of_work& unit) {
    together_with nothing;
    co_await unit.save(std::move(nothing));
    co_return 0;
}

}  // namespace

TEST_CASE("step by step: the change loses with a version conflict, and a retry with a state error", "[conflict]") {
    payment_world world;
    branch alice(world, control::optimistic, 1);
    branch bob(world, control::optimistic, 2);
    alice.make("pi_1", 100);
    CHECK(world.version("pi_1") == 1);

    auto change = bob.run(bob.intents->open("pi_1"));  // both have read version 1
    const auto charging = alice.run(alice.charging());
    CHECK(charging.state == intent_state::CHARGE_REQUESTED);
    CHECK(world.version("pi_1") == 2);

    change->intent().change_amount(200);
    CHECK(bob.refusal(save(*change)) == problem::conflict);
    CHECK(bob.refusal(bob.changing(200)) == problem::wrong_state);
    CHECK(world.intent("pi_1").amount == 100);
    CHECK(world.version("pi_1") == 2);
}

TEST_CASE("a stale update is rejected, and nothing of it is written", "[recipe]") {
    payment_world world;
    branch server(world, control::optimistic);
    server.make();
    auto stale = server.run(server.intents->open("pi_1"));
    server.run(server.changing(300));
    stale->intent().change_amount(200);
    const auto before = world.row("INTENT#pi_1", "INTENT");
    CHECK(server.refusal(save(*stale)) == problem::conflict);
    CHECK(world.row("INTENT#pi_1", "INTENT") == before);
}

TEST_CASE("an ambiguous save raises the version once", "[doubt]") {
    const auto how = either_control();
    const auto what = GENERATE(fault::kind::lose_request, fault::kind::lose_answer, fault::kind::apply_twice,
                               fault::kind::answer_copy);
    payment_world world;
    branch server(world, how);
    server.make();
    server.run(server.changing(150));
    CHECK(world.version("pi_1") == 2);
    bool befell = false;
    server.machine.network().set_plan([&](const dynalease::any_request& request, const dynalease::call_options&) {
        fault fate;
        if (!befell && std::holds_alternative<dynalease::transact_write_items_request>(request)) {
            befell = true;
            fate.what = what;
            fate.copy = 100ms;
        }
        return fate;
    });
    const auto done = server.run(server.changing(200));
    CHECK(befell);
    CHECK(done.amount == 200);
    world.simulated.run_for(1min);
    CHECK(world.intent("pi_1").amount == 200);
    CHECK(world.version("pi_1") == 3);
}

TEST_CASE("N charges at once lead to one event, and to one withdrawal", "[once]") {
    const auto how = either_control();
    payment_world world(4711);
    branch one(world, how, 1);
    branch two(world, how, 2);
    one.make();
    std::vector<std::unique_ptr<in_background>> charges;
    for (int i = 0; i < 10; ++i) {
        auto& by = i % 2 == 0 ? one : two;
        charges.push_back(std::make_unique<in_background>(by, by.charging()));
    }
    std::size_t succeeded = 0;
    for (auto& charge : charges) {
        charge->wait();
        succeeded += charge->succeeded() ? 1 : 0;
    }
    CHECK(succeeded == 1);
    CHECK(world.event("pi_1", 1));
    CHECK_FALSE(world.event("pi_1", 2));
    relay_all(one);
    deliver_all(two);
    CHECK(world.gateway.withdrawals() == 1);
    CHECK(world.intent("pi_1").state == intent_state::CHARGED);
}
