// A payment intent: what a customer is to pay, and how far that is. The rules of the business, and nothing else.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/charge.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace payments {

//     CREATED --request_charge--> CHARGE_REQUESTED --settle--> CHARGED, or CHARGE_FAILED
//
// The amount can be changed only in the first. CHARGE_REQUESTED is a semantic lock: whatever else would change the
// intent is refused until the gateway has answered.
enum class intent_state { CREATED, CHARGE_REQUESTED, CHARGED, CHARGE_FAILED };
BOOST_DESCRIBE_ENUM(intent_state, CREATED, CHARGE_REQUESTED, CHARGED, CHARGE_FAILED)

/// What was asked of the gateway, and what it answered.
struct charge_record {
    std::int64_t amount = 0;
    std::string requested_by{};  ///< the Idempotency-Key of the request that asked for it; empty: it had none
    std::int64_t event = 0;      ///< number of the event that told of it
    std::string id{};            ///< the gateway's name for it, once it has answered
    std::string failure_code{};  ///< why it was declined
    std::string failure_message{};

    friend bool operator==(const charge_record&, const charge_record&) = default;
};
BOOST_DESCRIBE_STRUCT(charge_record, (), (amount, requested_by, event, id, failure_code, failure_message))

struct intent_data {
    std::string id{};  ///< "pi_..."
    intent_state state = intent_state::CREATED;
    std::string customer{};
    std::int64_t amount = 0;  ///< in the currency's smallest unit
    std::string currency{};   ///< three capital letters
    std::int64_t events = 0;  ///< how many it has told of
    std::optional<charge_record> charge{};

    friend bool operator==(const intent_data&, const intent_data&) = default;
};
BOOST_DESCRIBE_STRUCT(intent_data, (), (id, state, customer, amount, currency, events, charge))

/// Something that happened to an intent and that others must hear of. The only kind there is: a charge was requested.
struct event {
    std::int64_t number = 0;  ///< rises with each event of the intent
    charge_order order{};
};

/// Knows nothing of concurrency: it assumes that nobody else changes the intent meanwhile. The repositories see to
/// that.
class payment_intent {
public:
    /// @throws refused with `problem::invalid` that says which value is wrong.
    static payment_intent create(std::string id, std::string customer, std::int64_t amount, std::string currency);
    explicit payment_intent(intent_data stored) : data_(std::move(stored)) {}

    const intent_data& data() const noexcept { return data_; }

    /// @throws refused with `problem::invalid`, or `problem::wrong_state`.
    void change_amount(std::int64_t amount);
    /// @param by the Idempotency-Key of the request.
    /// @returns the event to tell of it; empty: this very request had asked for it before, and did not live to hear.
    /// @throws refused with `problem::wrong_state`.
    std::optional<event> request_charge(const std::string& by);
    /// What the gateway is asked, once the charge was requested.
    charge_order order() const;
    bool settled() const noexcept;
    /// @returns whether the answer was waited for; one that comes late, twice or unasked changes nothing.
    /// @throws refused with `problem::invalid` if it speaks of another amount than was asked for.
    bool settle(const charge_answer& answer);

private:
    intent_data data_;
};

}  // namespace payments
