// Parsing of endpoint URLs, and writing them.
// SPDX-License-Identifier: BSL-1.0
#include "aws/endpoint_url.hpp"

#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <charconv>
#include <optional>

namespace dynalease::aws {

namespace {

failure malformed(std::string_view url, std::string_view why) {
    std::string message = "endpoint '";
    message.append(url).append("': ").append(why);
    return refusal(errc::invalid_option, std::move(message), "write it as http://host:port or https://host");
}

bool is_host_name(std::string_view host) noexcept {
    if (host.empty() || host.size() > 253) return false;
    std::size_t label = 0;
    char before = '.';
    for (const char c : host) {
        if (c == '.') {
            if (label == 0 || before == '-') return false;
            label = 0;
        } else if (is_alphanumeric(c) || c == '_' || (c == '-' && label > 0)) {
            if (++label > 63) return false;
        } else {
            return false;
        }
        before = c;
    }
    return before != '-';
}

// The resolver judges the address itself; here only what cannot be one at all is refused.
bool may_be_ipv6(std::string_view host) noexcept {
    for (const char c : host) {
        const char small = lower(c);
        if (!is_digit(c) && !(small >= 'a' && small <= 'f') && c != ':' && c != '.') return false;
    }
    return host.find(':') != std::string_view::npos;
}

std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
    std::uint16_t port = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (problem != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
    return port;
}

}  // namespace

result<endpoint> parse_endpoint_url(std::string_view url) {
    const std::string_view whole = url;
    endpoint out;
    if (url.find('@') != std::string_view::npos) return malformed("(hidden)", "it must hold no user or password");
    const auto scheme_end = url.find("://");
    const std::string scheme = scheme_end == std::string_view::npos ? "" : lower(url.substr(0, scheme_end));
    if (scheme != "http" && scheme != "https") return malformed(whole, "it must start with http:// or https://");
    out.tls = scheme == "https";
    out.port = out.tls ? 443 : 80;
    const std::uint16_t usual_port = out.port;

    url.remove_prefix(scheme_end + 3);
    if (url.ends_with('/')) url.remove_suffix(1);
    if (url.find_first_of("/?#") != std::string_view::npos) return malformed(whole, "it must hold no path or query");

    const bool bracketed = url.starts_with('[');
    const auto host_end = bracketed ? url.find(']') : url.find(':');
    if (bracketed && host_end == std::string_view::npos) return malformed(whole, "a bracket is not closed");
    const std::string_view host = bracketed ? url.substr(1, host_end - 1) : url.substr(0, host_end);
    if (bracketed ? !may_be_ipv6(host) : !is_host_name(host)) return malformed(whole, "the host is malformed");
    out.host = lower(host);

    std::string_view rest = host_end == std::string_view::npos ? "" : url.substr(host_end + (bracketed ? 1 : 0));
    if (!rest.empty()) {
        if (rest.front() != ':') return malformed(whole, "only a port may follow the host");
        const auto port = parse_port(rest.substr(1));
        if (!port) return malformed(whole, "the port must be a number from 1 to 65535");
        out.port = *port;
    }
    out.host_header = bracketed ? '[' + out.host + ']' : out.host;
    if (out.port != usual_port) out.host_header += ':' + std::to_string(out.port);
    return out;
}

std::string endpoint::url() const {
    return (tls ? "https://" : "http://") + host_header;
}

}  // namespace dynalease::aws
