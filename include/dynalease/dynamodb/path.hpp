// A document path: which attribute, or which part of one, an expression speaks of.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {

/// An attribute's name, not yet replaced by its placeholder.
struct name_fragment {
    std::string name;
};
/// A piece of an expression: text as it stands, or a name or value that a placeholder will stand for.
using fragment = std::variant<std::string, name_fragment, attribute_value>;
using fragments = std::vector<fragment>;

}  // namespace detail

/// A string names one top-level attribute, whatever characters it has: `path{"a.b"}` is the attribute "a.b".
/// What lies deeper is said explicitly: `path{"order"}["lines"][0]`.
class path {
public:
    path(std::string attribute) { parts_.emplace_back(detail::name_fragment{std::move(attribute)}); }
    path(std::string_view attribute) : path(std::string(attribute)) {}
    path(const char* attribute) : path(std::string(attribute)) {}

    /// A member of the map at this path.
    path operator[](std::string member) const;
    /// An element of the list at this path, counted from 0.
    path operator[](std::size_t element) const;

    const detail::fragments& parts() const noexcept { return parts_; }

private:
    detail::fragments parts_;
};

}  // namespace dynalease
#pragma GCC visibility pop
