// Reading and checking of keys.
// SPDX-License-Identifier: BSL-1.0
#include "aws/keys_answer.hpp"

#include "aws/fields.hpp"
#include "aws/refusal.hpp"
#include "aws/text.hpp"
#include "aws/web.hpp"

#include <dynalease/aws/timestamp.hpp>

#include <algorithm>
#include <string>

namespace dynalease::aws {

namespace {

failure unusable(std::string_view who, std::string_view why) {
    return refusal(errc::no_credentials, std::string{who} + " gave no usable keys: " + std::string{why});
}

bool is_printable(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c < 127; });
}

bool is_account(std::string_view text) {
    return std::all_of(text.begin(), text.end(), is_digit);
}

result<credentials> from_json(std::string_view text, std::string_view token_field, std::string_view who) {
    const auto document = parse_json_fields(text);
    if (!document) return unusable(who, "the answer is no JSON object");
    const auto code = field(*document, "Code");
    if (!code.empty() && lower(code) != "success") {
        const std::string words = printable(field(*document, "Message"));
        return unusable(who, printable(code) + (words.empty() ? "" : ": " + words));
    }
    const auto version = field(*document, "Version");
    if (token_field == "SessionToken" && version != "1") return unusable(who, "its Version is not 1");
    return to_credentials(
        {field(*document, "AccessKeyId"), field(*document, "SecretAccessKey"), field(*document, token_field),
         field(*document, "Expiration"), field(*document, "AccountId")},
        who);
}

}  // namespace

result<credentials> parse_service_keys(std::string_view text, std::string_view who) {
    return from_json(text, "Token", who);
}

result<credentials> parse_process_keys(std::string_view text, std::string_view who) {
    return from_json(text, "SessionToken", who);
}

std::optional<failure> unusable_keys(const credentials& keys, std::string_view who) {
    if (keys.access_key_id.empty()) return unusable(who, "there is no AccessKeyId");
    if (keys.secret_access_key.empty()) return unusable(who, "there is no SecretAccessKey");
    if (is_printable(keys.access_key_id) && is_printable(keys.secret_access_key) && is_printable(keys.session_token)) {
        return std::nullopt;
    }
    return unusable(who, "a key or token holds blanks or control characters");
}

result<credentials> to_credentials(const key_texts& texts, std::string_view who) {
    credentials out{std::string{texts.id}, std::string{texts.secret}, std::string{texts.token}};
    if (auto problem = unusable_keys(out, who)) return *std::move(problem);
    if (!texts.expiration.empty()) {
        const auto when = parse_iso8601(texts.expiration);
        if (!when) return unusable(who, "the Expiration is no ISO 8601 date");
        out.expiration = std::chrono::floor<std::chrono::seconds>(*when);
    }
    if (is_account(texts.account)) out.account_id = texts.account;
    return out;
}

}  // namespace dynalease::aws
