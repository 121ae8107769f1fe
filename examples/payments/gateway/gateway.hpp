// The payment gateway as the payment system sees it: somebody else's service, over a network that loses answers.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/charge.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace payments {

/// It charges once for each key, however often it is asked. Where nothing comes back, it may have charged all the same.
class gateway {
public:
    gateway() = default;
    gateway(const gateway&) = delete;
    gateway& operator=(const gateway&) = delete;
    virtual ~gateway() = default;

    /// Charges, and waits for the outcome. Empty: no answer came.
    virtual boost::asio::awaitable<std::optional<charge_answer>> charge(charge_order order) = 0;
    /// Has it charged; the outcome is delivered later. @returns whether the gateway has said that it will.
    virtual boost::asio::awaitable<bool> submit(charge_order order) = 0;

    struct enquiry {
        enum class kind { no_answer, unknown, known } is = kind::no_answer;  ///< unknown: it was never asked to charge
        charge_answer outcome{};
    };
    virtual boost::asio::awaitable<enquiry> ask(std::string key) = 0;
};

}  // namespace payments
