// A hook for the library's own words. Without one the library is silent.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/named.hpp>

#include <functional>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

enum class severity { debug, info, warning, error };
constexpr std::string_view to_string(severity value) noexcept {
    using enum severity;
    switch (value) {
        case debug:
            return "debug";
        case info:
            return "info";
        case warning:
            return "warning";
        case error:
            return "error";
    }
    return "unknown";
}

/// Called on the database's executor; must not block or throw. Lines never hold a secret or item data.
using log_hook = std::function<void(severity, std::string_view line)>;

}  // namespace dynalease
#pragma GCC visibility pop
