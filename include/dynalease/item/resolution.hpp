// What is known of a write that had no answer.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/named.hpp>

#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

/// What is known of a write that was in doubt.
enum class resolution {
    applied,
    not_applied,  ///< and it never will be
    open,         ///< a copy may land yet, or nobody can tell any more
};
constexpr std::string_view to_string(resolution value) noexcept {
    using enum resolution;
    switch (value) {
        case applied:
            return "applied";
        case not_applied:
            return "not_applied";
        case open:
            return "open";
    }
    return "unknown";
}

}  // namespace dynalease
#pragma GCC visibility pop
