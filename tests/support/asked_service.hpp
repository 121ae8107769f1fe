// A request to the service of the embedded server: without a socket, and without a signature.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/http/request_service.hpp"

#include <string>
#include <string_view>

namespace dynalease::tests {

/// @param coding of the body; empty: it is as it is
inline local::reply asked(local::request_service& service, std::string_view operation, std::string_view body,
                          local::engine::time now, std::string_view coding = {}) {
    const std::string target = "DynamoDB_20120810." + std::string(operation);
    aws::request_view request;
    request.method = "POST";
    request.path = "/";
    request.headers = {{"content-type", "application/x-amz-json-1.0"}, {"x-amz-target", target}};
    if (!coding.empty()) request.headers.push_back({"content-encoding", coding});
    request.body = body;
    return service.answer(request, now);
}

}  // namespace dynalease::tests
