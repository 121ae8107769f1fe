// Order, containment, size and arithmetic of attribute values.
// SPDX-License-Identifier: BSL-1.0
#include "local/values/values.hpp"

#include "dynamodb/decimal.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace dynalease::local {

namespace {

number checked(const boost::system::result<decimal, decimal_error>& sum) {
    // The service tells too many digits of a sum, and only of a sum, as an overflow.
    if (!sum)
        refuse(std::string(
            describe(sum.error() == decimal_error::too_many_digits ? decimal_error::overflow : sum.error())));
    return sum->to_number();
}

/// The service counts a text as UTF-16: two for a character that takes four bytes here.
std::size_t utf16_length(std::string_view text) {
    std::size_t units = 0;
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        const bool continues = (byte & 0xc0U) == 0x80U;
        units += (continues ? 0 : 1) + (byte >= 0xf0U ? 1 : 0);
    }
    return units;
}

template <class Bytes>
bool contains_bytes(const Bytes& whole, const Bytes& part) {
    // Linear, whatever the bytes: the searches of the standard library are not. An empty vector may have no address,
    // which memmem must not be given.
    return part.empty() ||
           (!whole.empty() && ::memmem(whole.data(), whole.size(), part.data(), part.size()) != nullptr);
}

template <class T>
concept set_type = std::is_same_v<T, string_set> || std::is_same_v<T, number_set> || std::is_same_v<T, binary_set>;

struct containment {
    const attribute_value& part;

    bool operator()(const std::string& whole) const {
        const auto* text = part.get_if<std::string>();
        return text && contains_bytes(whole, *text);
    }
    bool operator()(const binary& whole) const {
        const auto* bytes = part.get_if<binary>();
        return bytes && contains_bytes(whole, *bytes);
    }
    bool operator()(const attribute_list& whole) const { return std::ranges::find(whole, part) != whole.end(); }
    template <set_type Set>
    bool operator()(const Set& whole) const {
        const auto* member = part.get_if<typename Set::value_type>();
        return member && whole.contains(*member);
    }
    bool operator()(const auto&) const { return false; }
};

}  // namespace

std::optional<std::strong_ordering> order(const attribute_value& left, const attribute_value& right) {
    if (left.get().index() != right.get().index()) return std::nullopt;
    if (const auto* text = left.get_if<std::string>()) return *text <=> *right.get_if<std::string>();
    if (const auto* value = left.get_if<number>()) return *value <=> *right.get_if<number>();
    if (const auto* bytes = left.get_if<binary>()) return *bytes <=> *right.get_if<binary>();
    return std::nullopt;
}

std::size_t steps_through(const attribute_value& value) {
    constexpr std::size_t bytes_of_a_step = 16;
    constexpr std::size_t steps_of_a_number = 4;
    constexpr std::size_t digits_of_a_step = 8;  // each comparison reads them
    return std::visit(
        []<class T>(const T& held) -> std::size_t {
            if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, binary>) {
                return 1 + held.size() / bytes_of_a_step;
            } else if constexpr (std::is_same_v<T, number>) {
                return steps_of_a_number + held.text().size() / digits_of_a_step;
            } else if constexpr (std::is_same_v<T, attribute_list>) {
                std::size_t sum = 1;
                for (const attribute_value& each : held) sum += steps_through(each);
                return sum;
            } else if constexpr (std::is_same_v<T, attribute_map>) {
                std::size_t sum = 1;
                for (const auto& [name, each] : held) sum += 1 + name.size() / bytes_of_a_step + steps_through(each);
                return sum;
            } else if constexpr (set_type<T>) {
                std::size_t sum = 1;
                for (const auto& each : held) sum += steps_through(each);
                return sum;
            } else {
                return 1;
            }
        },
        value.get());
}

bool begins_with(const attribute_value& whole, const attribute_value& prefix) {
    if (const auto* text = whole.get_if<std::string>()) {
        const auto* start = prefix.get_if<std::string>();
        return start && text->starts_with(*start);
    }
    if (const auto* bytes = whole.get_if<binary>()) {
        const auto* start = prefix.get_if<binary>();
        return start && start->size() <= bytes->size() && std::equal(start->begin(), start->end(), bytes->begin());
    }
    return false;
}

bool contains(const attribute_value& whole, const attribute_value& part) {
    return std::visit(containment{part}, whole.get());
}

std::optional<std::size_t> size_of(const attribute_value& value) {
    return std::visit(
        []<class T>(const T& held) -> std::optional<std::size_t> {
            if constexpr (std::is_same_v<T, std::string>) {
                return utf16_length(held);
            } else if constexpr (requires { held.size(); }) {
                return held.size();
            } else {
                return std::nullopt;
            }
        },
        value.get());
}

number add(const number& left, const number& right) {
    return checked(dynalease::add(decimal::of(left), decimal::of(right)));
}

number subtract(const number& left, const number& right) {
    return checked(dynalease::subtract(decimal::of(left), decimal::of(right)));
}

}  // namespace dynalease::local
