// What tells one request from another under the same Idempotency-Key.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

namespace payments::web {

/// SHA-256 of the three, as hexadecimal digits.
std::string fingerprint(std::string_view method, std::string_view target, std::string_view body);

}  // namespace payments::web
