// The differences between our server and others that have a reason.
#pragma once

#include "conformance/answer.hpp"

#include <string_view>

namespace dynalease::conformance {

struct known_difference {
    std::string_view server;  ///< whose reading of DynamoDB it is that differs
    std::string_view reason;
    bool same_effect;  ///< both leave the same items behind, so that the program goes on
    bool (*matches)(const difference& found);
};

/// A null pointer if it has no reason.
const known_difference* find_known(std::string_view server, const difference& found);

}  // namespace dynalease::conformance
