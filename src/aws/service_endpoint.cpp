// Regional, validated and dual stack hosts, and overrides.
// SPDX-License-Identifier: BSL-1.0
#include "aws/service_endpoint.hpp"

#include "aws/endpoint_url.hpp"
#include "aws/partitions.hpp"
#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <string>
#include <utility>

namespace dynalease::aws {

namespace {

// DynamoDB Local has no region; its clients sign for this one.
std::string signing_region_of(const std::string& region) {
    return region == "local" ? "us-east-1" : region;
}

// It becomes part of a host name, so nothing that could lead elsewhere may pass.
bool is_region_name(std::string_view region) noexcept {
    for (const char c : region) {
        if (!is_digit(c) && !(c >= 'a' && c <= 'z') && c != '-') return false;
    }
    return region.size() <= 63 && !region.starts_with('-') && !region.ends_with('-');
}

failure conflicting(std::string message, std::string advice) {
    return refusal(errc::invalid_option, std::move(message), std::move(advice));
}

std::string host_of(std::string_view service, const endpoint_parameters& parameters) {
    const partition& within = partition_of(parameters.region);
    const bool plain_name = !parameters.dual_stack && within.fips_by_plain_name;
    std::string host{service};
    if (parameters.fips && !plain_name) host += "-fips";
    host.append(".").append(parameters.region).append(".");
    return host.append(parameters.dual_stack ? within.dual_stack_suffix : within.dns_suffix);
}

result<endpoint> overridden(std::string_view service, const endpoint_parameters& parameters) {
    if (parameters.fips) {
        return conflicting("FIPS and a custom endpoint exclude each other",
                           "unset AWS_USE_FIPS_ENDPOINT, or drop the endpoint");
    }
    if (parameters.dual_stack) {
        return conflicting("dual stack and a custom endpoint exclude each other",
                           "unset AWS_USE_DUALSTACK_ENDPOINT, or drop the endpoint");
    }
    auto out = parse_endpoint_url(parameters.override_url);
    if (!out) return out;
    endpoint_parameters own = parameters;
    own.dual_stack = true;
    if (!parameters.region.empty() && out->url() == "https://" + host_of(service, own)) {
        return conflicting("the endpoint is AWS's own dual stack endpoint, which is chosen by a setting",
                           "set AWS_USE_DUALSTACK_ENDPOINT=true in place of the endpoint");
    }
    out->signing_region = signing_region_of(parameters.region);
    return out;
}

}  // namespace

result<endpoint> service_endpoint(std::string_view service, const endpoint_parameters& parameters) {
    const std::string& region = parameters.region;
    if (!is_region_name(region)) {
        return refusal(errc::invalid_option, "'" + region + "' is no name of a region",
                       "write it as eu-central-1 or us-east-1");
    }
    if (!parameters.override_url.empty()) return overridden(service, parameters);
    if (region.empty()) {
        return refusal(errc::invalid_option, "no region is known",
                       "set the option `region`, AWS_REGION, or the region of the profile");
    }
    endpoint out;
    out.signing_region = signing_region_of(region);
    out.host = host_of(service, parameters);
    out.host_header = out.host;
    return out;
}

}  // namespace dynalease::aws
