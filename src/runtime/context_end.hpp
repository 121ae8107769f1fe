// Whether an execution context still takes work.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/context_tenant.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/query.hpp>

#include <atomic>
#include <memory>

namespace dynalease::runtime {

/// For destructors that post: what outlives its context must not.
class context_end final : public context_tenant {
public:
    static std::shared_ptr<context_end> of(const boost::asio::any_io_executor& executor) {
        return std::make_shared<context_end>(boost::asio::query(executor, boost::asio::execution::context));
    }
    explicit context_end(boost::asio::execution_context& context) : context_tenant(context) {}

    /// Any thread, but not while the context ends on another.
    bool reached() const noexcept { return reached_; }

private:
    void abandon() noexcept override { reached_ = true; }

    std::atomic<bool> reached_{false};
};

}  // namespace dynalease::runtime
