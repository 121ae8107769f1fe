// Tags, and what the service says of itself.
#include "local/operations.hpp"
#include "local/refusal.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace dynalease::local {

namespace {

/// The table of an ARN, refused in the words for `action`.
table& tagged_table(const context& in, const std::string& arn, std::string_view action) {
    if (arn.empty()) refuse("Invalid TableArn");
    if (std::ranges::count(arn, ':') < 5 || arn.find('/') == std::string::npos) {
        throw refusal(errc::access_denied,
                      "User: arn:aws:iam::000000000000:user/local is not authorized to perform: "
                      "dynamodb:" +
                          std::string(action) + " on resource: " + arn);
    }
    const std::size_t slash = arn.find('/');
    const std::string_view name = std::string_view(arn).substr(slash + 1);
    constexpr std::size_t shortest = 3;
    if (!arn.starts_with("arn:aws:dynamodb:") || name.size() < shortest || name.find('/') != std::string_view::npos) {
        refuse("Invalid TableArn: Invalid ResourceArn provided as input " + arn);
    }
    if (in.state.tables.find(name) == in.state.tables.end()) {
        throw refusal(errc::table_not_found, "Requested resource not found: ResourcArn: " + arn + " not found");
    }
    return in.table_named(name);
}

constexpr std::size_t most_tags = 50;

}  // namespace

result<any_response> execute(const context& in, const tag_resource_request& request) {
    table& tagged = tagged_table(in, request.resource_arn, "TagResource");
    if (request.tags.empty()) refuse("Atleast one Tag needs to be provided as Input.");
    auto tags = tagged.tags();
    for (const auto& [key, value] : request.tags) tags.insert_or_assign(key, value);
    if (tags.size() > most_tags) {
        throw refusal(errc::limit_exceeded, "Subscriber limit exceeded: Too many tags: the limit is 50 tags per table");
    }
    tagged.tags() = std::move(tags);
    return any_response(tag_resource_response{});
}

result<any_response> execute(const context& in, const untag_resource_request& request) {
    table& tagged = tagged_table(in, request.resource_arn, "UntagResource");
    if (request.tag_keys.empty()) refuse("Atleast one Tag Key needs to be provided as Input.");
    for (const auto& key : request.tag_keys) tagged.tags().erase(key);
    return any_response(untag_resource_response{});
}

result<any_response> execute(const context& in, const list_tags_of_resource_request& request) {
    return any_response(
        list_tags_of_resource_response{tagged_table(in, request.resource_arn, "ListTagsOfResource").tags(), {}});
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
