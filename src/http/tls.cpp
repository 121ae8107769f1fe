// Room http: TLS contexts and handshake errors.
#include "http/tls.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/verify_mode.hpp>

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace dynalease::http {

namespace ssl = boost::asio::ssl;

tls_setup make_tls_context(const tls_options& options) {
    tls_setup setup{std::make_shared<ssl::context>(ssl::context::tls_client), {}};
    SSL_CTX_set_min_proto_version(setup.context->native_handle(), TLS1_2_VERSION);
    setup.context->set_verify_mode(options.verify ? ssl::verify_peer : ssl::verify_none);
    if (options.ca_file.empty()) {
        setup.context->set_default_verify_paths(setup.error);
    } else {
        setup.context->load_verify_file(options.ca_file, setup.error);
    }
    return setup;
}

void expect_server(SSL* session, const std::string& host) {
    error_code not_numeric;
    boost::asio::ip::make_address(host, not_numeric);
    if (not_numeric) SSL_set_tlsext_host_name(session, host.c_str());  // RFC 6066 has no addresses in SNI
    SSL_set1_host(session, host.c_str());
}

std::string handshake_problem(SSL* session, const error_code& error) {
    const auto verdict = SSL_get_verify_result(session);
    if (verdict != X509_V_OK) {
        return std::string("the server's certificate was refused: ") + X509_verify_cert_error_string(verdict);
    }
    return "the TLS handshake failed: " + error.message();
}

}  // namespace dynalease::http
