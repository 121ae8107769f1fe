// Updates in C++: what a write changes about an item.
//
//     set("state", "CHARGED") + set("tries", if_not_exists("tries", 0) + 1) + remove("ttl")
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/condition_expression.hpp>

#include <array>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// An update: any number of assignments, removals, additions and deletions, combined with `+`. All of them see the
/// item as it was before; no two may touch the same path.
class update_expression {
public:
    enum class clause { set, remove, add, delete_from };

    update_expression() = default;
    update_expression(clause what, detail::fragments action) { actions(what).push_back(std::move(action)); }

    bool empty() const noexcept;
    /// The actions of one clause, in the order they were combined.
    const std::vector<detail::fragments>& actions(clause what) const noexcept {
        return actions_[static_cast<std::size_t>(what)];
    }

    update_expression& operator+=(update_expression other);
    friend update_expression operator+(update_expression left, update_expression right) {
        left += std::move(right);
        return left;
    }

private:
    std::vector<detail::fragments>& actions(clause what) noexcept { return actions_[static_cast<std::size_t>(what)]; }

    std::array<std::vector<detail::fragments>, 4> actions_;
};

/// Gives the attribute a value, whether it was there or not.
update_expression set(const path& attribute, const operand& value);
/// Takes the attribute, or the element of a list, away.
update_expression remove(const path& attribute);
/// Adds to a number (an absent one is 0), or members to a set.
update_expression add(const path& attribute, attribute_value amount);
/// Takes members out of a set.
update_expression delete_from(const path& attribute, attribute_value members);

/// The attribute's value, or the other if there is none.
operand if_not_exists(const path& attribute, const operand& otherwise);
/// The elements of both lists.
operand list_append(const operand& first, const operand& second);

}  // namespace dynalease
#pragma GCC visibility pop
