// The only calls of OpenSSL's hashing in the library.
// SPDX-License-Identifier: BSL-1.0
#include "aws/sha256.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

namespace dynalease::aws {

namespace {

void require(int done) {
    if (done != 1) throw std::runtime_error("OpenSSL offers no working SHA-256");
}

// Looking an algorithm up costs more than hashing a small message, so it is done once.
const EVP_MD* algorithm() {
    struct release {
        void operator()(EVP_MD* md) const noexcept { EVP_MD_free(md); }
    };
    static const std::unique_ptr<EVP_MD, release> md{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
    require(md ? 1 : 0);
    return md.get();
}

/// Both digits of each byte.
constexpr auto hex_digits = [] {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<std::array<char, 2>, 256> pairs{};
    for (std::size_t byte = 0; byte < pairs.size(); ++byte) pairs[byte] = {digits[byte >> 4], digits[byte & 15]};
    return pairs;
}();

}  // namespace

void sha256::release::operator()(evp_md_ctx_st* context) const noexcept {
    EVP_MD_CTX_free(context);
}

sha256::sha256() : context_(EVP_MD_CTX_new()) {
    if (!context_) throw std::bad_alloc();
    require(EVP_DigestInit_ex2(context_.get(), algorithm(), nullptr));
}

void sha256::update(std::string_view bytes) {
    require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

digest sha256::finish() {
    digest out;
    require(EVP_DigestFinal_ex(context_.get(), out.data(), nullptr));
    require(EVP_DigestInit_ex2(context_.get(), nullptr, nullptr));  // anew, with the same algorithm
    return out;
}

hmac_key::hmac_key(sha256& hash, std::string_view secret) {
    digest folded;
    if (secret.size() > inner_.size()) {
        folded = hash.of(secret);
        secret = bytes_of(folded);
    }
    inner_.fill('\0');
    std::copy(secret.begin(), secret.end(), inner_.begin());
    outer_ = inner_;
    for (char& c : inner_) c = static_cast<char>(c ^ 0x36);
    for (char& c : outer_) c = static_cast<char>(c ^ 0x5c);
}

hmac_key::~hmac_key() {
    OPENSSL_cleanse(inner_.data(), inner_.size());
    OPENSSL_cleanse(outer_.data(), outer_.size());
}

digest hmac_key::sign(sha256& hash, std::string_view message) const {
    hash.update({inner_.data(), inner_.size()});
    hash.update(message);
    const digest within = hash.finish();
    hash.update({outer_.data(), outer_.size()});
    hash.update(bytes_of(within));
    return hash.finish();
}

std::string_view bytes_of(const digest& hash) noexcept {
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

std::array<char, 64> hex_of(const digest& hash) noexcept {
    std::array<char, 64> text;
    auto at = text.begin();
    for (const unsigned char byte : hash) at = std::ranges::copy(hex_digits[byte], at).out;
    return text;
}

void append_hex(std::string& out, const digest& hash) {
    const auto text = hex_of(hash);
    out.append(text.data(), text.size());
}

}  // namespace dynalease::aws
