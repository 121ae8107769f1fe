// Keys of a container: where ECS and EKS Pod Identity say that they are.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"
#include "aws/web.hpp"

#include <optional>

namespace dynalease::aws {

/// From AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, or else AWS_CONTAINER_CREDENTIALS_FULL_URI; empty if neither is set.
/// The token file is read each time, because its content changes. Plain HTTP goes only to this machine and to the
/// addresses of AWS's agents: whoever answers elsewhere would hand out our identity.
/// @returns `errc::no_credentials` for a URI or host that is not allowed, or a token that cannot be read or sent
result<std::optional<web_request>> container_request(const config_source& config);

}  // namespace dynalease::aws
