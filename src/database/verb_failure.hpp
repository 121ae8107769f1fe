// How a failed verb reports to its caller.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace dynalease::detail {

/// Fills the caller's diagnostics, if any were asked for. @returns the code to complete with.
inline error_code report(const failure& why, diagnostics* details, std::string_view verb, std::string_view key) {
    if (details) {
        *details = why.details;
        // Both are of use: what the caller did, and which request of it failed.
        details->operation = std::string(verb);
        if (!why.details.operation.empty()) details->operation += " (" + why.details.operation + ")";
        if (!key.empty()) details->key = key;
    }
    return why.code;
}

/// A time to wait that is less than none is a slip in the caller's arithmetic. Empty, or what is wrong with it.
inline std::optional<failure> fault_of_wait(const std::optional<std::chrono::nanoseconds>& wait) {
    if (!wait || *wait >= std::chrono::nanoseconds::zero()) return {};
    failure why(errc::invalid_option);
    why.details.message = "wait must not be negative; empty waits for ever, zero does not wait";
    return why;
}

}  // namespace dynalease::detail
