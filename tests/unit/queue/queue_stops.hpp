// Requests of a queue that do not get through, and how many were sent.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue_callers.hpp"

#include <cstddef>
#include <variant>

namespace dynalease::tests {

inline bool reads_head(const any_request& request) {
    const auto* get = std::get_if<get_item_request>(&request);
    return get && find_string(get->key, "pk")->starts_with("queue#");
}

inline bool writes_row(const any_request& request) {
    const auto* put = std::get_if<put_item_request>(&request);
    return put && find_string(put->new_item, "pk")->starts_with("queue#");
}

/// What `stopped` says of does not get through, and is known to have done nothing.
template <class Stopped>
testing::fault_plan throttle(Stopped stopped) {
    using testing::fault;
    return [stopped](const any_request& request, const call_options&) {
        if (!stopped(request)) return fault{};
        return fault{.what = fault::kind::fail, .answer = failure(errc::throttled, outcome::not_applied)};
    };
}

/// How often this process asked for a ticket of "x".
inline std::size_t draws(const node& from) {
    std::size_t count = 0;
    for (const auto& entry : from.network->log()) {
        if (entry->operation == "UpdateItem" && entry->key.starts_with("queue#x")) ++count;
    }
    return count;
}

}  // namespace dynalease::tests
