// Locating and reading the shared files.
// SPDX-License-Identifier: BSL-1.0
#include "aws/profile.hpp"

#include "aws/refusal.hpp"

#include <utility>

namespace dynalease::aws {

namespace {

std::string expand_home(std::string path, const std::string& home) {
    if (path == "~" || path.starts_with("~/")) path.replace(0, 1, home);
    return path;
}

}  // namespace

profile_location locate_profile(const config_source& source, const std::string& wanted) {
    auto home = source.get("HOME");
    if (!home) home = source.account_home();
    const auto file = [&](std::string_view variable, const std::string& name) {
        return expand_home(source.get(variable).value_or(*home + "/.aws/" + name), *home);
    };
    profile_location out;
    out.config_file = file("AWS_CONFIG_FILE", "config");
    out.credentials_file = file("AWS_SHARED_CREDENTIALS_FILE", "credentials");
    const auto named = wanted.empty() ? source.get("AWS_PROFILE") : std::optional{wanted};
    out.name = named.value_or("default");
    out.chosen = named.has_value();
    return out;
}

result<shared_config> load_shared_config(const config_source& source, const profile_location& where) {
    auto config = source.file(where.config_file);
    if (!config) return config.error();
    auto credentials = source.file(where.credentials_file);
    if (!credentials) return credentials.error();
    return parse_shared_config({config->value_or(""), where.config_file},
                               {credentials->value_or(""), where.credentials_file});
}

result<profile> select_profile(const shared_config& files, profile_location where) {
    profile out;
    out.location = std::move(where);
    const auto found = files.profiles.find(out.location.name);
    if (found != files.profiles.end()) {
        out.properties = found->second;
    } else if (out.location.chosen) {
        return refusal(errc::invalid_option,
                       "profile '" + out.location.name + "' is neither in " + out.location.config_file + " nor in " +
                           out.location.credentials_file,
                       "add it, or choose another by the option `profile` or AWS_PROFILE");
    }
    out.services = files.services;
    return out;
}

result<profile> load_profile(const config_source& source, const std::string& wanted) {
    auto where = locate_profile(source, wanted);
    const auto files = load_shared_config(source, where);
    if (!files) return files.error();
    return select_profile(*files, std::move(where));
}

}  // namespace dynalease::aws
