// The compiled part of the mapping between structs and items: messages, names and numbers.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/decimal.hpp"

#include <dynalease/error.hpp>
#include <dynalease/mapping/scalars.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

namespace dynalease {

std::string mapping_place::to_string() const {
    if (!outer_) return std::string(name_);
    auto text = outer_->to_string();
    if (name_.empty()) return text + "[" + std::to_string(element_) + "]";
    if (!text.empty()) text += '.';
    text += name_;
    if (!attribute_.empty() && attribute_ != name_) text += " (attribute \"" + std::string(attribute_) + "\")";
    return text;
}

void mapping_place::fail(std::string_view what) const {
    diagnostics details;
    details.operation = detail::mapping_operation;
    details.message = to_string() + " " + std::string(what);
    throw error(make_error_code(errc::bad_attribute), std::move(details));
}

void mapping_place::expected(std::string_view type, const attribute_value& found) const {
    fail("is stored as " + std::string(found.type_name()) + ", and must be " + std::string(type));
}

namespace mapping {

namespace {

/// Plain digits, whatever form the number came in; empty if it has a fraction.
std::string integer_text(const number& value) {
    const auto exact = decimal::of(value);
    if (exact.count > 0 && exact.exponent < 0) return {};
    return exact.to_string();
}

template <class Integer>
Integer to_integer(const number& value, Integer lowest, Integer highest, const mapping_place& place) {
    const auto text = integer_text(value);
    if (text.empty()) place.fail("is " + value.text() + ", and must be an integer");
    Integer out{};
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (fault == std::errc{} && stop == text.data() + text.size() && out >= lowest && out <= highest) return out;
    place.fail("is " + value.text() + ", and must be from " + std::to_string(lowest) + " to " +
               std::to_string(highest));
}

template <class Floating>
number floating_text(Floating value, const mapping_place& place) {
    if (!std::isfinite(value)) place.fail("is not finite, and cannot be stored");
    return to_number(shortest_text(value), place);
}

}  // namespace

void fail_absent(const mapping_place& place) {
    place.fail(
        "is absent in what was read; if it may be, or an index does not project it, make the member a std::optional, "
        "or "
        "let it keep what the struct makes it with: keeps_default in its dynalease::member_traits, keeps_defaults in "
        "the "
        "struct's item_traits");
}

void add_wanted(std::vector<std::string>& into, std::initializer_list<member_name> all) {
    for (const auto& each : all) {
        if (each.wanted) into.emplace_back(each.attribute);
    }
}

void fail_versions(std::string_view one, std::string_view other) {
    mapping_place().fail("the structs of the variant show the version by two names, \"" + std::string(one) +
                         "\" and \"" + std::string(other) + "\"");
}

void add_member(item_members& into, std::string_view name, attribute_value stored, const mapping_place& place) {
    const bool is_new = into.present.emplace(std::string(name), std::move(stored)).second;
    if (!is_new) place.fail("has the attribute name of another member");
}

void check_names(const item_members& members, const mapping_place& place) {
    for (auto each = members.absent.begin(); each != members.absent.end(); ++each) {
        if (!members.present.contains(*each) && std::find(members.absent.begin(), each, *each) == each) continue;
        place.fail("has two members of the attribute name \"" + *each + "\"");
    }
}

const std::string& checked_text(const std::string& text, const mapping_place& place) {
    if (!detail::is_utf8(text)) place.fail("holds text that is no UTF-8, and DynamoDB takes no other");
    return text;
}

namespace {

std::string listed(std::span<const std::string_view> values) {
    std::string text;
    for (const auto value : values) text += (text.empty() ? "\"" : ", \"") + std::string(value) + '"';
    return text;
}

}  // namespace

std::size_t alternative_in(const item& stored, std::string_view discriminator, std::span<const std::string_view> values,
                           const mapping_place& place) {
    const mapping_place here(place, discriminator, discriminator);
    const auto found = stored.find(discriminator);
    if (found == stored.end()) here.fail("is absent in the item, and tells which struct it is: " + listed(values));
    const auto& name = held_as<std::string>(found->second, "S", here);
    const auto at = std::ranges::find(values, name);
    if (at == values.end()) here.fail("is \"" + name + "\", and must be one of " + listed(values));
    return static_cast<std::size_t>(at - values.begin());
}

void add_alternative(item_members& into, std::string_view discriminator, std::string_view value,
                     const std::vector<std::string>& all, const mapping_place& place) {
    const auto lacks = [&](const std::string& name) {
        return std::ranges::find(into.absent, name) == into.absent.end();
    };
    // A struct that is stored alone, too, may give the same by itself.
    const attribute_value own(value);
    const bool agrees = into.present.emplace(discriminator, own).first->second == own;
    if (!agrees || !lacks(std::string(discriminator)))
        mapping_place(place, discriminator, discriminator)
            .fail("tells which struct it is, \"" + std::string(value) + "\", and the struct gives it another value");
    for (const auto& name : all) {
        if (!into.present.contains(name) && lacks(name)) into.absent.push_back(name);
    }
}

void add_derived(item_members& into, item_members derived, const mapping_place& place) {
    for (auto& [name, value] : derived.present) {
        const bool is_new = into.present.emplace(name, std::move(value)).second;
        if (!is_new) mapping_place(place, name, name).fail("is derived, and has the attribute name of a member");
    }
    into.absent.insert(into.absent.end(), derived.absent.begin(), derived.absent.end());
    check_names(into, place);
}

std::int64_t to_signed(const number& value, std::int64_t lowest, std::int64_t highest, const mapping_place& place) {
    return to_integer<std::int64_t>(value, lowest, highest, place);
}

std::uint64_t to_unsigned(const number& value, std::uint64_t highest, const mapping_place& place) {
    return to_integer<std::uint64_t>(value, 0, highest, place);
}

number to_number(std::string_view text, const mapping_place& place) {
    if (auto parsed = number::parse(text)) return *std::move(parsed);
    const auto why = decimal::parse(text);
    place.fail("is " + std::string(text) + ": " + std::string(describe(why.error())));
}

number from_floating(double value, const mapping_place& place) {
    return floating_text(value, place);
}
number from_floating(float value, const mapping_place& place) {
    return floating_text(value, place);
}

float to_float(const number& value, const mapping_place& place) {
    // Half a unit of the last place above the largest is still nearest to it.
    constexpr auto too_large = 0x1.ffffffp127;
    const auto wide = value.to_double();
    if (std::abs(wide) >= too_large) place.fail("is " + value.text() + ", and lies beyond what its type can hold");
    return static_cast<float>(wide);
}

}  // namespace mapping

}  // namespace dynalease
