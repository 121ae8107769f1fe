// Endpoint rules of DynamoDB.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/endpoint.hpp>

#include "aws/partitions.hpp"
#include "aws/refusal.hpp"
#include "aws/service_endpoint.hpp"
#include "aws/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace dynalease::aws {

namespace {

failure excluded(std::string message, std::string advice) {
    return refusal(errc::invalid_option, std::move(message), std::move(advice));
}

result<endpoint> local_endpoint(const endpoint_parameters& parameters) {
    if (parameters.fips) return excluded("FIPS and region 'local' exclude each other", "choose a region of AWS");
    if (parameters.dual_stack) {
        return excluded("dual stack and region 'local' exclude each other", "choose a region of AWS");
    }
    return service_endpoint("dynamodb", {.region = parameters.region, .override_url = "http://localhost:8000"});
}

// `arn:<partition>:dynamodb:<region>:<account>:table/<name>`: its account, if it is a table of this region.
std::optional<std::string> account_of(std::string_view arn, std::string_view region) {
    std::array<std::string_view, 5> parts;
    for (auto& part : parts) {
        const auto end = arn.find(':');
        if (end == std::string_view::npos) return std::nullopt;
        part = arn.substr(0, end);
        arn.remove_prefix(end + 1);
    }
    const auto& [word, partition_name, service, where, account] = parts;
    if (word != "arn" || partition_name.empty() || service != "dynamodb" || where != region) return std::nullopt;
    return std::string{account};
}

// It becomes part of a host name.
bool is_label(std::string_view text) {
    constexpr std::size_t longest = 63;
    return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), is_alphanumeric);
}

std::optional<std::string> chosen_account(const endpoint_parameters& parameters) {
    for (const auto& arn : parameters.resource_arns) {
        if (auto account = account_of(arn, parameters.region)) return account;
    }
    return parameters.account_id;
}

result<endpoint> account_endpoint(const endpoint_parameters& parameters) {
    constexpr auto advice = "set AWS_ACCOUNT_ID_ENDPOINT_MODE to preferred or disabled";
    const bool required = parameters.account_mode == account_endpoints::required;
    const bool has_them = partition_of(parameters.region).name == "aws";
    if (required && parameters.fips) return excluded("FIPS and account endpoints exclude each other", advice);
    if (required && !has_them) return excluded("account endpoints do not exist in this partition", advice);
    auto out = service_endpoint("dynamodb", parameters);
    if (!out || parameters.fips || !has_them) return out;

    const auto account = chosen_account(parameters);
    if (!account && required) {
        return excluded("account endpoints are required, and no account is known", "set AWS_ACCOUNT_ID");
    }
    if (!account) return out;
    if (!is_label(*account)) return excluded("'" + *account + "' is no account", "correct AWS_ACCOUNT_ID");
    out->host = *account + ".ddb" + out->host.substr(out->host.find('.'));
    out->host_header = out->host;
    return out;
}

}  // namespace

result<endpoint> resolve_endpoint(const endpoint_parameters& parameters) {
    const bool overridden = !parameters.override_url.empty();
    if (parameters.region == "local" && !overridden) return local_endpoint(parameters);
    if (overridden || parameters.account_mode == account_endpoints::disabled) {
        return service_endpoint("dynamodb", parameters);
    }
    return account_endpoint(parameters);
}

}  // namespace dynalease::aws
