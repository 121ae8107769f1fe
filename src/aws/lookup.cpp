// The order: the environment, then the profile.
// SPDX-License-Identifier: BSL-1.0
#include "aws/lookup.hpp"

#include "aws/refusal.hpp"
#include "aws/text.hpp"

namespace dynalease::aws {

std::optional<found_value> lookup::variable(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
        if (auto value = source_.get(name)) return found_value{std::string{trim(*value)}, std::string{name}};
    }
    return std::nullopt;
}

std::optional<found_value> lookup::property(std::string_view name) const {
    const std::string_view value = value_of(profile_.properties, name);
    if (value.empty()) return std::nullopt;
    return found_value{std::string{value}, std::string{name} + " of profile '" + profile_.location.name + "'"};
}

std::optional<found_value> lookup::either(std::initializer_list<std::string_view> names,
                                          std::string_view property_name) const {
    auto value = variable(names);
    return value ? value : property(property_name);
}

result<bool> lookup::flag(std::initializer_list<std::string_view> names, std::string_view property_name) const {
    const auto value = either(names, property_name);
    const std::string text = value ? lower(value->text) : "false";
    if (text != "true" && text != "false") return malformed(*value, "true or false");
    return text == "true";
}

result<std::string> lookup::endpoint_url(std::string_view variable_name, std::string_view service) const {
    const auto ignored = flag({"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"}, "ignore_configured_endpoint_urls");
    if (!ignored) return ignored.error();
    if (*ignored) return std::string{};
    if (const auto own = variable({variable_name, "AWS_ENDPOINT_URL"})) return own->text;
    if (const auto section = service_endpoint(service)) return section->text;
    const auto common = property("endpoint_url");
    return common ? common->text : std::string{};
}

std::optional<found_value> lookup::service_endpoint(std::string_view service) const {
    const auto section = profile_.services.find(value_of(profile_.properties, "services"));
    if (section == profile_.services.end()) return std::nullopt;
    const auto entry = section->second.find(service);
    if (entry == section->second.end()) return std::nullopt;
    const auto url = entry->second.nested.find("endpoint_url");
    if (url == entry->second.nested.end() || url->second.empty()) return std::nullopt;
    return found_value{url->second, "endpoint_url of services '" + section->first + "'"};
}

failure malformed(const found_value& value, std::string_view expected) {
    return refusal(errc::invalid_option,
                   value.place + " is '" + value.text + "', which is not " + std::string{expected});
}

}  // namespace dynalease::aws
