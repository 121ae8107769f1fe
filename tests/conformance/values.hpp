// Random attribute values from small domains, so that what one call writes another call finds, compares and clashes
// with.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/dice.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <string>

namespace dynalease::conformance {

/// Attributes beside the key. Their names say which type they mostly hold: "n1" a number, "ss1" a string set, ….
std::string random_attribute(dice& chance);
/// A value of the type that the attribute mostly holds; now and then of another.
attribute_value random_value_for(dice& chance, const std::string& attribute);
/// Any type, lists and maps at most three deep.
attribute_value random_value(dice& chance, unsigned depth = 0);
attribute_value random_number(dice& chance);
attribute_value random_text(dice& chance);
attribute_value random_bytes(dice& chance);
attribute_value random_list(dice& chance, unsigned depth = 0);
attribute_value random_map(dice& chance, unsigned depth = 0);
attribute_value random_set(dice& chance);

attribute_value random_key_value(dice& chance, scalar_type type);
/// Mostly right; now and then a part is missing, of another type, empty, or one too many.
item_key random_key(dice& chance, const key_schema& schema);
item random_item(dice& chance, const key_schema& schema);

}  // namespace dynalease::conformance
