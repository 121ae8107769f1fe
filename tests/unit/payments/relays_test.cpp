// Relays beside one another: what one of them cannot do keeps nothing else waiting, and what a dead one had goes on.
// SPDX-License-Identifier: BSL-1.0
#include "payment_world.hpp"

using namespace payments;
using namespace payments::tests;

namespace {

constexpr std::size_t stuck = 25;  // as many as one round looks at
constexpr std::size_t behind = 30;

std::string name_of(std::size_t number) {
    return "pi_" + std::to_string(100 + number);
}

/// A gateway that never answers some of the orders.
struct deaf_bank_line final : gateway {
    deaf_bank_line(branch& who, std::size_t orders) : of(who), deaf_to(orders) {}
    asio::awaitable<std::optional<charge_answer>> charge(charge_order order) override {
        return of.line.charge(std::move(order));
    }
    asio::awaitable<bool> submit(charge_order order) override {
        if (order.intent >= name_of(deaf_to)) {
            auto submitting = of.line.submit(std::move(order));
            co_return co_await std::move(submitting);
        }
        co_await dynalease::testing::sleep(of.machine, 700ms);
        co_return false;
    }
    asio::awaitable<enquiry> ask(std::string key) override { return of.line.ask(std::move(key)); }
    branch& of;
    std::size_t deaf_to;
};

struct backlog : payment_world {
    /// So many intents that wait for a relay, in the order of their names. Whoever sends them is to be there before:
    /// its clock begins with it.
    void fill(std::size_t count = stuck + behind) {
        for (std::size_t i = 0; i < count; ++i) {
            server.make(name_of(i));
            server.run(server.charging(name_of(i)));
            simulated.run_for(1ms);
        }
    }
    std::size_t in_stage(const std::string& wanted, std::size_t from, std::size_t to) {
        std::size_t count = 0;
        for (auto i = from; i < to; ++i) count += stage_of(name_of(i)) == wanted ? 1 : 0;
        return count;
    }
    branch server{*this, control::optimistic};
};

asio::awaitable<std::vector<dynalease::queue_turn>> take_turns(branch& by, std::size_t count) {
    std::vector<dynalease::queue_turn> turns;
    for (std::size_t i = 0; i < count; ++i) {
        const dynalease::queue line{by.session, "outbox/" + name_of(i)};
        turns.push_back(co_await line.enter());
    }
    co_return turns;
}

}  // namespace

TEST_CASE("events that the gateway does not take keep none behind them waiting", "[outbox]") {
    backlog in;
    branch by(in, either_control(), 2);
    in.fill();
    deaf_bank_line line(by, stuck);
    by.sender.emplace(by.rows, by.session, *by.intents, line, relay_options{});
    CHECK(by.run(by.sender->send_round()) == 0);
    by.run(by.sender->send_round());
    by.run(by.sender->send_round());
    CHECK(in.in_stage("to_send", 0, stuck) == stuck);
    CHECK(in.in_stage("sent", stuck, stuck + behind) == behind);
    // They are not forgotten.
    line.deaf_to = 0;
    while (by.run(by.sender->send_round()) == 0) {
    }
    CHECK(in.in_stage("sent", 0, stuck) == stuck);
}

TEST_CASE("events of intents whose turn another relay has keep none behind them waiting", "[outbox]") {
    backlog in;
    const auto how = either_control();
    branch busy(in, how, 2);
    branch by(in, how, 3);
    in.fill();
    const auto turns = busy.run(take_turns(busy, stuck));
    for (int round = 0; round < 3; ++round) by.run(by.sender->send_round());
    CHECK(in.in_stage("to_send", 0, stuck) == stuck);
    CHECK(in.in_stage("sent", stuck, stuck + behind) == behind);
    CHECK(turns.front().held());
}

TEST_CASE("charges whose turn another relay has keep none behind them from being asked about", "[resolution]") {
    backlog in;
    const auto how = either_control();
    branch busy(in, how, 2);
    branch by(in, how, 3);
    in.fill();
    while (in.server.run(in.server.sender->send_round()) > 0) {
    }
    in.simulated.run_for(10s);
    const auto turns = busy.run(take_turns(busy, stuck));
    for (int round = 0; round < 3; ++round) by.run(by.sender->ask_round());
    CHECK(in.in_stage("sent", 0, stuck) == stuck);
    CHECK(in.in_stage("done", stuck, stuck + behind) == behind);
    CHECK(turns.front().held());
}

TEST_CASE("a relay that dies in all turns at once keeps the others off for its lease, and no longer", "[outbox]") {
    constexpr std::size_t intents = stuck + behind;
    backlog in;
    const auto how = either_control();
    branch dies(in, how, 2);
    branch next(in, how, 3);
    in.fill();
    const auto turns = dies.run(take_turns(dies, intents));
    in.simulated.run_for(3s);  // whoever dies at once has not even made itself known
    dies.machine.crash();
    const auto died = in.simulated.now();

    running relays(in.simulated, next.machine,
                   [](branch& by) -> asio::awaitable<void> { co_await by.sender->run(); }(next));
    in.simulated.run_for(9s);
    CHECK(in.gateway.submitted.empty());
    while (in.in_stage("to_send", 0, intents) > 0 && in.simulated.now() - died < 1min) in.simulated.run_for(100ms);
    CHECK(in.gateway.submitted.size() == intents);
    // A lease since the next one saw the last beat for the first time, and what it takes to look at all the queues.
    CHECK(in.simulated.now() - died < 13s);
}
