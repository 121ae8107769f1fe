// The requests of the library as the proxy tells them apart.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <string>

namespace torture {

using http_request = boost::beast::http::request<boost::beast::http::string_body>;
using http_response = boost::beast::http::response<boost::beast::http::string_body>;

enum class traffic {
    session_write,  ///< made, beat, marked dead, closed
    lock_write,     ///< taken, joined, given back, and so on
    look,           ///< a read
};

struct request_facts {
    traffic kind = traffic::look;
    std::string session{};  ///< whose row is written; empty: no session's
    bool several = false;   ///< items are written at once
};

request_facts facts_of(const http_request& request);

}  // namespace torture
