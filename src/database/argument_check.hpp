// Refusing an argument before anything is sent.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>
#include <dynalease/error.hpp>

#include <set>
#include <string>
#include <string_view>

namespace dynalease::detail {

/// Of the arguments of one kind of object: `require(step >= 1, errc::invalid_option, "step must be at least 1")`.
class argument_check {
public:
    /// @param what the operation that the error names
    constexpr explicit argument_check(const char* what) : what_(what) {}

    /// @throws dynalease::error unless it holds.
    void operator()(bool holds, errc code, std::string message) const;
    /// That what becomes part of a key is one. @param whole what it is called: "the lock name"
    void utf8(std::string_view text, errc code, const std::string& whole) const;
    /// That an option names an attribute, which no other does. @param taken the names of the others; this one joins
    /// them
    void attribute_name(const std::string& option, const std::string& name, std::set<std::string>& taken) const;

private:
    const char* what_;
};

}  // namespace dynalease::detail
