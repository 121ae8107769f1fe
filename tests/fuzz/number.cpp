// Two numbers, a line each: their texts, their order, their sum and difference.
// SPDX-License-Identifier: BSL-1.0
#include "fuzz/target.hpp"

#include "dynamodb/decimal.hpp"
#include "local/storage/number_key.hpp"

#include <string>

using namespace dynalease;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::input in(data, size);
    const auto left = decimal::parse(in.line());
    const auto right = decimal::parse(in.line());
    if (!left || !right) return 0;
    for (const auto& each : {*left, *right}) {
        const auto again = decimal::parse(each.to_string());
        fuzz::require(again && *again == each, "a number's own text means that number");
    }
    const auto order = *left <=> *right;
    fuzz::require((*right <=> *left) == (0 <=> order), "order has two sides");
    fuzz::require((left->to_string() == right->to_string()) == (order == 0), "equal numbers have one text");
    const auto keys = local::sortable_bytes(left->to_number()) <=> local::sortable_bytes(right->to_number());
    fuzz::require(keys == order, "keys sort as numbers do");
    const auto sum = add(*left, *right);
    const auto other_sum = add(*right, *left);
    fuzz::require(sum.has_value() == other_sum.has_value(), "a sum has no sides");
    if (sum) fuzz::require(*sum == *other_sum, "and one value");
    const auto difference = subtract(*left, *right);
    if (!difference) return 0;
    fuzz::require((*difference <=> decimal{}) == order, "a difference has the sign of the order");
    const auto back = add(*difference, *right);
    if (back) fuzz::require(*back == *left, "a difference makes up for itself");
    return 0;
}
