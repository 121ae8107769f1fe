// Test support: a small certificate authority on OpenSSL.
// SPDX-License-Identifier: BSL-1.0
#include "support/certificates.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>

namespace support {

namespace {

struct freer {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
using key_pointer = std::unique_ptr<EVP_PKEY, freer>;
using certificate_pointer = std::unique_ptr<X509, freer>;

constexpr long day = 24 * 60 * 60;

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, freer> extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    if (!extension) throw std::runtime_error("certificate extension");
    X509_add_ext(certificate, extension.get(), -1);
}

certificate_pointer blank(EVP_PKEY* key, const char* name, int first_day, int last_day) {
    static std::atomic<long> serial{1};
    certificate_pointer certificate(X509_new());
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), first_day * day);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), last_day * day);
    X509_set_pubkey(certificate.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
    return certificate;
}

}  // namespace

struct authority::keys {
    key_pointer key{EVP_EC_gen("P-256")};
    certificate_pointer certificate;
};

authority::authority() : keys_(std::make_unique<keys>()) {
    static std::atomic<int> made{0};
    const auto own_name = "Test authority " + std::to_string(++made);  // issuers are looked up by name
    keys_->certificate = blank(keys_->key.get(), own_name.c_str(), -1, 1);
    auto* own = keys_->certificate.get();
    X509_set_issuer_name(own, X509_get_subject_name(own));
    extend(own, own, NID_basic_constraints, "critical,CA:TRUE");
    extend(own, own, NID_key_usage, "critical,keyCertSign");
    X509_sign(own, keys_->key.get(), EVP_sha256());

    char name[] = "/tmp/dynalease-authority-XXXXXX";
    const int descriptor = ::mkstemp(name);
    auto* file = ::fdopen(descriptor, "w");
    PEM_write_X509(file, own);
    std::fclose(file);
    pem_file_ = name;
}

authority::~authority() {
    ::unlink(pem_file_.c_str());
}

std::shared_ptr<boost::asio::ssl::context> authority::server_for(const std::string& name, int first_day,
                                                                 int last_day) const {
    const key_pointer key(EVP_EC_gen("P-256"));
    const auto certificate = blank(key.get(), "Test server", first_day, last_day);
    auto* issuer = keys_->certificate.get();
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
    boost::system::error_code not_numeric;
    boost::asio::ip::make_address(name, not_numeric);
    extend(certificate.get(), issuer, NID_subject_alt_name, (not_numeric ? "DNS:" : "IP:") + name);
    X509_sign(certificate.get(), keys_->key.get(), EVP_sha256());

    auto context = std::make_shared<boost::asio::ssl::context>(boost::asio::ssl::context::tls_server);
    SSL_CTX_use_certificate(context->native_handle(), certificate.get());
    SSL_CTX_use_PrivateKey(context->native_handle(), key.get());
    return context;
}

}  // namespace support
