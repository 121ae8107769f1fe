// Settings and paths of the instance metadata service.
// SPDX-License-Identifier: BSL-1.0
#include "aws/imds.hpp"

#include "aws/lookup.hpp"
#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dynalease::aws {

namespace {

constexpr std::string_view extended_path = "/latest/meta-data/iam/security-credentials-extended";
constexpr std::string_view old_path = "/latest/meta-data/iam/security-credentials";

/// It becomes part of a request line.
bool is_role_name(std::string_view text) {
    const auto fits = [](unsigned char c) { return c > ' ' && c < 127 && c != '/' && c != '?' && c != '#'; };
    return !text.empty() && std::ranges::all_of(text, fits);
}

result<std::string> default_url(const lookup& look) {
    const auto mode = look.either({"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"}, "ec2_metadata_service_endpoint_mode");
    const std::string name = mode ? lower(mode->text) : "ipv4";
    if (name == "ipv4") return std::string{"http://169.254.169.254"};
    if (name == "ipv6") return std::string{"http://[fd00:ec2::254]"};
    return refusal(errc::invalid_option, mode->place + " is '" + mode->text + "', which is not IPv4 or IPv6");
}

/// Empty if it is nowhere.
result<std::optional<unsigned>> number_of(const lookup& look, std::string_view variable, std::string_view property) {
    std::optional<unsigned> number;
    const auto value = look.either({variable}, property);
    if (!value) return number;
    unsigned count = 0;
    const char* const end = value->text.data() + value->text.size();
    const auto [stop, problem] = std::from_chars(value->text.data(), end, count);
    constexpr unsigned most = 3600;
    if (problem != std::errc{} || stop != end || count == 0 || count > most) {
        return malformed(*value, "a number from 1 to 3600");
    }
    number = count;
    return number;
}

}  // namespace

result<imds_settings> resolve_imds(const config_source& config, const profile& within) {
    const lookup look{config, within};
    imds_settings out;
    out.disabled = lower(config.get("AWS_EC2_METADATA_DISABLED").value_or("")) == "true";
    auto url = default_url(look);
    if (!url) return std::move(url).error();
    const auto chosen = look.either({"AWS_EC2_METADATA_SERVICE_ENDPOINT"}, "ec2_metadata_service_endpoint");
    auto where = parse_web_url(chosen ? chosen->text : *url, chosen ? chosen->place : "the default");
    if (!where) {
        failure why = std::move(where).error();
        why.code = make_error_code(errc::invalid_option);
        return why;
    }
    out.where = std::move(where->to);
    const auto limit = number_of(look, "AWS_METADATA_SERVICE_TIMEOUT", "metadata_service_timeout");
    if (!limit) return limit.error();
    if (*limit) out.limit = std::chrono::seconds(**limit);
    const auto attempts = number_of(look, "AWS_METADATA_SERVICE_NUM_ATTEMPTS", "metadata_service_num_attempts");
    if (!attempts) return attempts.error();
    out.attempts = *attempts;
    if (const auto role = look.either({"AWS_EC2_INSTANCE_PROFILE_NAME"}, "ec2_instance_profile_name")) {
        if (!is_role_name(role->text)) return malformed(*role, "a name without blanks and slashes");
        out.role = role->text;
    }
    return out;
}

web_request imds_token_request(const imds_settings& settings) {
    web_request out;
    out.to = settings.where;
    out.method = "PUT";
    out.target = "/latest/api/token";
    out.headers.push_back({"X-aws-ec2-metadata-token-ttl-seconds", "21600"});
    return out;
}

web_request imds_get(const imds_settings& settings, std::string path, const std::string& token) {
    web_request out;
    out.to = settings.where;
    out.target = std::move(path);
    out.headers.push_back({"X-aws-ec2-metadata-token", token});
    return out;
}

std::string imds_path::path() const {
    std::string out{old_ ? old_path : extended_path};
    if (!role_.empty()) out.append("/").append(role_);
    return out;
}

imds_path::step imds_path::answered(unsigned status, std::string_view body) {
    if (status == 404) return absent();
    settled_ = true;
    if (!role_.empty()) return step::keys;
    role_ = trim(body.substr(0, body.find('\n')));
    listed_ = true;
    const bool usable = is_role_name(role_);
    if (!usable) role_.clear();
    return usable ? step::ask_again : step::no_role;
}

imds_path::step imds_path::absent() {
    if (!settled_ && !old_) {
        old_ = true;
        return step::ask_again;
    }
    if (!chosen_ && !role_.empty() && !listed_) {
        role_.clear();  // the instance has been given another role
        return step::ask_again;
    }
    if (!chosen_) role_.clear();
    settled_ = old_ = false;
    return step::no_role;
}

}  // namespace dynalease::aws
