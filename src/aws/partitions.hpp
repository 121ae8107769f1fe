// The parts AWS consists of, and the domain names of each.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

namespace dynalease::aws {

struct partition {
    std::string_view name;
    std::string_view region_prefixes;  ///< alternatives, joined by `|`: regions are `<prefix>-<word>-<number>`
    std::string_view global_region;    ///< its one region that has another form
    std::string_view dns_suffix;
    std::string_view dual_stack_suffix;
    bool fips_by_plain_name = false;  ///< its ordinary endpoint is the validated one
};

/// The partition a region lies in; the standard one if its form says nothing.
const partition& partition_of(std::string_view region) noexcept;

}  // namespace dynalease::aws
