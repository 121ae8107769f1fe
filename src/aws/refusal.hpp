// Failures made here, before anything is sent: the code, what is wrong, and what to do about it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>

#include <string>
#include <utility>

namespace dynalease::aws {

inline failure refusal(errc code, std::string message, std::string advice = {}) {
    failure out{code};
    out.details.message = std::move(message);
    out.details.advice = std::move(advice);
    return out;
}

}  // namespace dynalease::aws
