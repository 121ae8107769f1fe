// The port to a source of credentials: environment, file, role, container, instance, or the user's own.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/dynamodb/failure.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

#pragma GCC visibility push(default)
namespace dynalease {

class credentials_provider {
public:
    credentials_provider() = default;
    credentials_provider(const credentials_provider&) = delete;
    credentials_provider& operator=(const credentials_provider&) = delete;
    virtual ~credentials_provider() = default;

    /// The present credentials. A client calls this on its executor, once at a time, when it has none, shortly before
    /// those it has expire, and after they were refused; it keeps the answer meanwhile, for ever if there is no
    /// expiration. Fails with `errc::no_credentials` and a message that names the source.
    virtual boost::asio::awaitable<result<std::shared_ptr<const credentials>>> get() = 0;

    /// The service refused the last set as expired or unknown: fetch anew at the next `get`.
    virtual void invalidate() noexcept {}
};

}  // namespace dynalease
#pragma GCC visibility pop
