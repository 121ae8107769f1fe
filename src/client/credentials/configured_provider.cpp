// Room client: the default chain of this process.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/configured_provider.hpp"

#include "aws/lookup.hpp"
#include "client/credentials/default_chain.hpp"
#include "client/credentials/http_transport.hpp"

#include <utility>

namespace dynalease::detail {

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

configured_provider make_configured_provider(const environment& world, default_credentials_options options,
                                             std::shared_ptr<credentials_provider> base) {
    auto config = aws::config_source::process();
    auto web = std::make_shared<http_transport>(world, ca_file_of(options, config), options.proxy, config);
    const auto context = std::make_shared<const source_context>(
        source_context{world, std::move(config), std::move(web), make_process_runner(world), std::move(options.profile),
                       std::move(options.region)});
    if (!base) return {context, default_chain(context, std::move(options.role))};
    if (!options.role) return {context, std::move(base)};
    return {context, role_provider(context, std::move(base), *std::move(options.role))};
}

}  // namespace dynalease::detail
