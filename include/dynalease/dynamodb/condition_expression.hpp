// Conditions in C++: what must be true of an item for a write to happen, or for a query to return it.
//
//     attribute_not_exists("holder") && (attribute_not_exists("floor") || attr("floor") < 5)
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/path.hpp>

#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// A condition. A default-constructed one demands nothing and vanishes from combinations.
class condition_expression {
public:
    condition_expression() = default;
    /// A comparison or function call, complete in itself.
    explicit condition_expression(detail::fragments parts) : parts_(std::move(parts)), binding_(binding::atom) {}

    bool empty() const noexcept { return parts_.empty(); }
    const detail::fragments& parts() const noexcept { return parts_; }

    friend condition_expression operator&&(condition_expression left, condition_expression right) {
        return joined(std::move(left), " AND ", binding::conjunction, std::move(right));
    }
    friend condition_expression operator||(condition_expression left, condition_expression right) {
        return joined(std::move(left), " OR ", binding::disjunction, std::move(right));
    }
    friend condition_expression operator!(condition_expression negated) { return inverted(std::move(negated)); }

private:
    // Parentheses are set only where the precedence asks for them: the service refuses redundant ones.
    enum class binding { disjunction, conjunction, negation, atom };

    static condition_expression joined(condition_expression left, std::string_view word, binding how,
                                       condition_expression right);
    static condition_expression inverted(condition_expression negated);
    void enclose_unless(binding at_least);

    detail::fragments parts_;
    binding binding_ = binding::atom;
};

/// One side of a comparison, or the value of an assignment: an attribute, a constant, or a function of such.
/// Everything an attribute_value is made from becomes a constant.
class operand {
public:
    template <class Constant>
        requires(!std::same_as<std::remove_cvref_t<Constant>, operand> &&
                 !std::same_as<std::remove_cvref_t<Constant>, path> && std::convertible_to<Constant, attribute_value>)
    operand(Constant&& constant) {
        parts_.emplace_back(attribute_value(std::forward<Constant>(constant)));
    }
    operand(const path& attribute) : parts_(attribute.parts()) {}
    explicit operand(detail::fragments parts) : parts_(std::move(parts)) {}

    const detail::fragments& parts() const noexcept { return parts_; }

    friend condition_expression operator==(const operand& left, const operand& right) {
        return compared(left, " = ", right);
    }
    friend condition_expression operator!=(const operand& left, const operand& right) {
        return compared(left, " <> ", right);
    }
    friend condition_expression operator<(const operand& left, const operand& right) {
        return compared(left, " < ", right);
    }
    friend condition_expression operator<=(const operand& left, const operand& right) {
        return compared(left, " <= ", right);
    }
    friend condition_expression operator>(const operand& left, const operand& right) {
        return compared(left, " > ", right);
    }
    friend condition_expression operator>=(const operand& left, const operand& right) {
        return compared(left, " >= ", right);
    }

    /// Sums and differences stand only in an assignment: `set("n", attr("n") + 1)`.
    friend operand operator+(const operand& left, const operand& right) { return computed(left, " + ", right); }
    friend operand operator-(const operand& left, const operand& right) { return computed(left, " - ", right); }

private:
    static condition_expression compared(const operand& left, std::string_view sign, const operand& right);
    static operand computed(const operand& left, std::string_view sign, const operand& right);

    detail::fragments parts_;
};

/// An attribute, which stands for its path where a function wants that: `begins_with(attr("sk"), "ORDER#")`.
class attribute_operand : public operand {
public:
    /// `attr` makes one.
    explicit attribute_operand(path attribute) : operand(attribute), attribute_(std::move(attribute)) {}

    /// Where it is.
    operator const path&() const noexcept { return attribute_; }

    /// A member of the map that it is.
    attribute_operand operator[](std::string member) const { return attribute_operand(attribute_[std::move(member)]); }
    /// An element of the list that it is, counted from 0.
    attribute_operand operator[](std::size_t element) const { return attribute_operand(attribute_[element]); }

private:
    path attribute_;
};

/// The attribute at a path, to be compared or computed with.
inline attribute_operand attr(path attribute) {
    return attribute_operand(std::move(attribute));
}

// Of a function's first argument, a string is the name of an attribute.

condition_expression attribute_exists(const path& attribute);
condition_expression attribute_not_exists(const path& attribute);
/// @param type a wire name: "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS" or "BS".
condition_expression attribute_type(const path& attribute, std::string_view type);
condition_expression begins_with(const path& attribute, const operand& prefix);
/// A part of a string, a member of a set, or an element of a list.
condition_expression contains(const path& attribute, const operand& part);
/// Both ends belong to the range: `between("total", 10, 20)`.
condition_expression between(const path& attribute, const operand& low, const operand& high);
/// `in("state", {"OPEN", "PAID"})`. @param candidates 1 to 100 of them; else the service refuses it.
condition_expression in(const path& attribute, const std::vector<operand>& candidates);

namespace detail {

condition_expression between(const operand& value, const operand& low, const operand& high);
condition_expression in(const operand& value, const std::vector<operand>& candidates);

/// A container or a view of constants, and no text, which is one itself.
template <class Range>
concept operands =
    std::ranges::input_range<Range> && std::convertible_to<std::ranges::range_value_t<Range>, operand> &&
    !std::convertible_to<Range, std::string_view> && !std::same_as<std::remove_cvref_t<Range>, std::vector<operand>>;

template <class Range>
std::vector<operand> as_operands(Range&& candidates) {
    std::vector<operand> all;
    for (const std::ranges::range_value_t<Range>& each : candidates) all.emplace_back(each);
    return all;
}

}  // namespace detail

/// Of what is computed: `between(size_of("tags"), 1, 5)`.
template <std::derived_from<operand> Value>
condition_expression between(const Value& value, const operand& low, const operand& high) {
    return detail::between(value, low, high);
}
/// Of what is computed.
template <std::derived_from<operand> Value>
condition_expression in(const Value& value, const std::vector<operand>& candidates) {
    return detail::in(value, candidates);
}
/// Of what a container holds: `in("state", states)`.
template <detail::operands Range>
condition_expression in(const path& attribute, Range&& candidates) {
    return in(attribute, detail::as_operands(std::forward<Range>(candidates)));
}
/// Of what is computed.
template <std::derived_from<operand> Value, detail::operands Range>
condition_expression in(const Value& value, Range&& candidates) {
    return in(value, detail::as_operands(std::forward<Range>(candidates)));
}

/// Bytes of a string or binary, elements of a set, list or map.
operand size_of(const path& attribute);

}  // namespace dynalease
#pragma GCC visibility pop
