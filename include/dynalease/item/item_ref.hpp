// Which item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/braced.hpp>
#include <dynalease/dynamodb/item.hpp>

#include <string>

#pragma GCC visibility push(default)
namespace dynalease {

/// An item of the application: a table and a whole key.
struct item_ref {
    detail::braced<std::string> table;
    detail::braced<item_key> key;
};

}  // namespace dynalease
#pragma GCC visibility pop
