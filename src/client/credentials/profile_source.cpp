// Room client: keys by a profile of the shared files.
// SPDX-License-Identifier: BSL-1.0
#include "aws/keys_answer.hpp"
#include "aws/refusal.hpp"
#include "client/credentials/sources.hpp"

#include <utility>
#include <variant>

namespace dynalease::detail {

namespace {

class profile_credentials final : public aws::credentials_source {
public:
    explicit profile_credentials(shared_source_context context) : context_(std::move(context)) {}

    fetched_credentials fetch() override {
        auto plan = read_plan();
        if (!plan) {
            failure why = std::move(plan).error();
            why.code = make_error_code(errc::no_credentials);
            co_return why;
        }
        if (!*plan) co_return shared_credentials{};
        auto keys = co_await first_keys((*plan)->first);
        for (auto& role : (*plan)->roles) {
            if (!keys) break;
            auto taken = co_await assume_role(context_, *keys, std::move(role));
            keys = std::move(taken);
        }
        co_return keys;
    }

    std::string describe() const override {
        const auto where = aws::locate_profile(context_->config, context_->profile);
        return "profile '" + where.name + "' of " + where.credentials_file + " and " + where.config_file;
    }

private:
    result<std::optional<aws::key_plan>> read_plan() const {
        auto where = aws::locate_profile(context_->config, context_->profile);
        const std::string name = where.name;
        const auto files = aws::load_shared_config(context_->config, where);
        if (!files) return files.error();
        const auto selected = aws::select_profile(*files, std::move(where));
        if (!selected) return selected.error();
        return aws::plan_profile(*files, name);
    }

    fetched_credentials first_keys(const decltype(aws::key_plan::first)& first) {
        if (const auto* fixed = std::get_if<credentials>(&first)) return as_they_are(*fixed);
        if (const auto* token = std::get_if<aws::web_identity>(&first)) return assume_by_token(context_, *token);
        if (const auto* process = std::get_if<aws::external_process>(&first)) return printed(*process);
        return named(std::get<aws::named_source>(first));
    }

    static fetched_credentials as_they_are(credentials keys) {
        co_return std::make_shared<const credentials>(std::move(keys));
    }

    fetched_credentials printed(aws::external_process process) {
        auto text = co_await context_->processes->run(std::move(process.command));
        if (!text) co_return std::move(text).error();
        auto keys = aws::parse_process_keys(*text, "credential_process");
        if (!keys) co_return std::move(keys).error();
        if (keys->account_id.empty()) keys->account_id = process.account_id;
        co_return std::make_shared<const credentials>(*std::move(keys));
    }

    fetched_credentials named(aws::named_source which) {
        auto& from = source_of(which);
        auto keys = co_await from.fetch();
        if (keys && !*keys) {
            co_return aws::refusal(errc::no_credentials,
                                   "the profile's credential_source names " + from.describe() + ", which has no keys");
        }
        co_return keys;
    }

    aws::credentials_source& source_of(aws::named_source which) {
        switch (which) {
            case aws::named_source::environment:
                named_ = aws::environment_source(context_->config);
                break;
            case aws::named_source::container:
                named_ = container_source(context_);
                break;
            case aws::named_source::instance:
                if (!instance_) instance_ = expected_instance_source(context_);
                return *instance_;
        }
        return *named_;
    }

    shared_source_context context_;
    source_ptr named_;
    source_ptr instance_;  // kept: it remembers its token
};

}  // namespace

source_ptr profile_source(shared_source_context context) {
    return std::make_unique<profile_credentials>(std::move(context));
}

}  // namespace dynalease::detail
