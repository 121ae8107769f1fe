// The rules of a payment intent.
// SPDX-License-Identifier: BSL-1.0
#include "payments/domain/payment_intent.hpp"

#include "payments/domain/refused.hpp"

#include <boost/describe/enum_to_string.hpp>

#include <algorithm>
#include <utility>

namespace payments {

namespace {

constexpr std::int64_t largest_amount = 1'000'000'000'000;

void check_amount(std::int64_t amount) {
    if (amount <= 0) throw refused(problem::invalid, "the amount must be above 0");
    if (amount > largest_amount) throw refused(problem::invalid, "the amount is above the limit");
}

std::string name_of(intent_state state) {
    return boost::describe::enum_to_string(state, "?");
}

}  // namespace

payment_intent payment_intent::create(std::string id, std::string customer, std::int64_t amount, std::string currency) {
    if (customer.empty() || customer.size() > 100) throw refused(problem::invalid, "a customer has 1 to 100 bytes");
    const bool letters = std::ranges::all_of(currency, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (currency.size() != 3 || !letters) throw refused(problem::invalid, "a currency has three capital letters");
    check_amount(amount);
    intent_data made;
    made.id = std::move(id);
    made.customer = std::move(customer);
    made.amount = amount;
    made.currency = std::move(currency);
    return payment_intent(std::move(made));
}

void payment_intent::change_amount(std::int64_t amount) {
    check_amount(amount);
    if (data_.state != intent_state::CREATED) {
        throw refused(problem::wrong_state, "the amount cannot be changed in state " + name_of(data_.state));
    }
    data_.amount = amount;
}

std::optional<event> payment_intent::request_charge(const std::string& by) {
    if (data_.state != intent_state::CREATED) {
        if (!by.empty() && data_.charge && data_.charge->requested_by == by) return std::nullopt;
        throw refused(problem::wrong_state, "no charge can be requested in state " + name_of(data_.state));
    }
    data_.state = intent_state::CHARGE_REQUESTED;
    ++data_.events;
    data_.charge = charge_record{.amount = data_.amount, .requested_by = by, .event = data_.events};
    return event{.number = data_.events, .order = order()};
}

charge_order payment_intent::order() const {
    const auto amount = data_.charge ? data_.charge->amount : data_.amount;
    return {.intent = data_.id, .customer = data_.customer, .amount = amount, .currency = data_.currency};
}

bool payment_intent::settled() const noexcept {
    return data_.state == intent_state::CHARGED || data_.state == intent_state::CHARGE_FAILED;
}

bool payment_intent::settle(const charge_answer& answer) {
    if (data_.state != intent_state::CHARGE_REQUESTED) return false;
    if (answer.amount != data_.charge->amount) throw refused(problem::invalid, "another amount was asked for");
    data_.state = answer.withdrawn() ? intent_state::CHARGED : intent_state::CHARGE_FAILED;
    data_.charge->id = answer.charge;
    data_.charge->failure_code = answer.failure_code;
    data_.charge->failure_message = answer.failure_message;
    return true;
}

}  // namespace payments
