// How a failed verb reports to its caller.
#pragma once

#include <dynalease/dynamodb/failure.hpp>

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

}  // namespace dynalease::detail
