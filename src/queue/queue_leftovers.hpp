// Rows of tickets that are over: deleted in the background, many at a time.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/queue_view.hpp"
#include "runtime/alarm.hpp"

#include <dynalease/queue/queue.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace dynalease::detail {

/// A row is deleted only when it was passed, so that no delete ever matters: one that fails is made good by a sweep,
/// which comes after the deletes, so that it finds only what is left. One coroutine does it all: it costs one request
/// for each batch, however many tickets were passed over.
class queue_leftovers {
public:
    queue_leftovers(session_impl& core, queue_impl& front, queue_view& view) noexcept
        : core_(core), front_(front), view_(view) {}

    /// The ticket was passed, and its row may stand in the table. After many of them the queue is swept.
    void discard(std::int64_t ticket);
    /// The session closes: no more gathering.
    void hurry() noexcept {
        if (gathering_) gathering_->wake();
    }
    /// Somebody waits here: the queue is worth a sweep, once.
    void count_wait();

private:
    static constexpr unsigned rows_per_sweep = 64;

    void begin();
    boost::asio::awaitable<void> tidy(queue_target self);
    boost::asio::awaitable<void> remove_all();
    boost::asio::awaitable<bool> remove(std::vector<std::int64_t> tickets);
    boost::asio::awaitable<void> sweep();

    session_impl& core_;
    queue_impl& front_;
    queue_view& view_;
    std::set<std::int64_t> tickets_;  ///< each once, as the service demands
    bool tidying_ = false;
    std::optional<runtime::alarm> gathering_;
    bool waited_ = false;
    bool sweep_due_ = false;
    unsigned rows_ = 0;  ///< since the last sweep
};

}  // namespace dynalease::detail
