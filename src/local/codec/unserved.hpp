// The operations that only the service has, so that whoever asks for it is told so.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

namespace dynalease::codec {

/// Whether the target names an operation that only the service has. What neither of them knows is no such operation.
/// @param target "DynamoDB_20120810.ExecuteStatement"
bool is_unserved(std::string_view target) noexcept;

}  // namespace dynalease::codec
