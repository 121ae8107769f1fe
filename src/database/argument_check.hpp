// Refusing an argument before anything is sent.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/error.hpp>

#include <string>

namespace dynalease::detail {

/// Of the arguments of one kind of object: `require(step >= 1, errc::invalid_option, "step must be at least 1")`.
class argument_check {
public:
    /// @param what the operation that the error names
    constexpr explicit argument_check(const char* what) : what_(what) {}

    /// @throws dynalease::error unless it holds.
    void operator()(bool holds, errc code, std::string message) const;

private:
    const char* what_;
};

}  // namespace dynalease::detail
