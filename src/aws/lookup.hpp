// A setting's value by its order of precedence, and where it stands, for the error it may deserve.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/config_source.hpp"
#include "aws/profile.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace dynalease::aws {

struct found_value {
    std::string text;
    std::string place;
};

class lookup {
public:
    lookup(const config_source& source, const profile& within) : source_(source), profile_(within) {}

    /// The first of these environment variables that is set.
    std::optional<found_value> variable(std::initializer_list<std::string_view> names) const;
    std::optional<found_value> property(std::string_view name) const;
    std::optional<found_value> either(std::initializer_list<std::string_view> names,
                                      std::string_view property_name) const;
    /// AWS_REGION, AWS_DEFAULT_REGION, the profile's.
    std::optional<found_value> region() const { return either({"AWS_REGION", "AWS_DEFAULT_REGION"}, "region"); }

    /// False if it is nowhere. `errc::invalid_option` for what is neither true nor false.
    result<bool> flag(std::initializer_list<std::string_view> names, std::string_view property_name) const;

    /// Where a service is to be found other than by AWS's rules; empty for those.
    /// @param variable the service's own: "AWS_ENDPOINT_URL_DYNAMODB"
    /// @param service its name in a `[services x]` section, to which a profile's `services = x` points
    result<std::string> endpoint_url(std::string_view variable, std::string_view service) const;

private:
    std::optional<found_value> service_endpoint(std::string_view service) const;

    const config_source& source_;
    const profile& profile_;
};

failure malformed(const found_value& value, std::string_view expected);

}  // namespace dynalease::aws
