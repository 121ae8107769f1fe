// Customers who each make an intent, charge it, and change their minds about the amount meanwhile.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/http/client.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace payments::demo {

/// What one of them knows in the end: what was acknowledged must be so.
struct customer {
    std::string intent{};
    std::int64_t amount = 0;  ///< that was last acknowledged
    bool charged = false;     ///< the charge was acknowledged, or refused since it had happened
    bool in_doubt = false;    ///< gave up without an answer to the change: either amount is right
};

struct customers_count {
    std::uint64_t requests = 0;
    std::uint64_t tried_again = 0;  ///< no answer, somebody else at it, or an error that passes
};

class customers {
public:
    /// @param rest before each of them
    customers(boost::asio::any_io_executor executor, const std::vector<std::uint16_t>& servers, std::uint64_t seed,
              std::chrono::milliseconds rest = std::chrono::milliseconds(0));

    /// So many of them, some at a time.
    boost::asio::awaitable<void> come(std::size_t count, std::size_t at_once);

    const std::vector<customer>& all() const noexcept { return all_; }
    std::size_t gone() const noexcept { return gone_; }
    const customers_count& counted() const noexcept { return counted_; }

private:
    struct told {
        int status = 0;  ///< 0: there was never an answer
        std::string body{};
    };
    boost::asio::awaitable<void> be(std::size_t which);
    boost::asio::awaitable<void> change_mind(customer& who, std::size_t which);
    boost::asio::awaitable<void> pay(customer& who, std::size_t which);
    /// With the same key again and again, at one server or the other, until the answer is one for good.
    boost::asio::awaitable<told> insist(web::http::verb method, std::string target, std::string body, std::string key);
    boost::asio::awaitable<void> wait(std::uint64_t milliseconds);

    boost::asio::any_io_executor executor_;
    std::vector<std::unique_ptr<web::client>> servers_;
    std::mt19937_64 chance_;
    std::chrono::milliseconds rest_;
    std::vector<customer> all_;
    std::size_t gone_ = 0;
    customers_count counted_;
};

}  // namespace payments::demo
