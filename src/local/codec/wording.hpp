// The words in which a request is refused: those of the service's validation since June 2026, or those before.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

namespace dynalease::codec {

/// AWS turns the newer ones on by Region and operation. The exceptions are the same, and so is what is refused.
enum class wording { newer, older };

/// In the newer words PutItem and UpdateItem count a fault of the request itself, "1 validation error detected: …", as
/// all operations count values beyond their limits. What is a fault only for this table or item is told bare, and so is
/// a placeholder without use.
void count_fault(std::string_view operation, std::string& message);

}  // namespace dynalease::codec
