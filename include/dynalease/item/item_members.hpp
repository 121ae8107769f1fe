// What a writer knows of an item: the attributes it has, and those it knows to be absent.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>

#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

struct item_members {
    item present{};
    std::vector<std::string> absent{};  ///< empty optionals: a write removes these

    item_members() = default;
    item_members(item attributes, std::vector<std::string> without = {})
        : present(std::move(attributes)), absent(std::move(without)) {}
};

}  // namespace dynalease
#pragma GCC visibility pop
