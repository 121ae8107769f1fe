// The canonical form of a request and the string that is signed: what signer and verifier must agree on byte by byte.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/sigv4.hpp>

#include "aws/sha256.hpp"
#include "aws/signing_key.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace dynalease::aws {

inline constexpr std::string_view signing_algorithm = "AWS4-HMAC-SHA256";

struct canonical_form {
    std::string text;
    std::string signed_headers;  ///< lower-case names, sorted, joined by `;`
};

/// @param headers those to sign, in order of appearance; names in any case, names may repeat
canonical_form canonicalize(const request_view& request, std::vector<header_view> headers, bool normalize_path,
                            std::string_view body_hash);

/// With every byte but the unreserved ones of RFC 3986 escaped.
std::string percent_encoded(std::string_view text);

/// False for headers that proxies and HTTP itself change on the way.
bool is_signable(std::string_view name);

/// `20260301/us-east-1/dynamodb/aws4_request`
std::string credential_scope(const signing_scope& scope);

std::string string_to_sign(sha256& hash, std::string_view timestamp, std::string_view scope,
                           std::string_view canonical_request);

}  // namespace dynalease::aws
