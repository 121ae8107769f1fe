// Room client: keys of an EC2 instance.
// SPDX-License-Identifier: BSL-1.0
#include "aws/imds.hpp"
#include "aws/keys_answer.hpp"
#include "aws/refusal.hpp"
#include "client/credentials/http_retry.hpp"
#include "client/credentials/sources.hpp"

#include <optional>
#include <utility>

namespace dynalease::detail {

namespace {

constexpr std::chrono::milliseconds answer_limit{1000};
constexpr auto token_life = std::chrono::hours(5);  // it is good for six

failure unavailable(std::string why) {
    return aws::refusal(errc::unreachable, "the instance metadata service " + std::move(why),
                        "set AWS_EC2_METADATA_DISABLED=true where there is none");
}

/// One instance's service, with what was learnt of it so far.
class instance {
public:
    explicit instance(shared_source_context context) : context_(std::move(context)) {}

    /// `errc::unreachable`: there is no such service, or no role.
    fetched_credentials fetch() {
        if (auto problem = configure()) co_return *std::move(problem);
        path_->begin();
        bool renewed = false;
        for (;;) {
            auto no_token = co_await need_token();
            if (no_token) co_return *std::move(no_token);
            auto make = [this] { return aws::imds_get(*settings_, path_->path(), token_); };
            const http_retry how = patience(http_retry{}.attempts);
            auto answer = co_await exchange_with_retry(context_, std::move(make), how);
            if (!answer) co_return unavailable("does not answer: " + answer.error().details.message);
            if (answer->status == 401 && !std::exchange(renewed, true)) {
                token_.clear();
                continue;
            }
            if (answer->status != 200 && answer->status != 404) co_return refused(answer->status);
            switch (path_->answered(answer->status, answer->body)) {
                case aws::imds_path::step::ask_again:
                    continue;
                case aws::imds_path::step::no_role:
                    co_return unavailable("knows no such role of this instance");
                case aws::imds_path::step::keys:
                    auto keys = aws::parse_service_keys(answer->body, "the instance metadata service");
                    if (!keys) co_return std::move(keys).error();
                    co_return std::make_shared<const credentials>(*std::move(keys));
            }
        }
    }

private:
    std::optional<failure> configure() {
        if (!settings_) {
            const auto profile = aws::load_profile(context_->config, context_->profile);
            if (!profile) return profile.error();
            auto found = aws::resolve_imds(context_->config, *profile);
            if (!found) return std::move(found).error();
            settings_ = *std::move(found);
            path_.emplace(settings_->role);
        }
        if (settings_->disabled) return unavailable("is switched off by AWS_EC2_METADATA_DISABLED");
        return std::nullopt;
    }

    boost::asio::awaitable<std::optional<failure>> need_token() {
        const auto now = context_->world.clock->now();
        if (!token_.empty() && now < token_until_) co_return std::nullopt;
        // Whether there is such a service must be found out quickly; one that was there is worth waiting for.
        constexpr unsigned to_find_out = 2;
        const http_retry how = patience(seen_ ? http_retry{}.attempts : to_find_out);
        auto make = [this] { return aws::imds_token_request(*settings_); };
        auto answer = co_await exchange_with_retry(context_, std::move(make), how);
        if (!answer) co_return unavailable("cannot be reached: " + answer.error().details.message);
        if (answer->status != 200) co_return refused(answer->status);
        seen_ = true;
        token_ = answer->body;
        token_until_ = now + token_life;
        if (token_.empty() || token_.find_first_of("\r\n") != std::string::npos) {
            token_.clear();
            co_return unavailable("gave no usable token");
        }
        co_return std::nullopt;
    }

    /// What the operator says, else so many attempts of a second each.
    http_retry patience(unsigned attempts) const {
        http_retry how;
        how.attempts = settings_->attempts.value_or(attempts);
        how.limit = settings_->limit ? std::chrono::milliseconds(*settings_->limit) : answer_limit;
        return how;
    }

    static failure refused(unsigned status) {
        if (status == 403) return unavailable("is forbidden (403): access to it is switched off");
        return unavailable("answered " + std::to_string(status));
    }

    shared_source_context context_;
    std::optional<aws::imds_settings> settings_;
    std::optional<aws::imds_path> path_;
    std::string token_;
    clock::time_point token_until_{};
    bool seen_ = false;
};

class instance_credentials final : public aws::credentials_source {
public:
    instance_credentials(shared_source_context context, bool expected)
        : instance_(std::move(context)), expected_(expected) {}

    fetched_credentials fetch() override {
        auto keys = co_await instance_.fetch();
        if (keys) co_return keys;
        failure why = std::move(keys).error();
        if (why.code == errc::unreachable && !expected_) {
            reason_ = why.details.message;
            co_return shared_credentials{};
        }
        why.code = make_error_code(errc::no_credentials);
        co_return why;
    }

    std::string describe() const override {
        return reason_.empty() ? "the instance" : "the instance (" + reason_ + ")";
    }

private:
    instance instance_;
    bool expected_;
    std::string reason_;
};

}  // namespace

source_ptr instance_source(shared_source_context context) {
    return std::make_unique<instance_credentials>(std::move(context), false);
}

source_ptr expected_instance_source(shared_source_context context) {
    return std::make_unique<instance_credentials>(std::move(context), true);
}

}  // namespace dynalease::detail
