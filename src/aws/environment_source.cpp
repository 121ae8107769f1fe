// Keys from environment variables.
// SPDX-License-Identifier: BSL-1.0
#include "aws/credentials_source.hpp"
#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <utility>

namespace dynalease::aws {

namespace {

class environment_keys final : public credentials_source {
public:
    explicit environment_keys(config_source source) : source_(std::move(source)) {}

    boost::asio::awaitable<result<shared_credentials>> fetch() override { co_return read(); }

    std::string describe() const override { return "the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)"; }

private:
    result<shared_credentials> read() const {
        auto id = value("AWS_ACCESS_KEY_ID");
        auto secret = value("AWS_SECRET_ACCESS_KEY");
        if (id.empty() && secret.empty()) return shared_credentials{};
        if (id.empty() || secret.empty()) {
            const std::string_view set = secret.empty() ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY";
            const std::string_view unset = secret.empty() ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID";
            return refusal(errc::no_credentials, std::string{set} + " is set without " + std::string{unset},
                           "set both, or neither");
        }
        auto token = value("AWS_SESSION_TOKEN");
        if (token.empty()) token = value("AWS_SECURITY_TOKEN");
        return std::make_shared<const credentials>(
            credentials{std::move(id), std::move(secret), std::move(token), std::nullopt, value("AWS_ACCOUNT_ID")});
    }

    /// Trimmed: a secret that was read from a file into its variable often ends with the file's line end.
    std::string value(std::string_view name) const { return std::string{trim(source_.get(name).value_or(""))}; }

    config_source source_;
};

}  // namespace

std::unique_ptr<credentials_source> environment_source(config_source source) {
    return std::make_unique<environment_keys>(std::move(source));
}

}  // namespace dynalease::aws
