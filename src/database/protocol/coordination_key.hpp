// The names of a coordination table's key.
// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace dynalease::protocol::attribute {

inline constexpr const char* partition = "pk";
inline constexpr const char* sort = "sk";

}  // namespace dynalease::protocol::attribute
