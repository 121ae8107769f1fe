// The port to a source of credentials: environment, file, role, container, instance, or the user's own.
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/dynamodb/failure.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace dynalease {

class credentials_provider {
public:
    credentials_provider() = default;
    credentials_provider(const credentials_provider&) = delete;
    credentials_provider& operator=(const credentials_provider&) = delete;
    virtual ~credentials_provider() = default;

    /// The present credentials. Called for each attempt of each request on the client's executor, so a provider
    /// that fetches keeps what it fetched. Fails with `errc::no_credentials` and a message that names the source.
    virtual boost::asio::awaitable<result<std::shared_ptr<const credentials>>> get() = 0;

    /// The service refused the last set as expired or unknown: fetch anew at the next `get`.
    virtual void invalidate() noexcept {}
};

}  // namespace dynalease
