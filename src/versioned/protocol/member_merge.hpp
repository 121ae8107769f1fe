// What a writer changed of a value, put into the value as it is stored: what the writer cannot see stays.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>

namespace dynalease::protocol {

/// A writer read `seen` out of `stored`, and wants `wanted` in place of it. Of two maps, what differs is changed and
/// the rest left as it is stored; of two lists, each element that was there before is such a value again. Elements are
/// known by what they are: by equality first, then by what they have in common, and last by their place; where there
/// are too many to compare them all, by place alone.
attribute_value merged(const attribute_value& stored, const attribute_value& seen, const attribute_value& wanted);

}  // namespace dynalease::protocol
