// Derivation and cache of the signing key.
// SPDX-License-Identifier: BSL-1.0
#include "aws/signing_key.hpp"

#include <openssl/crypto.h>

namespace dynalease::aws {

hmac_key derive_signing_key(sha256& hash, std::string_view secret, const signing_scope& scope) {
    std::string start = "AWS4";
    start += secret;
    digest step = hmac_key(hash, start).sign(hash, scope.date);
    OPENSSL_cleanse(start.data(), start.size());
    for (const std::string_view part : {scope.region, scope.service, std::string_view{"aws4_request"}}) {
        step = hmac_key(hash, bytes_of(step)).sign(hash, part);
    }
    hmac_key key(hash, bytes_of(step));
    OPENSSL_cleanse(step.data(), step.size());
    return key;
}

signing_key_cache::~signing_key_cache() {
    OPENSSL_cleanse(secret_.data(), secret_.size());
}

const hmac_key& signing_key_cache::get(sha256& hash, std::string_view secret, const signing_scope& scope) {
    const bool known =
        key_ && date_ == scope.date && secret_ == secret && region_ == scope.region && service_ == scope.service;
    if (!known) {
        key_ = derive_signing_key(hash, secret, scope);
        secret_ = secret;
        date_ = scope.date;
        region_ = scope.region;
        service_ = scope.service;
    }
    return *key_;
}

}  // namespace dynalease::aws
