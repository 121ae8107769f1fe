// HMAC-SHA-256 by OpenSSL.
// SPDX-License-Identifier: BSL-1.0
#include "payments/gateway/answer_signature.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace payments {

namespace {

constexpr std::string_view before_time = "t=";

std::string hmac(const std::string& secret, const std::string& text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    unsigned size = 0;
    const auto* data = reinterpret_cast<const unsigned char*>(text.data());
    const auto length = static_cast<int>(secret.size());
    if (!HMAC(EVP_sha256(), secret.data(), length, data, text.size(), bytes.data(), &size)) {
        throw std::runtime_error("HMAC-SHA-256 failed");
    }
    std::string digits;
    for (unsigned i = 0; i < size; ++i) {
        digits += "0123456789abcdef"[bytes[i] >> 4];
        digits += "0123456789abcdef"[bytes[i] & 15];
    }
    return digits;
}

}  // namespace

answer_signature::answer_signature(std::string secret) : secret_(std::move(secret)) {
    if (secret_.size() < 32) throw std::invalid_argument("the gateway's secret must have at least 32 characters");
}

answer_signature answer_signature::by_environment() {
    const char* secret = std::getenv(variable);
    if (!secret) throw std::invalid_argument(std::string(variable) + " is not set");
    return answer_signature(secret);
}

std::string answer_signature::sign(std::string_view body, std::chrono::sys_seconds now) const {
    const auto time = std::to_string(now.time_since_epoch().count());
    return std::string(before_time) + time + ",v1=" + hmac(secret_, time + "." + std::string(body));
}

bool answer_signature::signs(std::string_view text, std::string_view body, std::chrono::sys_seconds now) const {
    if (!text.starts_with(before_time)) return false;
    std::int64_t seconds = 0;
    const auto* const begin = text.data() + before_time.size();
    const auto [end, failure] = std::from_chars(begin, text.data() + text.size(), seconds);
    if (failure != std::errc{}) return false;
    const std::chrono::sys_seconds made{std::chrono::seconds(seconds)};
    if (made < now - good_for || made > now + good_for) return false;
    // Made anew and compared as a whole, in a time that does not tell how much of it was right.
    const auto right = sign(body, made);
    return right.size() == text.size() && CRYPTO_memcmp(right.data(), text.data(), right.size()) == 0;
}

}  // namespace payments
