// What a process has seen of a queue's head, of answers that come in any order.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/protocol/queue_rows.hpp"

#include <dynalease/runtime/time.hpp>

#include <cstdint>
#include <optional>

namespace dynalease::protocol {

/// Sights are counted. What was asked for after the last one is newer than that, whatever it shows: also that the row
/// was deleted, or that it went back, with a restored table. Of other answers only those count that show more, and none
/// that was asked for before it went back or was gone: until then it was another queue.
class head_sights {
public:
    struct news {
        bool moved = false;  ///< `passed` is another
        bool back = false;   ///< it is as it was before: what is known of its tickets counts no more
    };

    /// There is one, as far as was seen.
    bool known() const noexcept { return known_; }
    /// As last seen; all zero where there is none.
    const queue_head& operator*() const noexcept { return head_; }
    const queue_head* operator->() const noexcept { return &head_; }
    time_point seen_at() const noexcept { return seen_at_; }
    time_point moved_at() const noexcept { return moved_at_; }

    /// To be noted with each request.
    std::uint64_t count() const noexcept { return count_; }
    /// From here on only what is asked for is new.
    std::uint64_t begin_anew() noexcept { return ++count_; }
    /// The count with which the present one was asked for.
    std::uint64_t asked() const noexcept { return asked_; }
    /// The sight that showed it gone, or as it had been before.
    std::uint64_t began() const noexcept { return began_; }

    /// An answer. @param shown empty: there is no head @param asked `count` when its request was sent
    /// @returns empty: more is known already
    std::optional<news> sight(const std::optional<queue_head>& shown, std::uint64_t asked, time_point now);
    /// How a write of ours has made it, if that is more than is known.
    std::optional<news> made(const queue_head& head, time_point now);

private:
    news take_in(const queue_head& head, std::uint64_t asked, time_point now);

    bool known_ = false;
    queue_head head_{};
    std::uint64_t count_ = 0;
    std::uint64_t began_ = 0;
    std::uint64_t asked_ = 0;
    time_point seen_at_{};
    time_point moved_at_{};
};

}  // namespace dynalease::protocol
