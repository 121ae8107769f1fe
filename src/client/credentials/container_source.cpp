// Room client: keys of a container.
// SPDX-License-Identifier: BSL-1.0
#include "aws/container.hpp"
#include "aws/fields.hpp"
#include "aws/keys_answer.hpp"
#include "aws/refusal.hpp"
#include "client/credentials/http_retry.hpp"
#include "client/credentials/sources.hpp"

#include <utility>

namespace dynalease::detail {

namespace {

failure refused_by_agent(const std::string& who, const aws::web_answer& answer) {
    std::string words = who + " answered " + std::to_string(answer.status);
    if (const auto document = aws::parse_json_fields(answer.body)) {
        for (const auto* name : {"code", "message"}) {
            const auto text = aws::field(*document, name);
            if (!text.empty()) words += ' ' + aws::printable(text);
        }
    }
    return aws::refusal(errc::no_credentials, std::move(words), "check the role of the task or pod");
}

class container_credentials final : public aws::credentials_source {
public:
    explicit container_credentials(shared_source_context context) : context_(std::move(context)) {}

    fetched_credentials fetch() override {
        auto request = aws::container_request(context_->config);
        if (!request) co_return std::move(request).error();
        if (!*request) co_return shared_credentials{};
        const std::string who = "the container agent at " + (*request)->to.url();
        auto make = [what = **request] { return what; };
        auto answer = co_await exchange_with_retry(context_, std::move(make), {});
        if (!answer) {
            failure why = std::move(answer).error();
            why.code = make_error_code(errc::no_credentials);
            co_return why;
        }
        if (answer->status != 200) co_return refused_by_agent(who, *answer);
        auto keys = aws::parse_service_keys(answer->body, who);
        if (!keys) co_return std::move(keys).error();
        co_return std::make_shared<const credentials>(*std::move(keys));
    }

    std::string describe() const override {
        return "the container (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, _FULL_URI)";
    }

private:
    shared_source_context context_;
};

}  // namespace

source_ptr container_source(shared_source_context context) {
    return std::make_unique<container_credentials>(std::move(context));
}

}  // namespace dynalease::detail
