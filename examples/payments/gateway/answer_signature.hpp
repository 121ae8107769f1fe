// By what an answer is known for the gateway's: it signs what it delivers, with a secret that it shares with us.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace payments {

class answer_signature {
public:
    /// The field of the request that bears it.
    static constexpr const char* field = "Gateway-Signature";
    /// Where processes find the secret.
    static constexpr const char* variable = "PAYMENTS_GATEWAY_SECRET";
    /// For how long it is good, and how far the clocks may differ. Within that the inbox drops what comes again.
    static constexpr std::chrono::minutes good_for{5};

    /// @throws std::invalid_argument for a secret of less than 32 characters
    explicit answer_signature(std::string secret);
    /// With the secret of the environment. @throws std::invalid_argument, as above, or where there is none
    static answer_signature by_environment();

    /// "t=<seconds since 1970>,v1=<HMAC-SHA-256 of "<t>.<body>", in hexadecimal digits>"
    std::string sign(std::string_view body, std::chrono::sys_seconds now) const;
    /// Whether the text was made by `sign`, with this secret, of this body, and is still good.
    bool signs(std::string_view text, std::string_view body, std::chrono::sys_seconds now) const;

private:
    std::string secret_;
};

}  // namespace payments
