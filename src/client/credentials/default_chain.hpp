// The order in which keys are looked for when none are given.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "client/credentials/source_context.hpp"

#include <dynalease/aws/credentials.hpp>
#include <dynalease/aws/credentials_provider.hpp>

#include <memory>
#include <optional>

namespace dynalease::detail {

/// The environment (unless code chose a profile), the profile, web identity, the container, the instance. Keeps
/// nothing.
/// @param role to take on with what was found
std::shared_ptr<credentials_provider> default_chain(shared_source_context context,
                                                    std::optional<assumed_role> role = std::nullopt);

/// Takes on a role with the keys of another provider.
std::shared_ptr<credentials_provider> role_provider(shared_source_context context,
                                                    std::shared_ptr<credentials_provider> base, assumed_role role);

}  // namespace dynalease::detail
