// Room client: roles taken on by STS.
// SPDX-License-Identifier: BSL-1.0
#include "aws/keys_answer.hpp"
#include "aws/refusal.hpp"
#include "aws/settings.hpp"
#include "aws/sts.hpp"
#include "aws/text.hpp"
#include "client/credentials/http_retry.hpp"
#include "client/credentials/sources.hpp"

#include <dynalease/aws/clock_skew.hpp>

#include <utility>

namespace dynalease::detail {

namespace {

result<aws::endpoint> sts_of(const source_context& context) {
    const auto profile = aws::load_profile(context.config, context.profile);
    if (!profile) return profile.error();
    return aws::resolve_sts(context.region, context.config, *profile);
}

std::string session_name(const environment& world) {
    return "dynalease-" + std::to_string(world.clock->wall().time_since_epoch().count());
}

result<shared_credentials> keys_in(result<aws::web_answer> answer, const std::string& role) {
    auto keys = answer ? aws::parse_sts_answer(*answer) : result<credentials>(std::move(answer).error());
    if (keys) return std::make_shared<const credentials>(*std::move(keys));
    failure why = std::move(keys).error();
    why.code = make_error_code(errc::no_credentials);
    why.details.message = "role " + role + ": " + why.details.message;
    return why;
}

result<std::string> read_token(const source_context& context, const std::string& path) {
    auto content = context.config.file(path);
    if (!content || !*content) {
        return aws::refusal(errc::no_credentials,
                            content ? "there is no web identity token file " + path : content.error().details.message,
                            "check AWS_WEB_IDENTITY_TOKEN_FILE or web_identity_token_file");
    }
    return std::string{aws::trim(**content)};
}

class web_identity_credentials final : public aws::credentials_source {
public:
    explicit web_identity_credentials(shared_source_context context) : context_(std::move(context)) {}

    fetched_credentials fetch() override {
        const auto& config = context_->config;
        const auto file = config.get("AWS_WEB_IDENTITY_TOKEN_FILE");
        if (!file) co_return shared_credentials{};
        const auto role = config.get("AWS_ROLE_ARN");
        if (!role) {
            co_return aws::refusal(errc::no_credentials, "AWS_WEB_IDENTITY_TOKEN_FILE is set without AWS_ROLE_ARN",
                                   "set both, or neither");
        }
        aws::web_identity wanted{*role, *file, config.get("AWS_ROLE_SESSION_NAME").value_or("")};
        auto keys = co_await assume_by_token(context_, std::move(wanted));
        co_return keys;
    }

    std::string describe() const override { return "a web identity (AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN)"; }

private:
    shared_source_context context_;
};

}  // namespace

source_ptr web_identity_source(shared_source_context context) {
    return std::make_unique<web_identity_credentials>(std::move(context));
}

fetched_credentials assume_role(shared_source_context context, shared_credentials who, assumed_role wanted) {
    const auto sts = sts_of(*context);
    if (!sts) co_return sts.error();
    if (auto problem = aws::unusable_keys(*who, "the source of role " + wanted.arn)) co_return *std::move(problem);
    const auto& world = context->world;
    aws::clock_skew skew;
    for (bool corrected = false;; corrected = true) {
        const auto used = skew.offset();
        auto make = [&, name = session_name(world)] {
            return aws::assume_role_request(*sts, wanted, name, *who, skew.corrected(world.clock->wall()));
        };
        auto answer = co_await exchange_with_retry(context, std::move(make), {.is_transient = aws::is_sts_transient});
        const bool again = answer && !corrected && aws::is_clock_suspect(*answer) &&
                           skew.refused(used, world.clock->wall(), aws::parse_http_date(answer->date));
        if (!again) co_return keys_in(std::move(answer), wanted.arn);
    }
}

fetched_credentials assume_by_token(shared_source_context context, aws::web_identity wanted) {
    const auto sts = sts_of(*context);
    if (!sts) co_return sts.error();
    const auto token = read_token(*context, wanted.token_file);
    if (!token) co_return token.error();
    auto make = [request = aws::web_identity_request(*sts, wanted, session_name(context->world), *token)] {
        return request;
    };
    auto answer = co_await exchange_with_retry(context, std::move(make), {.is_transient = aws::is_sts_transient});
    co_return keys_in(std::move(answer), wanted.role_arn);
}

}  // namespace dynalease::detail
