// Where inside a value the mapping is, and how it says that something there does not fit.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/attribute_value.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

namespace detail {
/// What diagnostics name as the operation where a struct and an item do not fit.
inline constexpr std::string_view mapping_operation = "mapping";
}  // namespace detail

/// A link of the chain from a struct to one of its parts, such as "lines[2].price". Lives on the stack.
class mapping_place {
public:
    /// The value itself.
    explicit mapping_place(std::string_view root = {}) : name_(root) {}
    /// A member; `attribute` is said beside it where it has another name.
    mapping_place(const mapping_place& outer, std::string_view member, std::string_view attribute)
        : outer_(&outer), name_(member), attribute_(attribute) {}
    mapping_place(const mapping_place& outer, std::size_t element) : outer_(&outer), element_(element) {}

    std::string to_string() const;

    /// Throws dynalease::error with `errc::bad_attribute` and this place.
    [[noreturn]] void fail(std::string_view what) const;
    /// That the value is of another type than `expected`, such as "N".
    [[noreturn]] void expected(std::string_view type, const attribute_value& found) const;

private:
    const mapping_place* outer_ = nullptr;
    std::string_view name_{};
    std::string_view attribute_{};
    std::size_t element_ = 0;
};

}  // namespace dynalease
#pragma GCC visibility pop
