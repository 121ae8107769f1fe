// A caller that waits for its turn in a queue.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/queue_hold.hpp"
#include "runtime/alarm.hpp"
#include "runtime/waiter_list.hpp"
#include "session/session_impl.hpp"
#include "session/wait_limit.hpp"

#include <dynalease/queue/queue.hpp>
#include <dynalease/runtime/environment.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace dynalease::detail {

/// What an entrant gets: a turn (empty for a try that found others), or why there is none.
struct queue_grant {
    queue_turn turn{};
    shared_failure why{};
    bool place_lost = false;  ///< of one of those that were entered together
    unsigned requests = 0;    ///< that were sent for it
    bool asked = false;       ///< its session was open, so that it could be asked for
};

/// A later copy was refused for good, but an earlier one may have been applied.
inline shared_failure told_in_doubt(failure why) {
    why.code = errc::in_doubt;
    why.outcome = outcome::unknown;
    return std::make_shared<const failure>(std::move(why));
}

class queue_entrant {
public:
    queue_entrant(const environment& world, protocol::ticket_face face, const wait_limit& limit, place_hook places = {})
        : on_place(std::move(places)),
          ticket(std::make_shared<drawn_ticket>(drawn_ticket{std::move(face)})),
          tries(limit.once),
          until_known(limit.until_known),
          leaves_at(limit.deadline),
          came(world.clock->now()),
          world_(world),
          news_(world.executor) {}

    /// Somebody still waits for it.
    bool wanted() const noexcept { return !given_up_ && !outcome_; }

    /// What is not wanted any more is dropped: a turn is left by its destructor then.
    void complete(queue_grant outcome) {
        if (!wanted()) return;
        outcome_.emplace(std::move(outcome));
        news_.complete_all({});
        if (pause) pause->wake();
    }

    /// The outcome, or empty and why the wait ended before: `timed_out` or `operation_aborted`. An outcome that came
    /// in the same moment wins. Nobody wants it after that.
    boost::asio::awaitable<error_code> wait(std::optional<dynalease::time_point> deadline, queue_grant& outcome) {
        error_code ended;
        if (!outcome_) {
            const auto told =
                co_await news_.async_wait_until(*world_.clock, deadline, boost::asio::as_tuple(boost::asio::deferred));
            ended = std::get<0>(told);
        }
        give_up();
        if (!outcome_) co_return ended;
        outcome = *std::exchange(outcome_, std::nullopt);
        co_return error_code();
    }

    /// Nobody waits for it any more.
    void give_up() noexcept {
        given_up_ = true;
        if (pause) pause->wake();
    }

    /// Several queues are entered under one number, so that no circle closes: who loses its place in one of them has
    /// lost all. @returns false where it stands for itself.
    bool lose_all_places() {
        for (const auto& each : together) {
            if (const auto who = each.lock()) who->complete({.place_lost = true});
        }
        return !together.empty();
    }

    const place_hook on_place;
    std::optional<queue_place> told_place{};
    dynalease::time_point place_told_at{};
    std::shared_ptr<drawn_ticket> ticket;  ///< another one when it has to be drawn again
    const bool tries;
    const bool until_known;                                ///< ... whether anybody before it lives
    const std::optional<dynalease::time_point> leaves_at;  ///< ... if it has nothing by then
    const dynalease::time_point came;
    unsigned places_lost = 0;                            ///< in a row, by no doing of the caller's
    bool drawing = false;                                ///< it is its turn to draw, of all callers of this process
    bool entering = false;                               ///< counted among those who are about to wait
    std::vector<std::weak_ptr<queue_entrant>> together;  ///< itself and the others of one entry into several queues
    std::optional<protocol::queue_head> first_seen{};    ///< of a head that was not free; for one that asks who lives
    std::optional<runtime::alarm> pause{};               ///< ... between its looks

private:
    environment world_;
    runtime::waiter_list<runtime::unit> news_;
    std::optional<queue_grant> outcome_;
    bool given_up_ = false;
};

}  // namespace dynalease::detail
