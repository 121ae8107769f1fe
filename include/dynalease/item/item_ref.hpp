// Which item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>

#include <string>

namespace dynalease {

/// An item of the application: a table and a whole key.
struct item_ref {
    std::string table;
    item_key key;
};

}  // namespace dynalease
