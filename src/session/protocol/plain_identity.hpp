// The identity of a session without a row, which tells whoever meets it how long its lease is.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::protocol {

/// "~<random>~<lease in ms>": the identity of a plain session. It tells whoever sees it how long to wait.
std::string plain_identity(std::string_view random, std::chrono::milliseconds lease);
bool is_plain(std::string_view session);
/// Empty if the identity does not tell: such a holder is waited for.
std::optional<std::chrono::milliseconds> plain_lease(std::string_view session);

}  // namespace dynalease::protocol
