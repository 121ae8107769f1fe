// The general signer: any method, path, query and headers.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/aws/sigv4.hpp>

#include "aws/canonical.hpp"

#include <utility>

namespace dynalease::aws {

sigv4_signature sigv4_sign(const request_view& request, const credentials& who, wall_time now,
                           const sigv4_options& options) {
    sha256 hash;
    const amz_timestamp timestamp{now};
    std::string body_hash;
    append_hex(body_hash, hash.of(request.body));

    std::vector<header_view> to_sign;
    for (const header_view& header : request.headers) {
        if (is_signable(header.name)) to_sign.push_back(header);
    }
    to_sign.push_back({"X-Amz-Date", timestamp.text()});
    if (options.body_hash_header) to_sign.push_back({"X-Amz-Content-Sha256", body_hash});
    if (!who.session_token.empty() && options.sign_session_token) {
        to_sign.push_back({"X-Amz-Security-Token", who.session_token});
    }

    canonical_form form = canonicalize(request, std::move(to_sign), options.normalize_path, body_hash);
    const signing_scope scope{timestamp.date(), options.region, options.service};
    const std::string scope_text = credential_scope(scope);

    sigv4_signature out;
    out.canonical_request = std::move(form.text);
    out.string_to_sign = string_to_sign(hash, timestamp.text(), scope_text, out.canonical_request);
    const hmac_key key = derive_signing_key(hash, who.secret_access_key, scope);
    append_hex(out.signature, key.sign(hash, out.string_to_sign));

    if (!who.session_token.empty()) out.added.push_back({"X-Amz-Security-Token", who.session_token});
    out.added.push_back({"X-Amz-Date", std::string{timestamp.text()}});
    if (options.body_hash_header) out.added.push_back({"X-Amz-Content-Sha256", body_hash});
    std::string authorization{signing_algorithm};
    authorization.append(" Credential=").append(who.access_key_id).append("/").append(scope_text);
    authorization.append(", SignedHeaders=").append(form.signed_headers);
    authorization.append(", Signature=").append(out.signature);
    out.added.push_back({"Authorization", std::move(authorization)});
    return out;
}

}  // namespace dynalease::aws
