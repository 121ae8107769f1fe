// One request to a service that hands out keys, and its answer: what is decided here, and sent elsewhere.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/endpoint.hpp>
#include <dynalease/aws/sigv4.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace dynalease::aws {

struct web_request {
    using header = sigv4_signature::header;

    endpoint to;
    std::string method = "GET";
    std::string target = "/";       ///< path and query, with the escapes they are sent with
    std::vector<header> headers{};  ///< without Host and Content-Length
    std::string body{};

    std::string url() const { return to.url() + target; }
};

struct web_answer {
    unsigned status = 0;
    std::string body{};
    std::string date{};  ///< the header
};

/// `http(s)://host[:port][/path][?query]`, as a GET.
/// @returns `errc::no_credentials` with `name` in the message, if it is none
result<web_request> parse_web_url(std::string_view url, std::string_view name);

/// Text of another service, fit for an error of ours: short, and one line.
std::string printable(std::string_view text);

}  // namespace dynalease::aws
