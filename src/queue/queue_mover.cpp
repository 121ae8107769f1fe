// Moving a queue on.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_mover.hpp"

#include "queue/queue_impl.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

boost::asio::awaitable<bool> queue_mover::pass_over(std::vector<protocol::place> over) {
    view_.places().passed_here = std::max(view_.places().passed_here, over.back().ticket);
    auto request = view_.requests().pass(over);
    const auto seen = co_await view_.send(std::move(request));
    // Without an answer the next look shows whether it was done.
    if (seen.kind != answer::applied) co_return false;
    for (const auto& each : over) leftovers_.discard(each.ticket);
    co_return true;
}

void queue_mover::after_moving() {
    if (view_.head()->free()) {
        front_.start(rest(front_.self(), view_.head()->tail));
    } else if (!here_.has_turn(view_.head()->passed)) {
        front_.start(usher(front_.self()));
    }
}

// One at a time: a crowd may give up at once.
boost::asio::awaitable<void> queue_mover::after_giving_up(queue_target self) {
    if (view_.head()->free() || std::exchange(ushers_, true)) co_return;
    struct over {
        bool& ushers;
        ~over() { ushers = false; }
    };
    const over at_the_end{ushers_};
    co_await usher(self);
}

boost::asio::awaitable<void> queue_mover::rest([[maybe_unused]] queue_target self, std::int64_t tail) {
    auto request = view_.requests().rest(tail, view_.idle_expiry());
    co_await view_.send(std::move(request));
}

boost::asio::awaitable<void> queue_mover::usher([[maybe_unused]] queue_target self) {
    const auto& head = view_.head();
    for (auto rows = protocol::page_of_rows; !head->free() && !here_.has_turn(head->passed);
         rows = protocol::page_of_survey) {
        const auto passed = head->passed;
        const auto until = head->tail + 1;
        const auto ahead = co_await view_.read_ahead(passed + 1, head->tail, rows);
        if (ahead.why || !core_.may_write()) co_return;
        auto next = protocol::decide_examine({.passed = passed,
                                              .rows = ahead.rows,
                                              .until = until,
                                              .missing = view_.places().missing,
                                              .now = core_.now(),
                                              .bury_after = dynalease::time_point::duration::max()});
        if (next.step != protocol::examine_step::pass) co_return;
        const bool moved = co_await pass_over(std::move(next.places));
        if (!moved) co_return;
    }
    if (head->free()) co_await rest(self, head->tail);
}

}  // namespace dynalease::detail
