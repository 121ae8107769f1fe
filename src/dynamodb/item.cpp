// Reading and measuring items.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/decimal.hpp"
#include "dynamodb/value_size.hpp"

#include <dynalease/dynamodb/item.hpp>

namespace dynalease {

namespace {

/// As the service counts at its limit of an item, which its documents tell only about: one byte for two significant
/// digits on either side of the point, one for the number and one for the sign of a negative one.
std::size_t size_of(const number& value) noexcept {
    const decimal digits = decimal::of(value);
    const bool straddles = digits.exponent < 0 && digits.magnitude() >= 0;
    const int fraction = straddles ? -digits.exponent : 0;
    const int pairs = (digits.count - fraction + 1) / 2 + (fraction + 1) / 2;
    return std::size_t(pairs) + 1 + (digits.negative ? 1 : 0);
}
std::size_t size_of(const std::string& value) noexcept {
    return value.size();
}
std::size_t size_of(const binary& value) noexcept {
    return value.size();
}
std::size_t size_of(bool) noexcept {
    return 1;
}
std::size_t size_of(null) noexcept {
    return 1;
}

// A list or map takes three bytes, and one more for each element.
constexpr std::size_t container_overhead = 3;
constexpr std::size_t element_overhead = 1;

std::size_t size_of(const attribute_list& values) noexcept {
    std::size_t sum = container_overhead;
    for (const auto& value : values) sum += element_overhead + value_size(value);
    return sum;
}
std::size_t size_of(const attribute_map& values) noexcept {
    return container_overhead + values.size() * element_overhead + item_size(values);
}
template <class Element, class... Rest>
std::size_t size_of(const std::set<Element, Rest...>& values) noexcept {
    std::size_t sum = 0;
    for (const auto& value : values) sum += size_of(value);
    return sum;
}

}  // namespace

std::size_t value_size(const attribute_value& value) noexcept {
    return std::visit([](const auto& held) { return size_of(held); }, value.get());
}

const attribute_value* find(const item& attributes, std::string_view name) noexcept {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : &found->second;
}

const std::string* find_string(const item& attributes, std::string_view name) noexcept {
    const auto* value = find(attributes, name);
    return value ? value->get_if<std::string>() : nullptr;
}

std::optional<std::int64_t> find_integer(const item& attributes, std::string_view name) noexcept {
    const auto* value = find(attributes, name);
    const auto* held = value ? value->get_if<number>() : nullptr;
    return held ? held->to_integer() : std::nullopt;
}

std::size_t item_size(const item& attributes) noexcept {
    std::size_t sum = 0;
    for (const auto& [name, value] : attributes) sum += name.size() + value_size(value);
    return sum;
}

}  // namespace dynalease
