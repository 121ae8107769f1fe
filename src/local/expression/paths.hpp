// Going over the document paths of an expression.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/tree.hpp"

#include <variant>

namespace dynalease::local::expression {

template <class Visit>
void each_path(const operand& of, const Visit& visit) {
    if (const auto* found = std::get_if<path>(&of.what)) visit(*found);
    if (const auto* function = std::get_if<call>(&of.what)) {
        for (const operand& argument : function->arguments) each_path(argument, visit);
    }
    if (const auto* sum = std::get_if<arithmetic>(&of.what)) {
        for (const operand& side : sum->sides) each_path(side, visit);
    }
}

template <class Visit>
void each_path(const condition& tree, const Visit& visit) {
    for (const condition& child : tree.children) each_path(child, visit);
    for (const operand& each : tree.operands) each_path(each, visit);
}

}  // namespace dynalease::local::expression
