// The wire names of the ten types.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/attribute_value.hpp>

namespace dynalease {

std::string_view attribute_value::type_name() const noexcept {
    static constexpr std::string_view names[] = {"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"};
    static_assert(std::size(names) == std::variant_size_v<variant>);
    return names[value_.index()];
}

}  // namespace dynalease
