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
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace dynalease::detail {

/// Updates, and transactions that have met others there; by whichever handles of one database. They would make each
/// other's writes void, and then pause for each other. No promise hangs on it: who finds that the line stands still,
/// behind a lock or in an outage, goes on without a turn.
class item_lines final : public database_companion {
    struct line;

public:
    explicit item_lines(const environment& world) : world_(world) {}

    /// In the line of one item, while it lives.
    class place {
    public:
        place(item_lines& lines, std::string item)
            : lines_(lines), item_(std::move(item)), served_(lines.world_.executor) {
            auto& line = lines_.by_item_[item_];
            if (!line) line = std::make_shared<item_lines::line>();
            line_ = line;
            ++line_->places;
        }
        ~place() {
            leave();  // a wait that was destroyed with its process has not done so
            if (--line_->places == 0) lines_.by_item_.erase(item_);
            if (line_->holder == this) line_->pass(lines_.now());
        }
        place(const place&) = delete;
        place& operator=(const place&) = delete;

        /// @returns whether it has the turn now, and others had theirs before it
        boost::asio::awaitable<bool> wait(time_point deadline) {
            if (line_->holder == nullptr) {
                line_->give(this, lines_.now());
                co_return false;
            }
            position_ = line_->waiting.insert(line_->waiting.end(), this);
            while (line_->holder != this) {
                const bool is_first = line_->waiting.front() == this;
                const auto overdue = line_->since + longest_turn;
                const auto now = lines_.now();
                const bool takes_over = is_first && now >= overdue;
                if (takes_over) line_->pass(now);
                if (takes_over || now >= deadline) break;
                const auto next = is_first ? overdue : now + longest_turn;
                const auto waited = co_await served_.async_wait_until(*lines_.world_.clock, std::min(deadline, next),
                                                                      boost::asio::as_tuple(boost::asio::deferred));
                const auto& error = std::get<0>(waited);
                if (error && error != boost::asio::error::timed_out) break;
            }
            if (line_->holder == this) co_return true;
            leave();
            co_return false;
        }

    private:
        friend struct item_lines::line;
        void leave() {
            if (position_) line_->waiting.erase(*std::exchange(position_, std::nullopt));
        }
        item_lines& lines_;
        const std::string item_;
        std::shared_ptr<item_lines::line> line_;
        std::optional<std::list<place*>::iterator> position_;  ///< among those who wait; empty: it does not
        runtime::waiter_list<runtime::unit> served_;
    };

private:
    struct line {
        std::size_t places = 0;
        place* holder = nullptr;  ///< whose turn it is; null: nobody's
        time_point since{};
        std::list<place*> waiting;

        void give(place* to, time_point now) {
            holder = to;
            since = now;
        }
        void pass(time_point now) {
            place* next = nullptr;
            if (!waiting.empty()) {
                next = waiting.front();
                next->leave();
            }
            give(next, now);
            if (next) next->served_.complete_one({});
        }
    };

    time_point now() const { return world_.clock->now(); }

    /// Who has the turn for longer goes on without it, and so does the next in line.
    static constexpr std::chrono::seconds longest_turn{1};
    environment world_;
    std::unordered_map<std::string, std::shared_ptr<line>> by_item_;
};

}  // namespace dynalease::detail
