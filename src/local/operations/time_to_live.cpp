// UpdateTimeToLive and DescribeTimeToLive.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/operations.hpp"
#include "local/values/refusal.hpp"

#include <utility>

namespace dynalease::local {

namespace {
constexpr std::size_t longest_ttl_name = 255;
}

result<any_response> execute(const context& in, const update_time_to_live_request& request) {
    table& where = in.described_table(request.table_name);
    if (request.attribute_name.empty() || request.attribute_name.size() > longest_ttl_name) {
        refuse("1 validation error detected: Value '" + request.attribute_name +
               "' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length "
               "between 1 and 255");
    }
    const std::string& present = where.ttl_attribute();
    in.state.note_table(where);
    if (request.enabled) {
        if (present == request.attribute_name) refuse("TimeToLive is already enabled");
        if (!present.empty()) {
            refuse("TimeToLive is active on a different AttributeName: current AttributeName is " + present);
        }
        where.set_ttl_attribute(request.attribute_name);
    } else {
        if (present.empty()) refuse("TimeToLive is already disabled");
        if (present != request.attribute_name) {
            refuse("TimeToLive is active on a different AttributeName: current AttributeName is " + present);
        }
        where.set_ttl_attribute({});
    }
    return any_response(update_time_to_live_response{request.attribute_name, request.enabled});
}

result<any_response> execute(const context& in, const describe_time_to_live_request& request) {
    const table& where = in.described_table(request.table_name);
    const bool enabled = !where.ttl_attribute().empty();
    return any_response(describe_time_to_live_response{where.ttl_attribute(), enabled ? "ENABLED" : "DISABLED"});
}

}  // namespace dynalease::local
