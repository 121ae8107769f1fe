// A network in the hands of a test: what is sent travels until it is delivered.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/waiter_list.hpp"

#include <dynalease/dynamodb/database.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace dynalease::tests {

/// A call that waits for its answer.
class held_call {
public:
    explicit held_call(const boost::asio::any_io_executor& executor) : arrival_(executor) {}

    /// Once it has an answer, or its caller has gone, it waits for none.
    bool waits() const noexcept { return waits_; }
    void answer(result<any_response> with);

private:
    friend class held_network;

    runtime::waiter_list<runtime::unit> arrival_;
    std::optional<result<any_response>> answer_;
    bool waits_ = true;
};

/// Of one process. What its owner does not hold goes on to the network behind it.
class held_network final : public database_backend {
public:
    /// @returns whether it holds the request, and will answer the call
    using holder = std::function<bool(const any_request& request, std::shared_ptr<held_call> call)>;

    held_network(std::shared_ptr<database_backend> behind, holder holds)
        : behind_(std::move(behind)), holds_(std::move(holds)) {}

    const dynalease::environment& environment() const noexcept override { return behind_->environment(); }
    /// Who is told of no answer in the time that he gave is in doubt of a write.
    boost::asio::awaitable<result<any_response>> perform(any_request request, call_options options) override;

private:
    const std::shared_ptr<database_backend> behind_;
    const holder holds_;
};

/// What a call is told that was not answered.
failure no_answer(const any_request& request);

}  // namespace dynalease::tests
