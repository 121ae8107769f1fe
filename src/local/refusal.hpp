// How the inside of the engine refuses a request: thrown at the fault, caught once in `engine::execute`.
#pragma once

#include <dynalease/dynamodb/failure.hpp>

#include <string>
#include <utility>

namespace dynalease::local {

/// Only for faults of the request, which are rare; a condition that is false is an ordinary answer.
struct refusal {
    failure why;

    refusal(errc code, std::string message) : why(code) { why.details.message = std::move(message); }
};

[[noreturn]] inline void refuse(std::string message) {
    throw refusal(errc::validation, std::move(message));
}

}  // namespace dynalease::local
