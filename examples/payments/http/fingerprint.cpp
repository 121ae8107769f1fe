// SHA-256 by OpenSSL.
// SPDX-License-Identifier: BSL-1.0
#include "payments/http/fingerprint.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <stdexcept>

namespace payments::web {

std::string fingerprint(std::string_view method, std::string_view target, std::string_view body) {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    bool good = digest && EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr) == 1;
    for (const auto part : {method, std::string_view("\n"), target, std::string_view("\n"), body}) {
        good = good && EVP_DigestUpdate(digest.get(), part.data(), part.size()) == 1;
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned size = 0;
    good = good && EVP_DigestFinal_ex(digest.get(), bytes.data(), &size) == 1;
    if (!good) throw std::runtime_error("SHA-256 failed");
    std::string digits;
    for (unsigned i = 0; i < size; ++i) {
        digits += "0123456789abcdef"[bytes[i] >> 4];
        digits += "0123456789abcdef"[bytes[i] & 15];
    }
    return digits;
}

}  // namespace payments::web
