// Requests with an Idempotency-Key: done once, answered the same, refused with another payload, taken over.
// SPDX-License-Identifier: BSL-1.0
#include "payment_world.hpp"

using namespace payments;
using namespace payments::tests;

namespace {

asio::awaitable<intent_data> create_once(branch& in, std::string key, std::string id, std::int64_t amount) {
    use_case work = [&in, id, amount](ticket* request) {
        new_intent wanted{id, "cust_1", amount, "USD"};
        return create_intent(*in.intents, std::move(wanted), request);
    };
    return once(in.requests, std::move(key), "create " + std::to_string(amount), std::move(work));
}
asio::awaitable<intent_data> change_once(branch& in, std::string key, std::int64_t amount) {
    use_case work = [&in, amount](ticket* request) { return change_amount(*in.intents, "pi_1", amount, request); };
    return once(in.requests, std::move(key), "change " + std::to_string(amount), std::move(work));
}

std::optional<request_row> stored_request(payment_world& world, const std::string& key) {
    const auto found = world.row("REQUEST#" + key, "REQUEST");
    if (!found) return std::nullopt;
    return dynalease::from_item<request_row>(*found);
}

}  // namespace

TEST_CASE("the same request again is answered the same, and not done again") {
    payment_world world;
    branch one(world, either_control(), 1);
    branch two(world, control::optimistic, 2);
    const auto made = one.run(create_once(one, "key-1", "pi_1", 100));
    const auto again = two.run(create_once(two, "key-1", "pi_other", 100));
    CHECK(again == made);
    CHECK_FALSE(world.row("INTENT#pi_other", "INTENT"));
}

TEST_CASE("a stored answer stays what it was, whatever became of the intent") {
    payment_world world;
    branch server(world, either_control());
    server.make();
    const auto first = server.run(change_once(server, "key-1", 200));
    server.run(change_once(server, "key-2", 300));
    CHECK(server.run(change_once(server, "key-1", 200)) == first);
    CHECK(world.intent("pi_1").amount == 300);
}

TEST_CASE("a key that comes with another payload is refused, and nothing happens") {
    payment_world world;
    branch server(world, either_control());
    server.make();
    server.run(change_once(server, "key-1", 200));
    CHECK(server.refusal(change_once(server, "key-1", 201)) == problem::payload_differs);
    CHECK(world.intent("pi_1").amount == 200);
}

TEST_CASE("a request that is being worked on tells its copies to wait, later they get its answer") {
    payment_world world;
    world.gateway.before = 1s;
    branch one(world, control::pessimistic, 1);
    branch two(world, control::pessimistic, 2);
    one.make();
    in_background first(one, one.charging_once("key-1"));
    world.simulated.run_for(300ms);
    CHECK(one.refusal(one.charging_once("key-1")) == problem::in_progress);
    CHECK(two.refusal(two.charging_once("key-1")) == problem::in_progress);
    first.wait();
    CHECK(two.run(two.charging_once("key-1")).state == intent_state::CHARGED);
    CHECK(world.gateway.charges_asked == 1);
}

TEST_CASE("a request whose process died is taken over when it is given up, and not before") {
    payment_world world;
    branch dies(world, control::optimistic, 1);
    dies.make();
    // It stops for good between the record and the change.
    dies.machine.network().set_plan([](const dynalease::any_request& request, const dynalease::call_options&) {
        fault fate;
        if (std::holds_alternative<dynalease::transact_write_items_request>(request)) fate.what = fault::kind::hold;
        return fate;
    });
    in_background first(dies, dies.charging_once("key-1"));
    world.simulated.run_for(100ms);
    dies.machine.crash();
    branch next(world, control::optimistic, 2);
    CHECK(next.refusal(next.charging_once("key-1")) == problem::in_progress);
    world.simulated.run_for(7s);
    CHECK(next.run(next.charging_once("key-1")).state == intent_state::CHARGE_REQUESTED);
    CHECK(world.event("pi_1", 1));
    CHECK_FALSE(world.event("pi_1", 2));
}

TEST_CASE("a request that was taken over cannot be finished by the first: its change is refused with its record") {
    payment_world world;
    branch slow(world, control::optimistic, 1);
    branch next(world, control::optimistic, 2);
    slow.make();
    slow.machine.network().set_plan([](const dynalease::any_request& request, const dynalease::call_options&) {
        fault fate;
        if (std::holds_alternative<dynalease::get_item_request>(request)) fate.after = 900ms;
        return fate;
    });
    in_background first(slow, change_once(slow, "key-1", 200));
    world.simulated.run_for(100ms);
    slow.machine.pause();
    world.simulated.run_for(7s);
    CHECK(next.run(change_once(next, "key-1", 200)).amount == 200);
    CHECK(next.run(change_once(next, "key-2", 300)).amount == 300);
    slow.machine.resume();
    first.wait();
    CHECK_FALSE(first.succeeded());
    CHECK(world.intent("pi_1").amount == 300);
}

TEST_CASE("what is refused for good is refused again in the same words, what passes may be tried again at once") {
    payment_world world;
    branch server(world, either_control());
    CHECK(server.refusal(change_once(server, "key-1", 200)) == problem::not_found);
    server.make();
    CHECK(server.refusal(change_once(server, "key-1", 200)) == problem::not_found);
    CHECK(server.run(change_once(server, "key-2", 200)).amount == 200);
}

TEST_CASE("a request that met a lock can be tried again at once") {
    payment_world world;
    branch server(world, control::pessimistic, 1);
    branch other(world, control::pessimistic, 2);
    server.make();
    auto held = server.run(server.intents->open("pi_1"));
    CHECK(other.refusal(change_once(other, "key-1", 200)) == problem::busy);
    CHECK_FALSE(stored_request(world, "key-1"));
    held.reset();
    world.simulated.run_for(1s);
    CHECK(other.run(change_once(other, "key-1", 200)).amount == 200);
}

TEST_CASE("the record of a request and its change are written together or not at all") {
    const auto how = either_control();
    const auto what = GENERATE(fault::kind::lose_request, fault::kind::lose_answer);
    payment_world world;
    branch server(world, how);
    server.make();
    server.machine.network().set_plan([what](const dynalease::any_request& request, const dynalease::call_options&) {
        fault fate;
        if (std::holds_alternative<dynalease::transact_write_items_request>(request)) fate.what = what;
        return fate;
    });
    auto changing = [](branch& in) -> asio::awaitable<void> {
        try {
            co_await change_once(in, "key-1", 200);
        } catch (const dynalease::error&) {
        } catch (const refused&) {
        }
    };
    running work(world.simulated, server.machine, changing(server));
    work.wait();
    const auto kept = stored_request(world, "key-1");
    const bool changed = world.intent("pi_1").amount == 200;
    if (changed) CHECK((kept && kept->result && kept->result->amount == 200));
    if (!changed) CHECK_FALSE((kept && kept->result));
}
