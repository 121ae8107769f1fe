// Processes of the payment system on one simulated table, and a bank that takes its time, loses answers and declines.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/refused.hpp"
#include "payments/gateway/charge_book.hpp"
#include "payments/gateway/gateway.hpp"
#include "payments/relay/relay.hpp"
#include "payments/repositories/optimistic_repository.hpp"
#include "payments/repositories/pessimistic_repository.hpp"
#include "payments/repositories/request_store.hpp"
#include "payments/repositories/unguarded_repository.hpp"
#include "payments/use_cases/charge.hpp"
#include "payments/use_cases/intents.hpp"
#include "payments/use_cases/once.hpp"
#include "payments/use_cases/settle.hpp"

#include <dynalease/session.hpp>
#include <dynalease/testing/node.hpp>
#include <dynalease/testing/running.hpp>
#include <dynalease/testing/world.hpp>

#include <boost/asio/awaitable.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace payments::tests {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using dynalease::testing::fault;
using dynalease::testing::node;
using dynalease::testing::running;

/// The gateway's own books, which outlive every process of ours.
struct bank {
    charge_book book;
    std::vector<charge_order> submitted;  ///< in the order in which they came, copies too
    std::size_t charges_asked = 0;        ///< calls that wait for the outcome
    std::chrono::milliseconds before{0};  ///< until it charges
    std::chrono::milliseconds after{0};   ///< from then until it answers
    bool declines = false;
    bool loses_orders = false;
    bool loses_answers = false;

    const charge_answer& take(const charge_order& order) { return *book.charge(order, order.key(), declines); }
    std::size_t withdrawals() const {
        std::size_t count = 0;
        for (const auto& [key, entry] : book.entries()) count += entry.withdrawn() ? 1 : 0;
        return count;
    }
};

class bank_line final : public gateway {
public:
    bank_line(bank& at, const node& from) : bank_(at), from_(from) {}

    asio::awaitable<std::optional<charge_answer>> charge(charge_order order) override {
        ++bank_.charges_asked;
        co_await dynalease::testing::sleep(from_, bank_.before);
        if (bank_.loses_orders) co_return std::nullopt;
        const auto answer = bank_.take(order);
        co_await dynalease::testing::sleep(from_, bank_.after);
        if (bank_.loses_answers) co_return std::nullopt;
        co_return answer;
    }
    asio::awaitable<bool> submit(charge_order order) override {
        co_await dynalease::testing::sleep(from_, bank_.before);
        if (bank_.loses_orders) co_return false;
        bank_.submitted.push_back(order);
        bank_.book.charge(order, order.key(), bank_.declines);
        co_await dynalease::testing::sleep(from_, bank_.after);
        co_return !bank_.loses_answers;
    }
    asio::awaitable<enquiry> ask(std::string key) override {
        if (bank_.loses_answers) co_return enquiry{};
        const auto* known = bank_.book.find(key);
        enquiry told;
        told.is = known ? enquiry::kind::known : enquiry::kind::unknown;
        if (known) told.outcome = *known;
        co_return told;
    }

private:
    bank& bank_;
    const node& from_;
};

struct payment_world {
    explicit payment_world(std::uint64_t seed = 0) : simulated(seed) {
        const node operators(simulated, {.seed = 99});
        dynalease::testing::run(simulated, operators, create_tables(operators.database()));
    }
    std::optional<dynalease::item> row(const std::string& partition, const std::string& sort) {
        return simulated.row(payments_table, partition, sort);
    }
    intent_data intent(const std::string& id) {
        return dynalease::from_item<intent_data>(row("INTENT#" + id, "INTENT").value());
    }
    std::int64_t version(const std::string& id) {
        return dynalease::find_integer(row("INTENT#" + id, "INTENT").value(), "version").value();
    }
    std::optional<event_row> event(const std::string& id, std::int64_t number = 1) {
        const auto found = row("INTENT#" + id, "EVENT#0000000" + std::to_string(number));
        if (!found) return std::nullopt;
        return dynalease::from_item<event_row>(*found);
    }
    std::string stage_of(const std::string& id, std::int64_t number = 1) {
        const auto found = event(id, number);
        return found ? found->stage.value_or("done") : "none";
    }

