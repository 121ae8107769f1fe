// The order of precedence of every setting.
#include "aws/settings.hpp"

#include "aws/profile.hpp"
#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <charconv>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

namespace dynalease::aws {

namespace {

// A value and where it stands, for the error it may deserve.
struct found_value {
    std::string text;
    std::string place;
};

class lookup {
public:
    lookup(const config_source& source, const profile& within) : source_(source), profile_(within) {}

    std::optional<found_value> variable(std::initializer_list<std::string_view> names) const {
        for (const std::string_view name : names) {
            if (auto value = source_.get(name)) return found_value{std::string{trim(*value)}, std::string{name}};
        }
        return std::nullopt;
    }

    std::optional<found_value> property(std::string_view name) const {
        const std::string_view value = value_of(profile_.properties, name);
        if (value.empty()) return std::nullopt;
        return found_value{std::string{value}, std::string{name} + " of profile '" + profile_.location.name + "'"};
    }

    std::optional<found_value> either(std::initializer_list<std::string_view> names,
                                      std::string_view property_name) const {
        auto value = variable(names);
        return value ? value : property(property_name);
    }

    // The profile's `services = x` points to `[services x]`, which may hold an endpoint for DynamoDB alone.
    std::optional<found_value> service_endpoint() const {
        const auto section = profile_.services.find(value_of(profile_.properties, "services"));
        if (section == profile_.services.end()) return std::nullopt;
        const auto service = section->second.find("dynamodb");
        if (service == section->second.end()) return std::nullopt;
        const auto url = service->second.nested.find("endpoint_url");
        if (url == service->second.nested.end() || url->second.empty()) return std::nullopt;
        return found_value{url->second, "endpoint_url of services '" + section->first + "'"};
    }

private:
    const config_source& source_;
    const profile& profile_;
};

failure malformed(const found_value& value, std::string_view expected) {
    return refusal(errc::invalid_option,
                   value.place + " is '" + value.text + "', which is not " + std::string{expected});
}

result<bool> flag(const std::optional<found_value>& value) {
    const std::string text = value ? lower(value->text) : "false";
    if (text != "true" && text != "false") return malformed(*value, "true or false");
    return text == "true";
}

result<unsigned> attempts_of(const lookup& look) {
    const auto value = look.either({"AWS_MAX_ATTEMPTS"}, "max_attempts");
    if (!value) return 4U;
    unsigned count = 0;
    const char* const end = value->text.data() + value->text.size();
    const auto [stop, problem] = std::from_chars(value->text.data(), end, count);
    if (problem != std::errc{} || stop != end || count == 0) return malformed(*value, "a number of at least 1");
    return count;
}

std::string override_of(const lookup& look) {
    if (const auto own = look.variable({"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"})) return own->text;
    if (const auto service = look.service_endpoint()) return service->text;
    const auto common = look.property("endpoint_url");
    return common ? common->text : std::string{};
}

result<endpoint_parameters> parameters_of(const chosen_settings& chosen, const lookup& look) {
    endpoint_parameters out;
    out.region = chosen.region;
    if (out.region.empty()) {
        const auto region = look.either({"AWS_REGION", "AWS_DEFAULT_REGION"}, "region");
        if (region) out.region = region->text;
    }
    const auto fips = flag(look.either({"AWS_USE_FIPS_ENDPOINT"}, "use_fips_endpoint"));
    if (!fips) return fips.error();
    out.fips = *fips;
    const auto dual_stack = flag(look.either({"AWS_USE_DUALSTACK_ENDPOINT"}, "use_dualstack_endpoint"));
    if (!dual_stack) return dual_stack.error();
    out.dual_stack = *dual_stack;
    out.override_url = chosen.endpoint;
    const auto ignored = flag(look.either({"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"}, "ignore_configured_endpoint_urls"));
    if (!ignored) return ignored.error();
    if (out.override_url.empty() && !*ignored) out.override_url = override_of(look);
    return out;
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
    if (found->signing_region.empty()) {
        return refusal(errc::invalid_option,
                       "no region is known, and a signature needs one even with a custom endpoint",
                       "set the option `region`, AWS_REGION, or the region of the profile");
    }
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
    return out;
}

}  // namespace dynalease::aws
