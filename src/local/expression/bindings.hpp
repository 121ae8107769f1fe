// What a request puts in the place of an expression's placeholders.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/tree.hpp"
#include "local/values/allowance.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dynalease::local::expression {

/// A view of the request's maps, and what its expressions may cost; every placeholder that is asked for was seen to be
/// defined before.
class bindings {
public:
    bindings(const attribute_names& names, const attribute_values& values, allowance& allowed)
        : names_(&names), values_(&values), allowed_(&allowed) {}

    /// What it costs to look one of them up, in steps.
    std::size_t steps_of_a_name() const noexcept { return steps_of_one_of(names_->size()); }
    std::size_t steps_of_a_value() const noexcept { return steps_of_one_of(values_->size()); }

    std::string_view name(const step& of) const;
    const attribute_value& value(const value_placeholder& of) const;

    /// Refuses an operand with a placeholder that is not defined.
    void check_defined(const operand& of) const;

    /// Whether the request's parameter says an older one.
    bool is_translated(std::string_view parameter) const;

    allowance& allowed() const noexcept { return *allowed_; }

private:
    static std::size_t steps_of_one_of(std::size_t count) noexcept {
        return 4 + 2 * static_cast<std::size_t>(std::bit_width(count));
    }

    const attribute_names* names_;
    const attribute_values* values_;
    allowance* allowed_;
};

/// Refuses a placeholder that is not defined, and at the end one that no expression used.
class usage {
public:
    usage(const attribute_names& names, const attribute_values& values) : names_(names), values_(values) {}

    template <class Tree>
    void add(const parsed<Tree>& expression) {
        // A condition's are looked for with what else may be wrong with each of its tests.
        if constexpr (!std::is_same_v<Tree, condition>) check_defined(expression.names, expression.values);
        used_names_.at(expressions_) = expression.names;
        used_values_.at(expressions_) = expression.values;
        ++expressions_;
    }
    void finish() const;

private:
    void check_defined(const std::vector<std::string>& names, const std::vector<std::string>& values) const;

    const attribute_names& names_;
    const attribute_values& values_;
    /// Sorted, of each expression; no request has more.
    using placeholders = std::array<std::span<const std::string>, 3>;
    placeholders used_names_{};
    placeholders used_values_{};
    std::size_t expressions_ = 0;
};

/// A path with its placeholders replaced. Ordered: indexes by number and before names.
struct resolved_step {
    bool is_name = false;
    std::size_t index = 0;
    std::string_view name{};

    friend auto operator<=>(const resolved_step&, const resolved_step&) = default;
};
using resolved_path = std::vector<resolved_step>;

resolved_path resolve(const path& from, const bindings& bound);

/// Refuses two paths of which one lies within the other, and two that cannot both fit the same document.
void refuse_overlap(const projection& paths, const bindings& bound);

/// As DynamoDB shows paths in messages: "[a, [0], b]".
std::string to_text(const resolved_path& shown);

/// What the item holds there, or a null pointer.
const attribute_value* find(const item& from, const path& where, const bindings& bound);

}  // namespace dynalease::local::expression
