// The table of partitions, and the matching of regions by their form.
// SPDX-License-Identifier: BSL-1.0
#include "aws/partitions.hpp"

#include "aws/text.hpp"

#include <array>

namespace dynalease::aws {

namespace {

constexpr std::array<partition, 8> partitions{{
    {"aws", "us|eu|ap|sa|ca|me|af|il|mx", "aws-global", "amazonaws.com", "api.aws"},
    {"aws-cn", "cn", "aws-cn-global", "amazonaws.com.cn", "api.amazonwebservices.com.cn"},
    {"aws-eusc", "eusc-de", "", "amazonaws.eu", "api.amazonwebservices.eu"},
    {"aws-iso", "us-iso", "aws-iso-global", "c2s.ic.gov", "api.aws.ic.gov"},
    {"aws-iso-b", "us-isob", "aws-iso-b-global", "sc2s.sgov.gov", "api.aws.scloud"},
    {"aws-iso-e", "eu-isoe", "aws-iso-e-global", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"},
    {"aws-iso-f", "us-isof", "aws-iso-f-global", "csp.hci.ic.gov", "api.aws.hci.ic.gov"},
    {"aws-us-gov", "us-gov", "aws-us-gov-global", "amazonaws.com", "api.aws", true},
}};

// `-<word>-<number>`; words hold no dash, which is what keeps `us-gov-east-1` out of the prefix `us`.
bool is_word_and_number(std::string_view rest) noexcept {
    if (!rest.starts_with('-')) return false;
    rest.remove_prefix(1);
    const auto dash = rest.find('-');
    if (dash == 0 || dash == std::string_view::npos || dash + 1 == rest.size()) return false;
    for (const char c : rest.substr(0, dash)) {
        if (!is_alphanumeric(c) && c != '_') return false;
    }
    for (const char c : rest.substr(dash + 1)) {
        if (!is_digit(c)) return false;
    }
    return true;
}

bool lies_in(std::string_view region, const partition& candidate) noexcept {
    if (region == candidate.global_region) return true;
    std::string_view prefixes = candidate.region_prefixes;
    while (!prefixes.empty()) {
        const auto end = prefixes.find('|');
        const std::string_view prefix = prefixes.substr(0, end);
        if (region.starts_with(prefix) && is_word_and_number(region.substr(prefix.size()))) return true;
        prefixes.remove_prefix(end == std::string_view::npos ? prefixes.size() : end + 1);
    }
    return false;
}

}  // namespace

const partition& partition_of(std::string_view region) noexcept {
    for (const partition& candidate : partitions) {
        if (lies_in(region, candidate)) return candidate;
    }
    return partitions.front();
}

}  // namespace dynalease::aws
