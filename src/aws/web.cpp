// URLs with a path, and foreign words in errors.
// SPDX-License-Identifier: BSL-1.0
#include "aws/web.hpp"

#include "aws/endpoint_url.hpp"
#include "aws/refusal.hpp"

#include <algorithm>

namespace dynalease::aws {

result<web_request> parse_web_url(std::string_view url, std::string_view name) {
    const auto scheme = url.find("://");
    const auto host = scheme == std::string_view::npos ? 0 : scheme + 3;
    const auto path = std::min(url.find_first_of("/?#", host), url.size());
    auto server = parse_endpoint_url(url.substr(0, path));
    const auto target = url.substr(path, url.find('#') - path);
    const auto is_plain = [](unsigned char c) { return c > ' ' && c < 127; };
    if (!server || !std::all_of(target.begin(), target.end(), is_plain)) {
        return refusal(errc::no_credentials,
                       std::string{name} + " is no URL" + (server ? "" : ": " + server.error().details.message),
                       "write it as http://host:port/path or https://host/path");
    }
    web_request out;
    out.to = *std::move(server);
    out.target = target.starts_with('/') ? std::string{target} : '/' + std::string{target};
    return out;
}

std::string printable(std::string_view text) {
    constexpr std::size_t longest = 300;
    std::string out;
    for (const char c : text.substr(0, longest)) out += c >= ' ' && c < 127 ? c : ' ';
    if (text.size() > longest) out += "...";
    return out;
}

}  // namespace dynalease::aws
