// Calls what a user has given to be told by: what that throws is told to the log.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <string>

namespace dynalease::detail {

/// @param name of the hook, as the log has it
/// @param log takes one line
template <class Call, class Log>
void call_hook(const char* name, const Call& call, const Log& log) {
    try {
        call();
    } catch (const std::exception& thrown) {
        log(std::string(name) + " has thrown: " + thrown.what());
    } catch (...) {
        log(std::string(name) + " has thrown");
    }
}

}  // namespace dynalease::detail
