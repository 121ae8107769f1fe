// What a mapping says against a value.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/error.hpp>

#include <catch2/catch.hpp>

#include <string>

namespace dynalease::tests {

/// The message with which `call` is refused; empty if it is not.
template <class Call>
std::string complaint(const Call& call) {
    try {
        call();
    } catch (const error& why) {
        CHECK(why.code() == errc::bad_attribute);
        return why.diagnostics().message;
    }
    return {};
}

}  // namespace dynalease::tests
