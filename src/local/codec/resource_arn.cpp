// What the service says of an ARN before it knows what is asked of it.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/resource_arn.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace dynalease::codec {

void check_resource_arn(json_input body, std::string_view operation) {
    constexpr std::array<std::string_view, 3> operations{"TagResource", "UntagResource", "ListTagsOfResource"};
    if (std::ranges::find(operations, operation) == operations.end()) return;
    const auto* given = body.find("ResourceArn");
    if (!given) throw malformed{errc::validation, "Invalid TableArn"};
    const std::string arn(text_of(*given));
    if (!arn.empty() && arn.find(':') == std::string::npos && arn.find('-') != std::string::npos) {
        throw malformed{errc::validation, "Invalid TableArn: Invalid ResourceArn provided as input " + arn};
    }
    if (std::ranges::count(arn, ':') >= 5 && arn.find('/') != std::string::npos) return;
    throw malformed{errc::access_denied,
                    "User: arn:aws:iam::111122223333:user/local is not authorized to perform: dynamodb:" +
                        std::string(operation) + " on resource: " + (arn.empty() ? "*" : arn)};
}

}  // namespace dynalease::codec
