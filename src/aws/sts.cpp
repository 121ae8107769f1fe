// The query protocol of STS: a form goes out, XML comes back.
// SPDX-License-Identifier: BSL-1.0
#include "aws/sts.hpp"

#include "aws/canonical.hpp"
#include "aws/fields.hpp"
#include "aws/keys_answer.hpp"
#include "aws/refusal.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dynalease::aws {

namespace {

constexpr std::string_view content_type = "application/x-www-form-urlencoded";
constexpr std::array<std::string_view, 2> actions{"AssumeRole", "AssumeRoleWithWebIdentity"};

class form {
public:
    explicit form(std::string_view action) {
        add("Action", action);
        add("Version", "2011-06-15");
    }

    void add(std::string_view name, std::string_view value) {
        if (!value.empty()) add_even_empty(name, value);
    }
    void add_even_empty(std::string_view name, std::string_view value) {
        if (!text_.empty()) text_ += '&';
        text_.append(name).append("=").append(percent_encoded(value));
    }

    web_request to(const endpoint& sts) {
        web_request out;
        out.to = sts;
        out.method = "POST";
        out.headers.push_back({"Content-Type", std::string{content_type}});
        out.body = std::move(text_);
        return out;
    }

private:
    std::string text_;
};

const std::string& name_of(const std::string& chosen, const std::string& otherwise) {
    return chosen.empty() ? otherwise : chosen;
}

// `arn:aws:sts::123456789012:assumed-role/name/session`
std::string_view account_in(std::string_view arn) {
    for (int colons = 0; colons < 4; ++colons) {
        const auto colon = arn.find(':');
        if (colon == std::string_view::npos) return {};
        arn.remove_prefix(colon + 1);
    }
    return arn.substr(0, arn.find(':'));
}

std::string error_code_in(const web_answer& answer) {
    const auto document = parse_xml_fields(answer.body);
    return document ? std::string{field(*document, "ErrorResponse.Error.Code")} : "";
}

template <std::size_t Count>
bool is_one_of(const std::array<std::string_view, Count>& codes, std::string_view code) {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

}  // namespace

web_request assume_role_request(const endpoint& sts, const assumed_role& wanted, const std::string& session_name,
                                const credentials& who, wall_time now) {
    form text("AssumeRole");
    text.add("RoleArn", wanted.arn);
    text.add("RoleSessionName", name_of(wanted.session_name, session_name));
    if (wanted.duration) text.add("DurationSeconds", std::to_string(wanted.duration->count()));
    text.add("ExternalId", wanted.external_id);
    text.add("Policy", wanted.policy);
    for (std::size_t i = 0; i < wanted.policy_arns.size(); ++i) {
        text.add("PolicyArns.member." + std::to_string(i + 1) + ".arn", wanted.policy_arns[i]);
    }
    std::size_t place = 0;
    for (const auto& [key, value] : wanted.tags) {
        const std::string name = "Tags.member." + std::to_string(++place);
        text.add(name + ".Key", key);
        text.add_even_empty(name + ".Value", value);
    }
    text.add("SourceIdentity", wanted.source_identity);
    web_request out = text.to(sts);

    request_view view;
    view.headers = {{"Host", sts.host_header}, {"Content-Type", content_type}};
    view.body = out.body;
    sigv4_options options;
    options.region = sts.signing_region;
    options.service = "sts";
    for (auto& header : sigv4_sign(view, who, now, options).added) out.headers.push_back(std::move(header));
    return out;
}

web_request web_identity_request(const endpoint& sts, const web_identity& wanted, const std::string& session_name,
                                 std::string_view token) {
    form text("AssumeRoleWithWebIdentity");
    text.add("RoleArn", wanted.role_arn);
    text.add("RoleSessionName", name_of(wanted.session_name, session_name));
    text.add("WebIdentityToken", token);
    return text.to(sts);
}

result<credentials> parse_sts_answer(const web_answer& answer) {
    const auto document = parse_xml_fields(answer.body);
    if (answer.status != 200) {
        std::string words = "STS answered " + std::to_string(answer.status);
        if (document) {
            const auto code = field(*document, "ErrorResponse.Error.Code");
            const auto message = field(*document, "ErrorResponse.Error.Message");
            if (!code.empty()) words += ' ' + printable(code);
            if (!message.empty()) words += ": " + printable(message);
        }
        return refusal(errc::no_credentials, std::move(words),
                       "check the role's ARN, and that its trust policy names who assumes it");
    }
    if (!document) return refusal(errc::no_credentials, "STS answered something that is no XML");
    for (const auto action : actions) {
        const std::string root = std::string{action} + "Response." + std::string{action} + "Result.";
        const std::string keys = root + "Credentials.";
        if (field(*document, keys + "AccessKeyId").empty()) continue;
        return to_credentials({field(*document, keys + "AccessKeyId"), field(*document, keys + "SecretAccessKey"),
                               field(*document, keys + "SessionToken"), field(*document, keys + "Expiration"),
                               account_in(field(*document, root + "AssumedRoleUser.Arn"))},
                              "STS");
    }
    return refusal(errc::no_credentials, "STS answered without keys");
}

bool is_sts_transient(const web_answer& answer) {
    if (answer.status >= 500 || answer.status == 429) return true;
    constexpr std::array<std::string_view, 4> transient{"IDPCommunicationError", "Throttling", "ThrottlingException",
                                                        "RequestLimitExceeded"};
    return answer.status == 400 && is_one_of(transient, error_code_in(answer));
}

bool is_clock_suspect(const web_answer& answer) {
    constexpr std::array<std::string_view, 5> suspect{"SignatureDoesNotMatch", "InvalidSignatureException",
                                                      "RequestTimeTooSkewed", "AuthFailure", "AccessDenied"};
    return (answer.status == 400 || answer.status == 403) && is_one_of(suspect, error_code_in(answer));
}

}  // namespace dynalease::aws
