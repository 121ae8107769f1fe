// The server's side of SigV4: is this request signed by the one key pair we know, and just now?
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/aws/credentials.hpp>
#include <dynalease/aws/sigv4.hpp>
#include <dynalease/aws/timestamp.hpp>

#include <chrono>
#include <memory>
#include <string>

#pragma GCC visibility push(default)
namespace dynalease::aws {

enum class signature_verdict {
    ok,
    missing,          ///< no Authorization header of Signature Version 4
    incomplete,       ///< a part of the header, or the date, is not there or malformed
    unknown_key,      ///< another access key, or another session token
    wrong_signature,  ///< another secret, another body or header, or a scope that is not this service's
    expired,          ///< signed too long ago
    not_yet_current,  ///< signed too far in the future
};

struct signature_check {
    signature_verdict verdict = signature_verdict::ok;
    std::string error{};    ///< DynamoDB's name for it: "InvalidSignatureException"; empty when ok
    std::string message{};  ///< DynamoDB's words
};

/// Accepts every region, as the endpoint of a test server is nowhere. Keeps the signing key of the last scope seen.
/// Not for two threads at once.
class signature_verifier {
public:
    explicit signature_verifier(credentials accepted, std::string service = "dynamodb",
                                std::chrono::minutes window = std::chrono::minutes{5});
    ~signature_verifier();
    signature_verifier(signature_verifier&&) noexcept;
    signature_verifier& operator=(signature_verifier&&) noexcept;

    signature_check check(const request_view& request, wall_time now);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace dynalease::aws
#pragma GCC visibility pop
