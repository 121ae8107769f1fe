// Room client: the default chain of this process.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/configured_provider.hpp"

#include "aws/lookup.hpp"
#include "client/credentials/default_chain.hpp"
#include "client/credentials/http_transport.hpp"

#include <utility>

namespace dynalease::keys {

namespace {

/// Files that are malformed are the profile's error, told when it is asked.
std::string ca_file_of(const default_credentials_options& options, const aws::config_source& config) {
    if (!options.ca_file.empty()) return options.ca_file;
    const auto profile = aws::load_profile(config, options.profile);
    const aws::profile none;
    const auto found = aws::lookup{config, profile ? *profile : none}.either({"AWS_CA_BUNDLE"}, "ca_bundle");
    return found ? found->text : "";
}

}  // namespace

own_keys make_own_keys(const environment& world, default_credentials_options options,
                       std::shared_ptr<credentials_provider> base) {
    auto config = aws::config_source::process();
    auto web = std::make_shared<http_web>(world, ca_file_of(options, config));
    const auto around = std::make_shared<const surroundings>(
        surroundings{world, std::move(config), std::move(web), make_processes(world), std::move(options.profile),
                     std::move(options.region)});
    if (!base) return {around, default_chain(around, std::move(options.role))};
    if (!options.role) return {around, std::move(base)};
    return {around, role_provider(around, std::move(base), *std::move(options.role))};
}

}  // namespace dynalease::keys
