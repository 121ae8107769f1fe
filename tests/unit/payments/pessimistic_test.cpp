// The pessimistic control: a lock around the use case, fenced; and what is left when a process dies under it.
// SPDX-License-Identifier: BSL-1.0
#include "payment_world.hpp"

using namespace payments;
using namespace payments::tests;

TEST_CASE("a change during the charge meets the lock, and later the state", "[crash]") {
    payment_world world;
    world.gateway.before = 2s;
    branch server(world, control::pessimistic);
    branch other(world, control::pessimistic, 2);
    server.make();
    in_background charges(server, server.charging());
    world.simulated.run_for(500ms);
    CHECK(server.refusal(server.changing(200)) == problem::busy);
    CHECK(other.refusal(other.changing(200)) == problem::busy);
    charges.wait();
    CHECK(charges.succeeded());
    CHECK(other.refusal(other.changing(200)) == problem::wrong_state);
    CHECK(world.intent("pi_1").amount == 100);
}

TEST_CASE("a crash after the gateway's success: the lock expires, and a retry charges once", "[crash]") {
    payment_world world;
    world.gateway.after = 1s;
    branch server(world, control::pessimistic);
    server.make();
    in_background charges(server, server.charging_once("key-1"));
    world.simulated.run_for(500ms);
    REQUIRE(world.gateway.withdrawals() == 1);
    server.machine.crash();

    branch other(world, control::pessimistic, 2, {.wait = 30s});
    CHECK(other.refusal(other.charging_once("key-1")) == problem::in_progress);
    world.simulated.run_for(7s);  // the request that crashed is given up; its lock has not expired yet
    const auto done = other.run(other.charging_once("key-1"));
    CHECK(done.state == intent_state::CHARGED);
    CHECK(world.gateway.charges_asked == 2);
    CHECK(world.gateway.withdrawals() == 1);
    CHECK(world.intent("pi_1").state == intent_state::CHARGED);
    CHECK(world.stage_of("pi_1") == "done");
}

TEST_CASE("a crash after the gateway's success, and nobody tries again: the gateway is asked", "[crash]") {
    payment_world world;
    world.gateway.after = 1s;
    branch server(world, control::pessimistic);
    server.make();
    in_background charges(server, server.charging());
    world.simulated.run_for(500ms);
    server.machine.crash();
    branch relay(world, control::pessimistic, 2, {.wait = 30s});
    CHECK(relay.run(relay.sender->ask_round()) == 0);  // it is left alone for as long as its request may run
    world.simulated.run_for(10s);
    relay.run(relay.sender->ask_round());
    CHECK(world.intent("pi_1").state == intent_state::CHARGED);
    CHECK(world.gateway.withdrawals() == 1);
    CHECK(world.stage_of("pi_1") == "done");
}

TEST_CASE("an expired holder can neither write nor release", "[fence]") {
    payment_world world;
    branch slow(world, control::pessimistic, 1);
    branch fast(world, control::pessimistic, 2, {.wait = 60s});
    slow.make();
    auto stale = slow.run(slow.intents->open("pi_1"));
    stale->intent().change_amount(666);
    slow.machine.pause();  // beyond its lease: it believes all along that it holds the lock
    in_background waits(fast, fast.intents->open("pi_1"));
    waits.wait();
    REQUIRE(waits.succeeded());
    slow.machine.resume();
    together_with nothing;
    const auto why = slow.refusal([](unit_of_work& unit, together_with more) -> asio::awaitable<int> {
        co_await unit.save(std::move(more));
        co_return 0;
    }(*stale, nothing));
    CHECK(why == problem::lost);
    CHECK(world.intent("pi_1").amount == 100);
}

TEST_CASE("the fence refuses an expired holder's write even when that believes its lock valid", "[fence]") {
    payment_world world;
    branch slow(world, control::pessimistic, 1);
    branch fast(world, control::pessimistic, 2, {.wait = 60s});
    slow.make();
    auto stale = slow.run(slow.intents->open("pi_1"));
    stale->intent().change_amount(666);
    // Its next write is on its way for so long that its lease runs out meanwhile.
    slow.machine.network().set_plan([](const dynalease::any_request& request, const dynalease::call_options& options) {
        fault fate;
        if (options.lane == dynalease::lane::heartbeat) fate.what = fault::kind::lose_request;
        if (std::holds_alternative<dynalease::transact_write_items_request>(request)) fate.before = 40s;
        return fate;
    });
    together_with nothing;
    auto saving = [](unit_of_work& unit, together_with more) -> asio::awaitable<void> {
        try {
            co_await unit.save(std::move(more));
        } catch (const dynalease::error&) {  // it is told that nobody knows
        }
    };
    in_background late(slow, saving(*stale, nothing));
    in_background waits(fast, fast.intents->open("pi_1"));
    waits.wait();
    REQUIRE(waits.succeeded());
    world.simulated.run_for(2min);
    CHECK_FALSE(late.succeeded());
    CHECK(world.intent("pi_1").amount == 100);
}

TEST_CASE("one who crashed under the lock keeps others off for its lease, and no longer") {
    payment_world world;
    branch server(world, control::pessimistic);
    server.make();
    in_background opens(server, server.intents->open("pi_1"));
    opens.wait();
    server.machine.crash();
    branch other(world, control::pessimistic, 2, {.wait = 30s});
    const auto before = world.simulated.now();
    const auto changed = other.run(other.changing(300));
    CHECK(changed.amount == 300);
    CHECK(world.simulated.now() - before < 12s);
}

TEST_CASE("two charges at once from two processes: the gateway is called once") {
    payment_world world;
    world.gateway.before = 200ms;
    branch one(world, control::pessimistic, 1);
    branch two(world, control::pessimistic, 2);
    one.make();
    in_background first(one, one.charging());
    in_background second(two, two.charging());
    first.wait();
    second.wait();
    CHECK((first.succeeded() ? 1 : 0) + (second.succeeded() ? 1 : 0) == 1);
    CHECK(world.gateway.charges_asked == 1);
}

TEST_CASE("an optimistic writer respects the lock, and a locked one an optimistic write", "[both]") {
    payment_world world;
    world.gateway.before = 2s;
    branch locks(world, control::pessimistic, 1);
    branch saves(world, control::optimistic, 2);
    locks.make();
    auto read_before = saves.run(saves.intents->open("pi_1"));
    in_background opens(locks, locks.charging());
    world.simulated.run_for(500ms);
    read_before->intent().change_amount(500);
    auto saving = [](unit_of_work& unit) -> asio::awaitable<int> {
        together_with nothing;
        co_await unit.save(std::move(nothing));
        co_return 0;
    };
    const auto why = saves.refusal(saving(*read_before));
    CHECK((why == problem::busy || why == problem::conflict));
    opens.wait();
    CHECK(saves.refusal(saving(*read_before)) == problem::conflict);
    CHECK(world.intent("pi_1").amount == 100);
}
