// The order of precedence of every setting.
// SPDX-License-Identifier: BSL-1.0
#include "aws/settings.hpp"

#include "aws/lookup.hpp"
#include "aws/refusal.hpp"
#include "aws/service_endpoint.hpp"
#include "aws/text.hpp"

#include <charconv>
#include <optional>
#include <utility>

namespace dynalease::aws {

namespace {

result<unsigned> attempts_of(const lookup& look) {
    const auto value = look.either({"AWS_MAX_ATTEMPTS"}, "max_attempts");
    if (!value) return 4U;
    unsigned count = 0;
    const char* const end = value->text.data() + value->text.size();
    const auto [stop, problem] = std::from_chars(value->text.data(), end, count);
    if (problem != std::errc{} || stop != end || count == 0) return malformed(*value, "a number of at least 1");
    return count;
}

result<endpoint_parameters> common_parameters(const std::string& region, const lookup& look) {
    endpoint_parameters out;
    out.region = region;
    if (out.region.empty()) {
        if (const auto found = look.region()) out.region = found->text;
    }
    const auto fips = look.flag({"AWS_USE_FIPS_ENDPOINT"}, "use_fips_endpoint");
    if (!fips) return fips.error();
    out.fips = *fips;
    const auto dual_stack = look.flag({"AWS_USE_DUALSTACK_ENDPOINT"}, "use_dualstack_endpoint");
    if (!dual_stack) return dual_stack.error();
    out.dual_stack = *dual_stack;
    return out;
}

// What is unset stays `disabled`: the regional host serves every account, and is the one that firewalls and private
// networks were opened for.
result<account_endpoints> account_mode(const lookup& look) {
    const auto value = look.either({"AWS_ACCOUNT_ID_ENDPOINT_MODE"}, "account_id_endpoint_mode");
    const std::string text = value ? lower(value->text) : "disabled";
    if (text == "disabled") return account_endpoints::disabled;
    if (text == "preferred") return account_endpoints::preferred;
    if (text == "required") return account_endpoints::required;
    return malformed(*value, "preferred, disabled or required");
}

result<endpoint_parameters> parameters_of(const chosen_settings& chosen, const lookup& look) {
    auto out = common_parameters(chosen.region, look);
    if (!out) return out;
    out->override_url = chosen.endpoint;
    if (out->override_url.empty()) {
        auto url = look.endpoint_url("AWS_ENDPOINT_URL_DYNAMODB", "dynamodb");
        if (!url) return url.error();
        out->override_url = *std::move(url);
    }
    const auto mode = account_mode(look);
    if (!mode) return mode.error();
    out->account_mode = *mode;
    const auto account = look.either({"AWS_ACCOUNT_ID"}, "aws_account_id");
    if (!chosen.account_id.empty()) {
        out->account_id = chosen.account_id;
    } else if (account) {
        out->account_id = account->text;
    }
    return out;
}

failure no_region() {
    return refusal(errc::invalid_option, "no region is known, and a signature needs one even with a custom endpoint",
                   "set the option `region`, AWS_REGION, or the region of the profile");
}

}  // namespace

result<settings> resolve_settings(const chosen_settings& chosen, const config_source& source) {
    const auto loaded = load_profile(source, chosen.profile);
    if (!loaded) return loaded.error();
    const lookup look{source, *loaded};

    const auto parameters = parameters_of(chosen, look);
    if (!parameters) return parameters.error();
    auto found = resolve_endpoint(*parameters);
    if (!found) return found.error();
    if (found->signing_region.empty()) return no_region();
    settings out;
    out.endpoint = std::move(*found);
    out.attempts = chosen.attempts;
    if (out.attempts == 0) {
        const auto attempts = attempts_of(look);
        if (!attempts) return attempts.error();
        out.attempts = *attempts;
    }
    out.ca_file = chosen.ca_file;
    if (out.ca_file.empty()) {
        const auto file = look.either({"AWS_CA_BUNDLE"}, "ca_bundle");
        if (file) out.ca_file = file->text;
    }
    out.application = chosen.application;
    if (out.application.empty()) {
        const auto name = look.either({"AWS_SDK_UA_APP_ID"}, "sdk_ua_app_id");
        if (name) out.application = name->text;
    }
    return out;
}

result<endpoint> resolve_sts(const std::string& region, const config_source& source, const profile& within) {
    const lookup look{source, within};
    auto parameters = common_parameters(region, look);
    if (!parameters) return std::move(parameters).error();
    auto url = look.endpoint_url("AWS_ENDPOINT_URL_STS", "sts");
    if (!url) return std::move(url).error();
    parameters->override_url = *std::move(url);
    auto found = service_endpoint("sts", *parameters);
    if (found && found->signing_region.empty()) return no_region();
    return found;
}

}  // namespace dynalease::aws
