// Checking a segment and the number of them.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/segments.hpp"

namespace dynalease {

std::string segment_fault(const scan_request& request) {
    if (!request.segment && !request.total_segments) return {};
    if (!request.total_segments) {
        return "The TotalSegments parameter is required but was not present in the request when Segment parameter is "
               "present";
    }
    if (!request.segment) {
        return "The Segment parameter is required but was not present in the request when parameter TotalSegments is "
               "present";
    }
    constexpr std::int32_t most_segments = 1'000'000;
    if (*request.total_segments < 1 || *request.total_segments > most_segments) {
        return "1 validation error detected: Value '" + std::to_string(*request.total_segments) +
               "' at 'totalSegments' failed to satisfy constraint: Member must have value between 1 and 1000000";
    }
    if (*request.segment < 0 || *request.segment >= *request.total_segments) {
        return "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: " +
               std::to_string(*request.segment) +
               " is not less than TotalSegments: " + std::to_string(*request.total_segments);
    }
    return {};
}

}  // namespace dynalease
