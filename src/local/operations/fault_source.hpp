// Drawing the faults that a request meets.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/local/fault_rates.hpp>

#include <optional>
#include <random>

namespace dynalease::local {

class fault_source {
public:
    fault_source() = default;
    explicit fault_source(const fault_rates& rates) : rates_(rates), engine_(rates.seed) {}

    struct fate {
        std::optional<failure> before{};  ///< answer this instead of carrying out the request
        std::optional<failure> after{};   ///< answer this although it was carried out
    };
    fate next(const any_request& request);

private:
    bool happens(double rate) { return rate > 0 && std::uniform_real_distribution<double>(0, 1)(engine_) < rate; }

    fault_rates rates_{};
    std::mt19937_64 engine_{};
};

}  // namespace dynalease::local
