// The fast path of the client: one fixed shape of request, all buffers kept.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/sigv4.hpp>

#include "aws/canonical.hpp"

#include <utility>

namespace dynalease::aws {

namespace {

// The canonical order of DynamoDB's headers is known, so nothing is sorted or copied per header.
constexpr std::string_view signed_names = "content-type;host;x-amz-date;x-amz-target";
constexpr std::string_view signed_names_with_token = "content-type;host;x-amz-date;x-amz-security-token;x-amz-target";

}  // namespace

struct request_signer::state {
    state(std::string a_region, std::string a_service) : region(std::move(a_region)), service(std::move(a_service)) {}

    std::string region;
    std::string service;
    sha256 hash;
    signing_key_cache keys;
    amz_timestamp timestamp{wall_time{}};
    std::string scope;
    std::string canonical;
    std::string to_sign;
    std::string authorization;
};

request_signer::request_signer(std::string region, std::string service)
    : state_(std::make_unique<state>(std::move(region), std::move(service))) {}
request_signer::~request_signer() = default;
request_signer::request_signer(request_signer&&) noexcept = default;
request_signer& request_signer::operator=(request_signer&&) noexcept = default;

request_signer::headers request_signer::sign(const credentials& who, wall_time now, const request& what) {
    state& s = *state_;
    s.timestamp = amz_timestamp{now};
    const std::string_view names = who.session_token.empty() ? signed_names : signed_names_with_token;

    s.canonical.assign("POST\n/\n\ncontent-type:").append(what.content_type);
    s.canonical.append("\nhost:").append(what.host);
    s.canonical.append("\nx-amz-date:").append(s.timestamp.text());
    if (!who.session_token.empty()) s.canonical.append("\nx-amz-security-token:").append(who.session_token);
    s.canonical.append("\nx-amz-target:").append(what.target).append("\n\n").append(names).append("\n");
    append_hex(s.canonical, s.hash.of(what.body));

    s.scope.assign(s.timestamp.date()).append("/").append(s.region).append("/").append(s.service);
    s.scope.append("/aws4_request");
    s.to_sign.assign(signing_algorithm).append("\n").append(s.timestamp.text()).append("\n").append(s.scope);
    s.to_sign.append("\n");
    append_hex(s.to_sign, s.hash.of(s.canonical));

    const signing_scope scope{s.timestamp.date(), s.region, s.service};
    const hmac_key& key = s.keys.get(s.hash, who.secret_access_key, scope);
    s.authorization.assign(signing_algorithm).append(" Credential=").append(who.access_key_id);
    s.authorization.append("/").append(s.scope).append(", SignedHeaders=").append(names).append(", Signature=");
    append_hex(s.authorization, key.sign(s.hash, s.to_sign));
    return {s.timestamp.text(), s.authorization};
}

}  // namespace dynalease::aws
