// Those of one process who want to change one item, one after the other.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/waiter_list.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/runtime/environment.hpp>
#include <dynalease/runtime/time.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace dynalease::detail {

/// Updates, and transactions that have met others there; by whichever handles of one database. They would make each
/// other's writes void, and then pause for each other. No promise hangs on it: who finds that the line stands still,
/// behind a lock or in an outage, goes on without a turn.
class item_lines final : public database_companion {
    struct line {
        explicit line(const environment& world) : next(world.executor) {}
        std::size_t places = 0;
        unsigned turns = 0;  ///< that are over
        bool taken = false;
        runtime::waiter_list<runtime::unit> next;
    };

public:
    explicit item_lines(const environment& world) : world_(world) {}

    /// In the line of one item, while it lives.
    class place {
    public:
        place(item_lines& lines, std::string item) : lines_(lines), item_(std::move(item)) {
            auto& line = lines_.by_item_[item_];
            if (!line) line = std::make_shared<item_lines::line>(lines_.world_);
            line_ = line;
            ++line_->places;
        }
        ~place() {
            if (--line_->places == 0) lines_.by_item_.erase(item_);
            if (!has_turn_) return;
            ++line_->turns;
            line_->taken = line_->next.complete_one({});
        }
        place(const place&) = delete;
        place& operator=(const place&) = delete;

        /// @returns whether it has the turn now, and others had theirs before it
        boost::asio::awaitable<bool> wait(time_point deadline) {
            has_turn_ = !std::exchange(line_->taken, true);
            if (has_turn_) co_return false;
            while (!has_turn_) {
                const auto turns = line_->turns;
                const auto now = lines_.world_.clock->now();
                const auto waited =
                    co_await line_->next.async_wait_until(*lines_.world_.clock, std::min(deadline, now + longest_turn),
                                                          boost::asio::as_tuple(boost::asio::deferred));
                has_turn_ = !std::get<0>(waited);
                const bool timed_out = std::get<0>(waited) == boost::asio::error::timed_out;
                if (!timed_out || line_->turns == turns || lines_.world_.clock->now() >= deadline) break;
            }
            co_return has_turn_;
        }

    private:
        item_lines& lines_;
        const std::string item_;
        std::shared_ptr<item_lines::line> line_;
        bool has_turn_ = false;
    };

private:
    static constexpr std::chrono::seconds longest_turn{1};
    environment world_;
    std::unordered_map<std::string, std::shared_ptr<line>> by_item_;
};

}  // namespace dynalease::detail
