// Locating and reading the shared files.
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

result<profile> load_profile(const config_source& source, const std::string& wanted) {
    profile out;
    out.location = locate_profile(source, wanted);
    const profile_location& where = out.location;
    auto config = source.file(where.config_file);
    if (!config) return config.error();
    auto credentials = source.file(where.credentials_file);
    if (!credentials) return credentials.error();
    auto parsed = parse_shared_config({config->value_or(""), where.config_file},
                                      {credentials->value_or(""), where.credentials_file});
    if (!parsed) return parsed.error();
    const auto found = parsed->profiles.find(where.name);
    if (found == parsed->profiles.end() && where.chosen) {
        return refusal(
            errc::invalid_option,
            "profile '" + where.name + "' is neither in " + where.config_file + " nor in " + where.credentials_file,
            "add it, or choose another by the option `profile` or AWS_PROFILE");
    }
    if (found != parsed->profiles.end()) out.properties = std::move(found->second);
    out.services = std::move(parsed->services);
    return out;
}

}  // namespace dynalease::aws
