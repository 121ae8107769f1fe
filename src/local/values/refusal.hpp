// How the inside of the engine refuses a request: thrown at the fault, caught once in `engine::execute`.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>

#include <string>
#include <utility>

namespace dynalease::local {

/// Only for faults of the request, which are rare; a condition that is false is an ordinary answer.
struct refusal {
    failure why;
    bool of_whole_request = false;  ///< also where it is about one action of a transaction

    refusal(errc code, std::string message) : why(code) { why.details.message = std::move(message); }
};

/// Of what is more than an `allowance`: who may give a part of an answer ends it before.
struct costly_refusal : refusal {
    using refusal::refusal;
};

[[noreturn]] inline void refuse(std::string message) {
    throw refusal(errc::validation, std::move(message));
}

/// A transaction is refused for it and not cancelled.
[[noreturn]] inline void refuse_whole_request(std::string message) {
    refusal fault(errc::validation, std::move(message));
    fault.of_whole_request = true;
    throw fault;
}

}  // namespace dynalease::local
