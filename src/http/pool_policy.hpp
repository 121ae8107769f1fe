// What a keep-alive pool decides: reuse, open, wait, retire. No socket, no clock: tested as a table.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "counters/tallied.hpp"

#include <dynalease/runtime/clock.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace dynalease::http {

class pool_policy {
public:
    using duration = clock::duration;
    using time_point = clock::time_point;
    using slot = std::size_t;  ///< a place for one connection; below `limits::connections`

    struct limits {
        std::size_t connections = 64;
        std::size_t waiting = 100'000;  ///< beside those for whom a connection can be opened
        duration idle_limit = std::chrono::seconds(30);
        /// A connection lives no longer than this, so that changes of DNS are followed.
        duration age_limit = std::chrono::minutes(15);
        /// After a failed attempt to connect none is opened for so long: while others still work, and in an outage.
        duration hold_off = std::chrono::milliseconds(500);
        duration outage_hold_off = std::chrono::milliseconds(100);
    };

    enum class offer { none, reuse, retire };
    struct choice {
        offer what = offer::none;
        slot which = 0;
    };
    enum class after_use { serve, keep, discard };

    explicit pool_policy(limits bounds);

    /// A request asks for a connection: the one used last, unless others wait already. For `retire` close it, and ask
    /// again.
    choice request(time_point now);
    /// It gets in line. False: the line is full.
    bool enter_line();
    /// One left the line without a connection.
    void leave_line() { --waiting_; }

    /// How many connections to open now. After a failure one at a time, until one has been opened: however many ask, a
    /// server that is away is not pressed.
    std::size_t to_open(time_point now) const;
    /// When to ask again, if some wait for the end of a hold-off and nothing else will serve them.
    std::optional<time_point> hold_off_end(time_point now) const;
    slot begin_open();
    /// It was not begun after all.
    void not_opened(slot which);
    /// What to do with the new connection; `serve` took the first of the line off the count.
    after_use opened(slot which, time_point now);
    /// How many to tell, from the first of the line, for no connection is left that could serve them; they are off the
    /// count.
    std::size_t open_failed(slot which, time_point now);

    after_use given_back(slot which, time_point now, bool usable);
    /// One that has been idle for too long, which those used since have kept from being offered; close it and ask
    /// again.
    std::optional<slot> retire_oldest(time_point now);
    /// All that are idle: close them.
    std::vector<slot> retire_all();
    /// The connection in `which` is gone.
    void free(slot which);

    // Any thread.
    std::size_t waiting() const noexcept { return waiting_; }
    std::size_t open() const noexcept { return open_; }

private:
    struct place {
        time_point opened{};
        time_point idle_since{};
    };

    bool too_old(const place& at, time_point now) const { return now - at.opened > limits_.age_limit; }
    after_use next_use(slot which, time_point now);
    void discard(slot which);
    time_point hold_off_until() const;

    limits limits_;
    std::vector<place> places_;
    std::vector<slot> free_;
    std::vector<slot> idle_;  // the last one used is at the back
    std::size_t in_use_ = 0;
    std::size_t opening_ = 0;
    detail::tallied waiting_;
    detail::tallied open_;                 ///< in use or idle
    std::optional<time_point> failed_at_;  // since then no connection was opened
};

}  // namespace dynalease::http
