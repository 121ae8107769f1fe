// The endpoint rules that the services of AWS have in common.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/endpoint.hpp>

#include <string_view>

namespace dynalease::aws {

/// An override, or the host of a service by region and partition; what concerns accounts is left alone.
/// @param service as it begins the host: "dynamodb"
result<endpoint> service_endpoint(std::string_view service, const endpoint_parameters& parameters);

}  // namespace dynalease::aws
