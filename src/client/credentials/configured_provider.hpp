// The sources of keys of this process, ready for use.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "client/credentials/source_context.hpp"

#include <dynalease/aws/credentials_provider.hpp>
#include <dynalease/aws/providers.hpp>

#include <memory>

namespace dynalease::detail {

struct configured_provider {
    shared_source_context context;  ///< null: nothing that would have to be closed
    std::shared_ptr<credentials_provider> provider;
};

/// @param base whose keys take on `options.role`; null: what AWS tools find
configured_provider make_configured_provider(const environment& world, default_credentials_options options,
                                             std::shared_ptr<credentials_provider> base = nullptr);

}  // namespace dynalease::detail
