// AWS Signature Version 4: signing of any request, and of DynamoDB's own shape at speed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/aws/timestamp.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::aws {

struct header_view {
    std::string_view name;
    std::string_view value;
};

/// A request as it is on the wire: `path` and `query` with the escapes they are sent with.
struct request_view {
    std::string_view method = "POST";
    std::string_view path = "/";
    std::string_view query{};
    std::vector<header_view> headers{};
    std::string_view body{};
};

struct sigv4_options {
    std::string region;
    std::string service = "dynamodb";
    /// Resolve `.`, `..` and double slashes of the path. All services but S3 want it.
    bool normalize_path = true;
    /// Add and sign `x-amz-content-sha256`. DynamoDB needs none.
    bool body_hash_header = false;
    /// Sign the session token's header. Some services want it added unsigned; DynamoDB wants it signed.
    bool sign_session_token = true;
};

struct sigv4_signature {
    struct header {
        std::string name;
        std::string value;
    };
    std::string canonical_request;
    std::string string_to_sign;
    std::string signature;
    /// What to add to the request: `X-Amz-Date`, the token and body hash if asked for, `Authorization` last.
    std::vector<header> added;
};

/// Signs any request; its headers include `Host`. Signs every header but those that change on the way, such as
/// `Connection` and `User-Agent`.
sigv4_signature sigv4_sign(const request_view& request, const credentials& who, wall_time now,
                           const sigv4_options& options);

/// Signs `POST /` requests with the headers content-type, host, x-amz-date, x-amz-target and, with a session token,
/// x-amz-security-token: all of these must be sent exactly as given here. Keeps the day's signing key and its buffers,
/// so that a signature costs a few passes of SHA-256 and no allocation. Not for two threads at once.
class request_signer {
public:
    struct request {
        std::string_view host;  ///< the `Host` header: with the port, where it is not the scheme's own
        std::string_view content_type;
        std::string_view target;
        std::string_view body;
    };
    /// Valid until the next `sign`.
    struct headers {
        std::string_view amz_date;
        std::string_view authorization;
    };

    explicit request_signer(std::string region, std::string service = "dynamodb");
    ~request_signer();
    request_signer(request_signer&&) noexcept;
    request_signer& operator=(request_signer&&) noexcept;

    /// The values hold no leading, trailing or double blanks.
    headers sign(const credentials& who, wall_time now, const request& what);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace dynalease::aws
#pragma GCC visibility pop
