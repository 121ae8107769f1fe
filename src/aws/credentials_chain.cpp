// The chain of sources, and the public providers made of it.
// SPDX-License-Identifier: BSL-1.0
#include "aws/credentials_source.hpp"
#include "aws/refusal.hpp"

#include <dynalease/aws/providers.hpp>

#include <utility>

namespace dynalease {

namespace {

using aws::credentials_source;
using aws::shared_credentials;

class fixed_provider final : public credentials_provider {
public:
    explicit fixed_provider(credentials keys) : keys_(std::make_shared<const credentials>(std::move(keys))) {}

    boost::asio::awaitable<result<shared_credentials>> get() override { co_return keys_; }

private:
    shared_credentials keys_;
};

class chain_provider final : public credentials_provider {
public:
    explicit chain_provider(std::vector<std::unique_ptr<credentials_source>> sources) : sources_(std::move(sources)) {}

    boost::asio::awaitable<result<shared_credentials>> get() override {
        for (const auto& source : sources_) {
            result<shared_credentials> found = co_await source->fetch();
            if (!found || *found) co_return found;
        }
        co_return nothing_found();
    }

private:
    failure nothing_found() const {
        std::string message = "no credentials in ";
        std::string_view separator;
        for (const auto& source : sources_) {
            message.append(separator).append(source->describe());
            separator = ", nor in ";
        }
        return aws::refusal(errc::no_credentials, std::move(message),
                            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or put both keys into a profile, or give "
                            "the client credentials or a provider");
    }

    std::vector<std::unique_ptr<credentials_source>> sources_;
};

}  // namespace

std::shared_ptr<credentials_provider> aws::credentials_chain(std::vector<std::unique_ptr<credentials_source>> sources) {
    return std::make_shared<chain_provider>(std::move(sources));
}

std::shared_ptr<credentials_provider> static_credentials(credentials keys) {
    return std::make_shared<fixed_provider>(std::move(keys));
}

std::shared_ptr<credentials_provider> environment_credentials() {
    std::vector<std::unique_ptr<credentials_source>> sources;
    sources.push_back(aws::environment_source(aws::config_source::process()));
    return aws::credentials_chain(std::move(sources));
}

}  // namespace dynalease
