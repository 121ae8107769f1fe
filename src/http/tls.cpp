// Room http: TLS contexts and handshake errors.
// SPDX-License-Identifier: BSL-1.0
#include "http/tls.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/verify_mode.hpp>

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <system_error>

namespace dynalease::http {

namespace asio = boost::asio;
namespace ssl = asio::ssl;

tls_setup make_tls_context(const tls_options& options) {
    tls_setup setup{std::make_shared<ssl::context>(ssl::context::tls_client), {}};
    auto* const native = setup.context->native_handle();
    if (SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) != 1) {
        setup.error = asio::error::no_memory;
        return setup;
    }
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION);
    X509_VERIFY_PARAM_set_hostflags(SSL_CTX_get0_param(native), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    setup.context->set_verify_mode(options.verify ? ssl::verify_peer : ssl::verify_none);
    if (options.ca_file.empty()) {
        setup.context->set_default_verify_paths(setup.error);
    } else if (std::error_code ignored; std::filesystem::is_directory(options.ca_file, ignored)) {
        setup.context->add_verify_path(options.ca_file, setup.error);
    } else {
        setup.context->load_verify_file(options.ca_file, setup.error);
    }
    return setup;
}

bool expect_server(SSL* session, std::string host) {
    if (host.ends_with('.')) host.pop_back();  // that it is a whole name is the resolver's matter, not the certificate's
    if (host.empty()) return false;
    error_code not_numeric;
    asio::ip::make_address(host, not_numeric);
    // RFC 6066 has no addresses in SNI.
    if (not_numeric && SSL_set_tlsext_host_name(session, host.c_str()) != 1) return false;
    return SSL_set1_host(session, host.c_str()) == 1;
}

std::string handshake_problem(SSL* session, const error_code& error) {
    const auto verdict = SSL_get_verify_result(session);
    if (verdict != X509_V_OK) {
        return std::string("the server's certificate was refused: ") + X509_verify_cert_error_string(verdict);
    }
    return "the TLS handshake failed: " + error.message();
}

}  // namespace dynalease::http