    dynalease::testing::world simulated;
    bank gateway;
};

/// One process: a server, or a relay.
struct branch {
    explicit branch(payment_world& in, payments::control how, std::uint64_t seed = 1, locking locks = {})
        : world(in),
          machine(in.simulated, {.seed = seed}),
          rows(machine.database()),
          session(machine.database(), {.table = coordination_table}),
          requests(rows, 6s),
          line(in.gateway, machine) {
        switch (how) {
            case control::none:
                intents = std::make_unique<unguarded_repository>(rows);
                break;
            case control::optimistic:
                intents = std::make_unique<optimistic_repository>(rows);
                break;
            case control::pessimistic:
                intents = std::make_unique<pessimistic_repository>(rows, session, locks);
                break;
        }
        sender.emplace(rows, session, *intents, line, relay_options{});
    }

    template <class T>
    T run(asio::awaitable<T> work) {
        return dynalease::testing::run(world.simulated, machine, std::move(work));
    }
    /// What it was refused for. It must be refused.
    template <class T>
    problem refusal(asio::awaitable<T> work) {
        try {
            run(std::move(work));
        } catch (const refused& why) {
            return why.what_is_wrong();
        }
        throw std::runtime_error("it was not refused");
    }

    intent_data make(const std::string& id = "pi_1", std::int64_t amount = 100) {
        return run(create_intent(*intents, {id, "cust_1", amount, "USD"}, nullptr));
    }
    asio::awaitable<intent_data> charging(std::string id = "pi_1", ticket* request = nullptr) {
        return charge(*intents, line, std::move(id), request);
    }
    asio::awaitable<intent_data> changing(std::int64_t amount, std::string id = "pi_1") {
        return change_amount(*intents, std::move(id), amount, nullptr);
    }
    /// The charge under an Idempotency-Key, as the front end has it.
    asio::awaitable<intent_data> charging_once(std::string key, std::string id = "pi_1") {
        return once(requests, std::move(key), "charge " + id,
                    [this, id](ticket* request) { return charge(*intents, line, id, request); });
    }

    payment_world& world;
    node machine;
    tables rows;
    dynalease::session session;
    request_store requests;
    bank_line line;
    std::unique_ptr<intent_repository> intents;
    std::optional<relay> sender;
};

/// Work that runs beside what the test does; how it ended is asked afterwards.
class in_background {
public:
    template <class T>
    in_background(branch& in, asio::awaitable<T> work)
        : ended_(std::make_shared<outcome>()), runs_(in.world.simulated, in.machine, keep(std::move(work), ended_)) {}

    bool done() const { return runs_.done(); }
    /// Lets the world go on until it has ended.
    void wait() { runs_.wait(); }
    bool succeeded() const { return done() && !ended_->refusal; }
    std::optional<problem> refusal() const { return ended_->refusal; }

private:
    struct outcome {
        std::optional<problem> refusal{};
    };
    template <class T>
    static asio::awaitable<void> keep(asio::awaitable<T> work, std::shared_ptr<outcome> into) {
        try {
            co_await std::move(work);
        } catch (const refused& why) {
            into->refusal = why.what_is_wrong();
        }
    }

    std::shared_ptr<outcome> ended_;
    running runs_;
};

/// The test with each of the two controls.
inline payments::control either_control() {
    return GENERATE(control::optimistic, control::pessimistic);
}

/// The relay's part, until nothing is to be done any more.
inline void relay_all(branch& by) {
    while (by.run(by.sender->send_round()) > 0) {
    }
}
/// The gateway's answers to all that was submitted, delivered once.
inline void deliver_all(branch& to) {
    for (const auto& order : to.world.gateway.submitted) {
        const auto* answer = to.world.gateway.book.find(order.key());
        to.run(settle(*to.intents, *answer));
    }
}

}  // namespace payments::tests
