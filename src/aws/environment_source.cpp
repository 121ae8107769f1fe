// Keys from environment variables.
#include "aws/credentials_source.hpp"
#include "aws/refusal.hpp"

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
        const auto id = source_.get("AWS_ACCESS_KEY_ID");
        const auto secret = source_.get("AWS_SECRET_ACCESS_KEY");
        if (!id && !secret) return shared_credentials{};
        if (!id || !secret) {
            const std::string_view set = id ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY";
            const std::string_view unset = id ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID";
            return refusal(errc::no_credentials, std::string{set} + " is set without " + std::string{unset},
                           "set both, or neither");
        }
        auto token = source_.get("AWS_SESSION_TOKEN");
        if (!token) token = source_.get("AWS_SECURITY_TOKEN");
        return std::make_shared<const credentials>(
            credentials{*id, *secret, token.value_or(""), std::nullopt, source_.get("AWS_ACCOUNT_ID").value_or("")});
    }

    config_source source_;
};

}  // namespace

std::unique_ptr<credentials_source> environment_source(config_source source) {
    return std::make_unique<environment_keys>(std::move(source));
}

}  // namespace dynalease::aws
