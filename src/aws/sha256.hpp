// SHA-256 and HMAC over OpenSSL's EVP, arranged so that a signature costs no allocation and no algorithm look-up.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace dynalease::aws {

using digest = std::array<unsigned char, 32>;

/// One reusable hashing context. Not for two threads at once.
class sha256 {
public:
    sha256();

    void update(std::string_view bytes);
    /// The hash of all updates since the last `finish`.
    digest finish();
    digest of(std::string_view bytes) {
        update(bytes);
        return finish();
    }

private:
    struct release {
        void operator()(evp_md_ctx_st* context) const noexcept;
    };

    std::unique_ptr<evp_md_ctx_st, release> context_;
};

/// A key for HMAC-SHA-256, kept as its two padded blocks. Hashing a block anew is cheaper than copying an EVP context
/// that has hashed it already, because the copy allocates.
class hmac_key {
public:
    hmac_key(sha256& hash, std::string_view secret);
    hmac_key(const hmac_key&) = default;
    hmac_key& operator=(const hmac_key&) = default;
    ~hmac_key();

    digest sign(sha256& hash, std::string_view message) const;

private:
    using block = std::array<char, 64>;
    block inner_;
    block outer_;
};

std::string_view bytes_of(const digest& hash) noexcept;
std::array<char, 64> hex_of(const digest& hash) noexcept;
void append_hex(std::string& out, const digest& hash);

}  // namespace dynalease::aws
