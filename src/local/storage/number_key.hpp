// Numbers as bytes that sort as the numbers do.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>

#include <string>

namespace dynalease::local {

/// Equal numbers give equal bytes, however they are written.
std::string sortable_bytes(const number& value);

}  // namespace dynalease::local
