// TLS for clients: which authorities to trust, and why a handshake failed, in words.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/error.hpp>

#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace dynalease::http {

struct tls_options {
    bool verify = true;     ///< the chain and the name
    std::string ca_file{};  ///< PEM, or a directory of such by hash, in place of the system's authorities
};

struct tls_setup {
    std::shared_ptr<boost::asio::ssl::context> context;
    error_code error;  ///< set: `ca_file` cannot be used
};

tls_setup make_tls_context(const tls_options& options);

/// Before the handshake: the name to ask for and, if the context verifies, to insist on. A numeric address is
/// checked against the certificate's addresses. False: it cannot be insisted on, so there must be no handshake.
[[nodiscard]] bool expect_server(SSL* session, std::string host);

/// What OpenSSL knows about a failed handshake.
std::string handshake_problem(SSL* session, const error_code& error);

}  // namespace dynalease::http
