// The rules of container credentials.
// SPDX-License-Identifier: BSL-1.0
#include "aws/container.hpp"

#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace dynalease::aws {

namespace {

constexpr std::string_view relative_variable = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
constexpr std::string_view full_variable = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
constexpr std::string_view token_variable = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
constexpr std::string_view token_file_variable = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";

// 127.0.0.0/8, in full decimal form only.
bool is_loopback_v4(std::string_view host) noexcept {
    unsigned parts = 0;
    const char* at = host.data();
    const char* const end = at + host.size();
    for (; at != end; ++parts) {
        unsigned char part = 0;
        const auto [stop, problem] = std::from_chars(at, end, part);
        if (problem != std::errc{} || parts == 4 || (stop != end && *stop != '.')) return false;
        at = stop == end || stop + 1 == end ? end : stop + 1;
    }
    return parts == 4 && host.starts_with("127.") && host.back() != '.';
}

bool may_be_asked_openly(std::string_view host) noexcept {
    constexpr std::array<std::string_view, 5> allowed{"localhost", "::1", "169.254.170.2", "169.254.170.23",
                                                      "fd00:ec2::23"};
    for (const auto known : allowed) {
        if (host == known) return true;
    }
    return is_loopback_v4(host);
}

result<std::string> token(const config_source& config) {
    std::string text;
    std::string place;
    if (const auto path = config.get(token_file_variable)) {
        place = *path + " (" + std::string{token_file_variable} + ")";
        auto content = config.file(*path);
        if (!content) return content.error();
        if (!*content) return refusal(errc::no_credentials, "there is no file " + place);
        text = trim(**content);
    } else if (const auto direct = config.get(token_variable)) {
        place = token_variable;
        text = *direct;
    }
    if (text.find_first_of("\r\n") != std::string::npos) {
        return refusal(errc::no_credentials, "the token of " + place + " holds a line end");
    }
    return text;
}

result<web_request> place_of_keys(const config_source& config, const std::optional<std::string>& relative) {
    if (relative) {
        const bool rooted = relative->starts_with('/');
        return parse_web_url("http://169.254.170.2" + (rooted ? *relative : '/' + *relative), relative_variable);
    }
    auto out = parse_web_url(*config.get(full_variable), full_variable);
    if (out && !out->to.tls && !may_be_asked_openly(out->to.host)) {
        return refusal(errc::no_credentials,
                       std::string{full_variable} + " names host '" + out->to.host +
                           "', which must not be asked for keys over plain HTTP",
                       "use https, or the address of this machine or of the container agent");
    }
    return out;
}

}  // namespace

result<std::optional<web_request>> container_request(const config_source& config) {
    const auto relative = config.get(relative_variable);
    if (!relative && !config.get(full_variable)) return std::optional<web_request>{};
    auto out = place_of_keys(config, relative);
    if (!out) return std::move(out).error();
    auto authorization = token(config);
    if (!authorization) {
        failure why = std::move(authorization).error();
        why.code = make_error_code(errc::no_credentials);
        return why;
    }
    out->headers.push_back({"Accept", "application/json"});
    if (!authorization->empty()) out->headers.push_back({"Authorization", *std::move(authorization)});
    return std::optional{*std::move(out)};
}

}  // namespace dynalease::aws
