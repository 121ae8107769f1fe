// A service that is overloaded for long.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <utility>
#include <variant>

namespace dynalease::tests {

/// Leaves every key of a batch unread, and does all else.
class overloaded final : public database_backend {
public:
    explicit overloaded(std::shared_ptr<database_backend> behind) : behind_(std::move(behind)) {}

    const dynalease::environment& environment() const noexcept override { return behind_->environment(); }

    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override {
        if (auto* batch = std::get_if<batch_get_item_request>(&request)) {
            ++batches;
            batch_get_item_response nothing;
            nothing.unprocessed = std::move(batch->tables);
            co_return nothing;
        }
        auto answer = co_await behind_->perform(std::move(request), options);
        co_return answer;
    }

    int batches = 0;

private:
    std::shared_ptr<database_backend> behind_;
};

}  // namespace dynalease::tests
