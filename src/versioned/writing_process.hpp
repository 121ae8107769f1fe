// The process that a sequence of versioned writes belongs to, as it is.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/step_driver.hpp"
#include "item/fresh_stamp.hpp"
#include "versioned/protocol/writer_view.hpp"

#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <utility>

namespace dynalease::detail {

/// In the frame of the coroutine that drives the sequence.
class writing_process final : public step_driver, public protocol::writer_view {
public:
    explicit writing_process(const database& target) noexcept : step_driver(target), world_(target.environment()) {}

    time_point now() const noexcept override { return world_.clock->now(); }
    double unit() override { return world_.random->unit(); }
    item_stamp new_stamp() override { return fresh_stamp(world_); }
    std::string new_token() override { return world_.new_id(); }
    bool cancelled() const noexcept override { return step_driver::cancelled(); }

private:
    const environment& world_;
};

}  // namespace dynalease::detail
