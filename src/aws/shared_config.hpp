// The shared configuration and credentials files of AWS: their grammar, without any file access.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>

#include <map>
#include <string>
#include <string_view>

namespace dynalease::aws {

struct config_property {
    std::string value;
    std::map<std::string, std::string, std::less<>> nested{};  ///< of a property with an empty value: indented lines
};
/// Properties by their lower-case names.
using config_section = std::map<std::string, config_property, std::less<>>;
using config_sections = std::map<std::string, config_section, std::less<>>;

struct shared_config {
    config_sections profiles;
    config_sections sso_sessions;
    config_sections services;
};

/// A text and what to call it in errors.
struct config_text {
    std::string_view text;
    std::string_view name;
};

/// Both files, merged: the credentials file wins property by property. A malformed line is `errc::invalid_option` with
/// file and line; a section or property whose name is malformed is left out, as all AWS tools do.
result<shared_config> parse_shared_config(config_text config, config_text credentials);

/// The value of a property, trimmed; empty if there is none.
std::string_view value_of(const config_section& section, std::string_view property);

}  // namespace dynalease::aws
