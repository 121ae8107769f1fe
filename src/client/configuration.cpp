// Room client: options, checked.
// SPDX-License-Identifier: BSL-1.0
#include "client/configuration.hpp"

#include "aws/config_source.hpp"
#include "client/proxy.hpp"
#include "client/user_agent.hpp"
#include "http/tls.hpp"

#include <dynalease/aws/providers.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace dynalease::detail {

namespace {

/// One is opened for each heartbeat that meets no idle one, so a single session has one or two: for a beat on its way,
/// and when a lease begins meanwhile or the first hangs. With many sessions the beats of all must fit in their period.
constexpr std::size_t heartbeat_connections = 64;

[[noreturn]] void refuse(std::string message, std::string advice) {
    diagnostics details;
    details.operation = "client";
    details.message = std::move(message);
    details.advice = std::move(advice);
    throw error(make_error_code(errc::invalid_option), std::move(details));
}

[[noreturn]] void throw_failure(const failure& why) {
    auto details = why.details;
    details.operation = "client";
    throw error(why.code, std::move(details));
}

void require(bool holds, const char* option, const char* rule) {
    if (!holds) refuse("client_options::" + std::string(option) + " " + rule, "set it to a value in its range");
}

template <class Duration>
void require_time(Duration value, const char* option) {
    require(value > Duration::zero() && value <= longest_timeout, option, "must be longer than 0 and at most a day");
}

bool is_printable(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > ' ' && c < 127; });
}

void check(const client_options& options) {
    require_time(options.timeout, "timeout");
    require_time(options.attempt_timeout, "attempt_timeout");
    require_time(options.connect_timeout, "connect_timeout");
    require(options.connections >= 1, "connections", "must be at least 1");
    require(options.connections <= 65'536, "connections", "must be at most 65536");
    require_time(options.idle_limit, "idle_limit");
    require(!options.role || !options.role->arn.empty(), "role", "needs an ARN");
    require(!options.tls || (options.verify_tls && options.ca_file.empty()), "tls",
            "excludes client_options::verify_tls and client_options::ca_file: it says both itself");
    if (!options.credentials) return;
    require(!options.provider, "credentials", "and client_options::provider exclude each other");
    const auto& keys = *options.credentials;
    require(!keys.access_key_id.empty() && is_printable(keys.access_key_id), "credentials.access_key_id",
            "must be text without blanks");
    require(!keys.secret_access_key.empty() && is_printable(keys.secret_access_key), "credentials.secret_access_key",
            "must be text without blanks");
    require(is_printable(keys.session_token), "credentials.session_token", "must be text without blanks");
}

configured_provider choose_keys(const environment& world, client_options& options, const aws::settings& settings) {
    auto given =
        options.credentials ? static_credentials(*std::move(options.credentials)) : std::move(options.provider);
    if (given && !options.role) return {nullptr, std::move(given)};
    return make_configured_provider(
        world, {options.profile, options.region, settings.ca_file, std::move(options.role), options.proxy},
        std::move(given));
}

std::shared_ptr<boost::asio::ssl::context> make_tls(const aws::settings& settings, bool verify) {
    const auto setup = http::make_tls_context({verify, settings.ca_file});
    if (setup.error) {
        refuse("client_options::ca_file: " + settings.ca_file + ": " + setup.error.message(),
               "name a PEM file of certificate authorities, there or in AWS_CA_BUNDLE");
    }
    return setup.context;
}

}  // namespace

client_configuration configure(const environment& world, client_options options) {
    check(options);
    const auto source = aws::config_source::process();
    const aws::chosen_settings chosen{options.region,     options.endpoint,
                                      options.profile,    options.attempts,
                                      options.ca_file,    options.credentials ? options.credentials->account_id : "",
                                      options.application};
    auto settings = aws::resolve_settings(chosen, source);
    if (!settings) throw_failure(settings.error());

    client_configuration result;
    result.aws = *std::move(settings);
    result.connecting.server = {result.aws.endpoint.tls, result.aws.endpoint.host, result.aws.endpoint.port};
    result.connecting.timeout = options.connect_timeout;
    result.connecting.id_header = "x-amzn-requestid";
    if (result.aws.endpoint.tls) {
        result.connecting.tls = options.tls ? plain(options.tls) : make_tls(result.aws, options.verify_tls);
    }
    auto proxy = proxy_to(result.aws.endpoint, options.proxy, source);
    if (!proxy) throw_failure(proxy.error());
    result.connecting.proxy = *std::move(proxy);
    result.user_agent = user_agent(result.aws.application);
    result.ordinary.connections = options.connections;
    result.ordinary.waiting = options.waiting;
    result.ordinary.idle_limit = options.idle_limit;
    result.heartbeat = result.ordinary;
    result.heartbeat.connections = heartbeat_connections;
    result.calls = {options.timeout, options.attempt_timeout, result.aws.attempts};
    result.log = std::move(options.log);
    result.keys = choose_keys(world, options, result.aws);
    return result;
}

}  // namespace dynalease::detail
