// One link of the chain of credential sources.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"

#include <dynalease/aws/credentials_provider.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace dynalease::aws {

using shared_credentials = std::shared_ptr<const credentials>;

class credentials_source {
public:
    credentials_source() = default;
    credentials_source(const credentials_source&) = delete;
    credentials_source& operator=(const credentials_source&) = delete;
    virtual ~credentials_source() = default;

    /// Fetches anew. Null if this source is not configured at all: the next one is asked. A failure ends the search.
    virtual boost::asio::awaitable<result<shared_credentials>> fetch() = 0;
    /// Where it looks, and so where a user may put keys; for the error that nothing was found.
    virtual std::string describe() const = 0;
};

std::unique_ptr<credentials_source> environment_source(config_source source);

/// Asks the sources in order; the first configured one decides. Keeps nothing.
std::shared_ptr<credentials_provider> credentials_chain(std::vector<std::unique_ptr<credentials_source>> sources);

}  // namespace dynalease::aws
