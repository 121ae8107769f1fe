// The outbox: an event for each change that needs one, and relays that die at any moment.
// SPDX-License-Identifier: BSL-1.0
#include "payment_world.hpp"

using namespace payments;
using namespace payments::tests;

namespace {

asio::awaitable<int> save(unit_of_work& unit, std::vector<event> events) {
    together_with more;
    more.events = std::move(events);
    co_await unit.save(std::move(more));
    co_return 0;
}

event numbered(std::int64_t number) {
    event made;
    made.number = number;
    made.order = {.intent = "pi_1", .customer = "cust_1", .amount = 100 + number, .currency = "USD"};
    return made;
}

/// A process that dies as soon as the gateway has seen so many orders, or before it sends one.
struct dying_bank_line final : gateway {
    dying_bank_line(branch& who, bool before) : of(who), sends(before) {}
    asio::awaitable<std::optional<charge_answer>> charge(charge_order) override { co_return std::nullopt; }
    asio::awaitable<bool> submit(charge_order order) override {
        if (sends) of.world.gateway.submitted.push_back(order);
        if (sends) of.world.gateway.take(order);
        of.machine.crash();
        co_await dynalease::testing::sleep(of.machine, 1s);
        co_return false;
    }
    asio::awaitable<enquiry> ask(std::string) override { co_return enquiry{}; }
    branch& of;
    bool sends;
};

}  // namespace

TEST_CASE("there is an event exactly if CHARGE_REQUESTED was committed", "[outbox]") {
    const auto how = either_control();
    const auto what = GENERATE(fault::kind::pass, fault::kind::lose_request, fault::kind::lose_answer);
    const bool for_ever = GENERATE(false, true);
    payment_world world;
    branch server(world, how);
    server.make();
    bool befell = false;
    server.machine.network().set_plan([&](const dynalease::any_request& request, const dynalease::call_options&) {
        const bool hit = std::holds_alternative<dynalease::transact_write_items_request>(request);
        fault fate;
        if (hit && (for_ever || !befell)) fate.what = what;
        befell = befell || hit;
        return fate;
    });
    auto charging = [](branch& in) -> asio::awaitable<void> {
        try {
            co_await in.charging();
        } catch (const dynalease::error&) {
        } catch (const refused&) {
        }
    };
    running work(world.simulated, server.machine, charging(server));
    work.wait();
    const bool requested = world.intent("pi_1").state != intent_state::CREATED;
    CHECK(world.event("pi_1").has_value() == requested);
    CHECK(befell);
}

TEST_CASE("a relay that crashes before it has sent the event leaves it to the next, the gateway charges once",
          "[outbox]") {
    const auto how = either_control();
    const bool sends = GENERATE(false, true);  // the crash comes after it, and before that is written down
    payment_world world;
    branch server(world, control::optimistic);
    server.make();
    server.run(server.charging());
    branch dies(world, how, 2);
    dying_bank_line line(dies, sends);
    dies.sender.emplace(dies.rows, dies.session, *dies.intents, line, relay_options{});
    running work(world.simulated, dies.machine,
                 [](branch& in) -> asio::awaitable<void> { co_await in.sender->send_round(); }(dies));
    world.simulated.run_for(1s);
    CHECK(world.stage_of("pi_1") == "to_send");

    branch next(world, how, 3);
    CHECK(next.run(next.sender->send_round()) == 0);  // the dead one's turn is not over yet
    std::size_t sent = 0;
    for (int second = 0; second < 40 && sent == 0; ++second) {
        world.simulated.run_for(1s);
        sent = next.run(next.sender->send_round());
    }
    CHECK(sent == 1);
    CHECK(world.stage_of("pi_1") == "sent");
    CHECK(world.gateway.submitted.size() == (sends ? 2U : 1U));
    CHECK(world.gateway.withdrawals() == 1);
    deliver_all(next);
    CHECK(world.intent("pi_1").state == intent_state::CHARGED);
    CHECK(world.stage_of("pi_1") == "done");
}

TEST_CASE("the events of an intent are sent in their order, whatever relay sends them", "[outbox]") {
    payment_world world(7);
    branch server(world, control::optimistic);
    server.make();
    auto unit = server.run(server.intents->open("pi_1"));
    server.run(save(*unit, {numbered(1), numbered(2)}));
    server.run(save(*unit, {numbered(3)}));
    CHECK(world.event("pi_1", 3));
    branch one(world, control::optimistic, 2);
    branch two(world, control::optimistic, 3);
    world.gateway.before = 50ms;
    running first(world.simulated, one.machine, [](branch& in) -> asio::awaitable<void> {
        for (int i = 0; i < 5; ++i) co_await in.sender->send_round();
    }(one));
    running second(world.simulated, two.machine, [](branch& in) -> asio::awaitable<void> {
        for (int i = 0; i < 5; ++i) co_await in.sender->send_round();
    }(two));
    first.wait();
    second.wait();
    REQUIRE(world.gateway.submitted.size() == 3);
    CHECK(world.gateway.submitted[0].amount == 101);
    CHECK(world.gateway.submitted[1].amount == 102);
    CHECK(world.gateway.submitted[2].amount == 103);
}

TEST_CASE("an event that gets no answer is sent again, before those behind it", "[outbox]") {
    payment_world world;
    branch server(world, control::optimistic);
    server.make();
    server.run(server.charging());
    world.gateway.loses_answers = true;
    CHECK(server.run(server.sender->send_round()) == 0);
    CHECK(world.stage_of("pi_1") == "to_send");
    world.gateway.loses_answers = false;
    CHECK(server.run(server.sender->send_round()) == 1);
    CHECK(world.gateway.submitted.size() == 2);
    CHECK(world.gateway.withdrawals() == 1);
}

TEST_CASE("two events of one save are both stored", "[recipe]") {
    payment_world world;
    branch server(world, either_control());
    server.make();
    auto unit = server.run(server.intents->open("pi_1"));
    server.run(save(*unit, {numbered(1), numbered(2)}));
    CHECK(world.event("pi_1", 1)->amount == 101);
    CHECK(world.event("pi_1", 2)->amount == 102);
    CHECK(world.version("pi_1") == 2);
}

TEST_CASE("an event of a number that is there already is rejected, and the version stays", "[recipe]") {
    payment_world world;
    branch server(world, either_control());
    server.make();
    auto unit = server.run(server.intents->open("pi_1"));
    server.run(save(*unit, {numbered(1)}));
    CHECK_THROWS(server.run(save(*unit, {numbered(1)})));
    CHECK(world.version("pi_1") == 2);
    CHECK(world.event("pi_1", 1)->amount == 101);
}
