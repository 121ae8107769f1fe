// Deleting the rows of tickets that are over.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_leftovers.hpp"

#include "database/protocol/backoff.hpp"
#include "queue/queue_impl.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {
/// Rows are gathered for so long before they are deleted, unless the session closes.
constexpr std::chrono::seconds gathering{1};
constexpr unsigned tries_to_delete = 3;
}  // namespace

void queue_leftovers::discard(std::int64_t ticket) {
    tickets_.insert(ticket);
    if (++rows_ >= rows_per_sweep) sweep_due_ = true;
    begin();
}

void queue_leftovers::count_wait() {
    if (std::exchange(waited_, true)) return;
    sweep_due_ = true;
    begin();
}

void queue_leftovers::begin() {
    if (std::exchange(tidying_, true)) return;
    if (!front_.start(tidy(front_.self()))) tidying_ = false;
}

boost::asio::awaitable<void> queue_leftovers::tidy([[maybe_unused]] queue_target self) {
    gathering_.emplace(core_.world());
    if (core_.live()) co_await gathering_->wait_until(core_.now() + gathering);
    while (core_.may_write() && (!tickets_.empty() || sweep_due_)) {
        co_await remove_all();
        if (!std::exchange(sweep_due_, false) || !core_.live()) continue;
        rows_ = 0;
        co_await sweep();
    }
    tickets_.clear();
    gathering_.reset();
    tidying_ = false;
}

boost::asio::awaitable<void> queue_leftovers::remove_all() {
    unsigned failures = 0;
    while (!tickets_.empty() && core_.may_write()) {
        std::vector<std::int64_t> batch;
        for (auto next = tickets_.begin(); next != tickets_.end() && batch.size() < protocol::batch_limit; ++next) {
            batch.push_back(*next);
        }
        const bool removed = co_await remove(batch);
        if (removed || ++failures == tries_to_delete) {
            for (const auto ticket : batch) tickets_.erase(ticket);
            failures = 0;
        } else {
            co_await gathering_->wait_until(core_.now() + retry_pause(failures, core_.unit()));
        }
    }
}

boost::asio::awaitable<bool> queue_leftovers::remove(std::vector<std::int64_t> tickets) {
    auto request = view_.requests().forget(tickets);
    auto deleted = co_await core_.target().call(std::move(request));
    co_return deleted && deleted->unprocessed.empty();
}

boost::asio::awaitable<void> queue_leftovers::sweep() {
    item_key next;
    do {
        auto request = view_.requests().left_behind(view_.head()->passed);
        request.exclusive_start_key = std::move(next);
        auto seen = co_await core_.target().call(std::move(request));
        if (!seen || !core_.may_write()) co_return;
        for (const auto& row : seen->items) {
            // What is not ours is not ours to delete.
            if (const auto parsed = protocol::parse_ticket_row(row)) tickets_.insert(parsed->ticket);
        }
        next = std::move(seen->last_evaluated_key);
    } while (!next.empty());
}

}  // namespace dynalease::detail
