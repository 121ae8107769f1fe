// Tags, and what the service says of itself.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/operations.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace dynalease::local {

namespace {

[[noreturn]] void refuse_arn(const std::string& arn) {
    refuse("Invalid TableArn: Invalid ResourceArn provided as input " + arn);
}

/// The name of the table in an ARN.
std::string_view table_name_in(const std::string& arn) {
    const std::size_t slash = arn.find('/');
    if (!arn.starts_with("arn:aws:dynamodb:") || slash == std::string::npos) refuse_arn(arn);
    const std::string_view name = std::string_view(arn).substr(slash + 1);
    constexpr std::size_t shortest = 3;
    if (name.size() < shortest || name.find('/') != std::string_view::npos) refuse_arn(arn);
    return name;
}

bool is_of_own_account(const std::string& arn) {
    return arn.find(":" + std::string(own_account) + ":") != std::string::npos;
}

[[noreturn]] void refuse_missing(const std::string& arn) {
    throw refusal(errc::table_not_found, "Requested resource not found: ResourcArn: " + arn + " not found");
}

void check_characters(const std::string& text, const char* what) {
    constexpr std::string_view marks = " +-=._:/@";
    const auto is_forbidden = [&](char c) {
        const bool ascii = static_cast<signed char>(c) >= 0;
        const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return ascii && !word && marks.find(c) == std::string_view::npos;
    };
    if (std::ranges::any_of(text, is_forbidden)) {
        refuse("The Tag " + std::string(what) + " provided is invalid, " + what + ": " + text);
    }
}

constexpr std::size_t most_tags = 50;

[[noreturn]] void refuse_too_many_tags() {
    refuse("Number of Tags exceed the current limit for the provided ResourceArn");
}

}  // namespace

void check_tags(const std::map<std::string, std::string>& tags) {
    if (tags.size() > most_tags) refuse_too_many_tags();
    for (const auto& [key, value] : tags) {
        check_characters(key, "Key");
        check_characters(value, "Value");
        if (key.starts_with("aws:")) refuse("Tag Key cannot be prefixed with aws:, Key: " + key);
    }
}

result<any_response> execute(const context& in, const tag_resource_request& request) {
    const std::string_view name = table_name_in(request.resource_arn);
    if (request.tags.empty()) refuse("Atleast one Tag needs to be provided as Input.");
    check_tags(request.tags);
    const auto found = in.state.tables.find(name);
    if (found == in.state.tables.end()) refuse_missing(request.resource_arn);
    auto tags = found->second.tags();
    for (const auto& [key, value] : request.tags) tags.insert_or_assign(key, value);
    if (tags.size() > most_tags) refuse_too_many_tags();
    found->second.tags() = std::move(tags);
    in.state.note_table(found->second);
    return any_response(tag_resource_response{});
}

result<any_response> execute(const context& in, const untag_resource_request& request) {
    const std::string_view name = table_name_in(request.resource_arn);
    if (request.tag_keys.empty()) refuse("Atleast one Tag Key needs to be provided as Input.");
    const auto found = in.state.tables.find(name);
    if (found == in.state.tables.end()) throw refusal(errc::table_not_found, "Requested resource not found");
    for (const auto& key : request.tag_keys) found->second.tags().erase(key);
    in.state.note_table(found->second);
    return any_response(untag_resource_response{});
}

result<any_response> execute(const context& in, const list_tags_of_resource_request& request) {
    const std::string_view name = table_name_in(request.resource_arn);
    const auto found = in.state.tables.find(name);
    if (found != in.state.tables.end()) {
        return any_response(list_tags_of_resource_response{found->second.tags(), {}});
    }
    if (is_of_own_account(request.resource_arn)) refuse_missing(request.resource_arn);
    // Nobody learns whether somebody else has a table of that name.
    throw refusal(errc::access_denied, "User: arn:aws:iam::" + std::string(own_account) +
                                           ":user/local is not authorized to perform: dynamodb:ListTagsOfResource on "
                                           "resource: " +
                                           request.resource_arn);
}

result<any_response> execute(const context&, const describe_limits_request&) {
    constexpr std::int64_t account = 80'000;
    constexpr std::int64_t one_table = 40'000;
    return any_response(describe_limits_response{account, account, one_table, one_table});
}

result<any_response> execute(const context&, const describe_endpoints_request&) {
    constexpr std::int64_t one_day = 1440;
    return any_response(describe_endpoints_response{{{"localhost", one_day}}});
}

}  // namespace dynalease::local
