// A service that refuses what the library takes for storable.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/testing/faulty_database.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace dynalease::tests {

/// Data with a member of this name is refused.
inline constexpr const char* refused_member = "refused";

/// Whatever would write such data is malformed, and travels as `times` says; the rest meets just that.
inline testing::fault_plan refusing_data(testing::fault_plan times = testing::scripted_faults({})) {
    const auto brings = [](const auto& values) {
        return std::ranges::any_of(values, [](const auto& each) {
            const auto* map = each.second.template get_if<attribute_map>();
            return map && map->contains(refused_member);
        });
    };
    return [brings, times = std::move(times)](const any_request& request, const call_options& options) mutable {
        const auto* update = std::get_if<update_item_request>(&request);
        const auto* put = std::get_if<put_item_request>(&request);
        auto fate = times(request, options);
        if ((update && brings(update->values)) || (put && brings(put->new_item))) {
            fate.what = testing::fault::kind::fail;
            fate.answer = failure(errc::validation, outcome::not_applied);
        }
        return fate;
    };
}

}  // namespace dynalease::tests
