// Proxies: their URLs, and the hosts that go without.
// SPDX-License-Identifier: BSL-1.0
#include "aws/proxy.hpp"

#include "aws/endpoint_url.hpp"
#include "aws/refusal.hpp"
#include "aws/text.hpp"

#include <openssl/evp.h>

#include <string_view>
#include <utility>

namespace dynalease::aws {

namespace {

failure malformed(const std::string& place, std::string_view why) {
    return refusal(errc::invalid_option, place + ": " + std::string(why),
                   "write it as http://host:port or http://user:password@host:port");
}

std::optional<int> hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    constexpr int ten = 10;
    const char small = lower(c);
    if (small >= 'a' && small <= 'f') return small - 'a' + ten;
    return std::nullopt;
}

/// Empty for an escape that is none.
std::optional<std::string> unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain.push_back(text[i]);
            continue;
        }
        const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
        const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
        if (!high || !low) return std::nullopt;
        constexpr int base = 16;
        plain.push_back(static_cast<char>(*high * base + *low));
        i += 2;
    }
    return plain;
}

std::string base64(const std::string& text) {
    constexpr std::size_t group = 3;
    std::string out((text.size() + group - 1) / group * (group + 1) + 1, '\0');
    const auto size =
        ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                          reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    out.resize(static_cast<std::size_t>(size));
    return out;
}

result<proxy> parse_proxy(std::string_view url, const std::string& place) {
    constexpr std::string_view http = "http://";
    if (lower(url.substr(0, 8)) == "https://")
        return malformed(place, "a proxy that wants TLS itself is not supported");
    if (lower(url.substr(0, http.size())) == http) url.remove_prefix(http.size());
    // A password may hold anything that no escape is needed for.
    const auto other = url.substr(0, url.find("://"));
    if (other.size() < url.size() && other.find_first_of(":@/") == other.npos) {
        return malformed(place, "a proxy of the kind \"" + std::string(other) + "\" is not supported");
    }
    proxy out;
    if (const auto at = url.rfind('@'); at != std::string_view::npos) {
        const auto who = unescaped(url.substr(0, at));
        if (!who) return malformed(place, "an escape in its user is none");
        out.authorization = "Basic " + base64(*who);
        url.remove_prefix(at + 1);
    }
    const auto where = parse_endpoint_url(std::string(http) + std::string(url));
    if (!where) return malformed(place, where.error().details.message);
    out.host = where->host;
    out.port = where->port;
    return out;
}

/// Numeric addresses of this machine and of its link, and the name of the former.
bool is_nearby(std::string_view host) {
    return host == "localhost" || host.starts_with("127.") || host == "::1" || host.starts_with("169.254.") ||
           host.starts_with("fe80:") || host.starts_with("fd00:ec2:");
}

/// @param entry "example.com", ".example.com", "*.example.com", with or without a port; "*" is all of them.
bool is_named_by(std::string_view entry, const endpoint& to) {
    if (entry == "*") return true;
    std::string named = lower(entry);
    const std::string port = ":" + std::to_string(to.port);
    const bool is_one_colon = named.find(':') == named.rfind(':');
    if (named.starts_with('[')) {
        const auto end = named.find(']');
        const std::string rest = end == std::string::npos ? "" : named.substr(end + 1);
        if (!rest.empty() && rest != port) return false;
        return named.substr(1, end == std::string::npos ? end : end - 1) == to.host;
    }
    if (is_one_colon && named.find(':') != std::string::npos) {
        if (!named.ends_with(port)) return false;
        named.resize(named.size() - port.size());
    }
    if (named.starts_with("*")) named.erase(0, 1);
    if (named.starts_with(".")) named.erase(0, 1);
    return !named.empty() && (to.host == named || to.host.ends_with("." + named));
}

bool is_exempt(const endpoint& to, std::string_view names) {
    while (!names.empty()) {
        const auto end = names.find_first_of(", ");
        const std::string_view entry = trim(names.substr(0, end));
        if (!entry.empty() && is_named_by(entry, to)) return true;
        names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    }
    return false;
}

/// As most programs have it, who take the small letters first.
std::pair<std::string, std::string> variable(const config_source& source, const char* small, const char* large) {
    if (auto found = source.get(small)) return {*std::move(found), small};
    return {source.get(large).value_or(""), large};
}

}  // namespace

result<std::optional<proxy>> resolve_proxy(const endpoint& to, const std::string& chosen, const config_source& source) {
    constexpr std::string_view none = "none";
    const std::optional<proxy> direct;
    if (!to.tls || is_nearby(to.host) || chosen == none) return direct;
    std::string url = chosen;
    std::string place = "the option `proxy`";
    if (url.empty()) {
        std::tie(url, place) = variable(source, "https_proxy", "HTTPS_PROXY");
        if (url.empty() || is_exempt(to, variable(source, "no_proxy", "NO_PROXY").first)) return direct;
    }
    auto found = parse_proxy(trim(url), place);
    if (!found) return std::move(found).error();
    return std::optional<proxy>(*std::move(found));
}

}  // namespace dynalease::aws
