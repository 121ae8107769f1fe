// Paths, operands and conditions.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/condition_expression.hpp>

#include "dynamodb/fragments.hpp"

namespace dynalease {

using detail::append;
using detail::concatenate;

path path::operator[](std::string member) const {
    path out = *this;
    append(out.parts_, ".");
    out.parts_.emplace_back(detail::name_fragment{std::move(member)});
    return out;
}

path path::operator[](std::size_t element) const {
    path out = *this;
    append(out.parts_, "[" + std::to_string(element) + "]");
    return out;
}

void condition_expression::enclose_unless(binding at_least) {
    if (binding_ >= at_least) return;
    parts_ = concatenate("(", std::move(parts_), ")");
}

condition_expression condition_expression::joined(condition_expression left, std::string_view word, binding how,
                                                  condition_expression right) {
    if (left.empty()) return right;
    if (right.empty()) return left;
    left.enclose_unless(how);
    right.enclose_unless(how);
    append(left.parts_, word);
    append(left.parts_, std::move(right.parts_));
    left.binding_ = how;
    return left;
}

condition_expression condition_expression::inverted(condition_expression negated) {
    if (negated.empty()) return negated;
    negated.enclose_unless(binding::atom);
    negated.parts_.insert(negated.parts_.begin(), std::string("NOT "));
    negated.binding_ = binding::negation;
    return negated;
}

condition_expression operand::compared(const operand& left, std::string_view sign, const operand& right) {
    return condition_expression(concatenate(left.parts_, sign, right.parts_));
}

operand operand::computed(const operand& left, std::string_view sign, const operand& right) {
    return operand(concatenate(left.parts_, sign, right.parts_));
}

condition_expression attribute_exists(const path& attribute) {
    return condition_expression(concatenate("attribute_exists(", attribute.parts(), ")"));
}

condition_expression attribute_not_exists(const path& attribute) {
    return condition_expression(concatenate("attribute_not_exists(", attribute.parts(), ")"));
}

condition_expression attribute_type(const path& attribute, std::string_view type) {
    return condition_expression(concatenate("attribute_type(", attribute.parts(), ", ", operand(type).parts(), ")"));
}

condition_expression begins_with(const path& attribute, const operand& prefix) {
    return condition_expression(concatenate("begins_with(", attribute.parts(), ", ", prefix.parts(), ")"));
}

condition_expression contains(const path& attribute, const operand& part) {
    return condition_expression(concatenate("contains(", attribute.parts(), ", ", part.parts(), ")"));
}

condition_expression between(const path& attribute, const operand& low, const operand& high) {
    return detail::between(attribute, low, high);
}

condition_expression in(const path& attribute, const std::vector<operand>& candidates) {
    return detail::in(attribute, candidates);
}

condition_expression detail::between(const operand& value, const operand& low, const operand& high) {
    return condition_expression(concatenate(value.parts(), " BETWEEN ", low.parts(), " AND ", high.parts()));
}

condition_expression detail::in(const operand& value, const std::vector<operand>& candidates) {
    auto parts = concatenate(value.parts(), " IN (");
    bool first = true;
    for (const auto& candidate : candidates) {
        if (!first) append(parts, ", ");
        first = false;
        append(parts, candidate.parts());
    }
    append(parts, ")");
    return condition_expression(std::move(parts));
}

operand size_of(const path& attribute) {
    return operand(concatenate("size(", attribute.parts(), ")"));
}

}  // namespace dynalease
