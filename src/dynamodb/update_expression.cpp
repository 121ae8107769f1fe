// Updates and the functions of their assignments.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/update_expression.hpp>

#include "dynamodb/fragments.hpp"

#include <algorithm>
#include <iterator>

namespace dynalease {

using detail::concatenate;

bool update_expression::empty() const noexcept {
    return std::ranges::all_of(actions_, [](const auto& actions) { return actions.empty(); });
}

update_expression& update_expression::operator+=(update_expression other) {
    for (std::size_t i = 0; i < actions_.size(); ++i) {
        std::ranges::move(other.actions_[i], std::back_inserter(actions_[i]));
    }
    return *this;
}

update_expression set(const path& attribute, const operand& value) {
    return {update_expression::clause::set, concatenate(attribute.parts(), " = ", value.parts())};
}

update_expression remove(const path& attribute) {
    return {update_expression::clause::remove, attribute.parts()};
}

update_expression add(const path& attribute, attribute_value amount) {
    return {update_expression::clause::add, concatenate(attribute.parts(), " ", operand(std::move(amount)).parts())};
}

update_expression delete_from(const path& attribute, attribute_value members) {
    return {update_expression::clause::delete_from,
            concatenate(attribute.parts(), " ", operand(std::move(members)).parts())};
}

operand if_not_exists(const path& attribute, const operand& otherwise) {
    return operand(concatenate("if_not_exists(", attribute.parts(), ", ", otherwise.parts(), ")"));
}

operand list_append(const operand& first, const operand& second) {
    return operand(concatenate("list_append(", first.parts(), ", ", second.parts(), ")"));
}

}  // namespace dynalease
