// An endpoint that answers what DynamoDB would not.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace dynalease::tests {

class edited_answers final : public database_backend {
public:
    using editor = std::function<void(any_response&)>;
    edited_answers(std::shared_ptr<database_backend> behind, editor edits)
        : behind_(std::move(behind)), edits_(std::move(edits)) {}

    const dynalease::environment& environment() const noexcept override { return behind_->environment(); }

    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override {
        auto answer = co_await behind_->perform(std::move(request), options);
        if (answer) edits_(*answer);
        co_return answer;
    }

private:
    std::shared_ptr<database_backend> behind_;
    editor edits_;
};

}  // namespace dynalease::tests
