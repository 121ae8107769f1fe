// The signing key of SigV4: derived from the secret, the UTC day, the region and the service, and kept.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "aws/sha256.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace dynalease::aws {

struct signing_scope {
    std::string_view date;  ///< YYYYMMDD
    std::string_view region;
    std::string_view service;
};

hmac_key derive_signing_key(sha256& hash, std::string_view secret, const signing_scope& scope);

/// Remembers the last key. One client signs for one scope a day, so one is enough; a new secret replaces the old one.
class signing_key_cache {
public:
    signing_key_cache() = default;
    signing_key_cache(signing_key_cache&&) = default;
    signing_key_cache& operator=(signing_key_cache&&) = default;
    ~signing_key_cache();

    const hmac_key& get(sha256& hash, std::string_view secret, const signing_scope& scope);

private:
    std::string secret_;
    std::string date_;
    std::string region_;
    std::string service_;
    std::optional<hmac_key> key_;
};

}  // namespace dynalease::aws
