// Tells those who wait in a queue, and asked for it, where they stand.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/queue_callers.hpp"
#include "queue/queue_view.hpp"
#include "session/session_impl.hpp"

#include <dynalease/runtime/time.hpp>

#include <memory>
#include <optional>

namespace dynalease::detail {

class place_teller {
public:
    place_teller(session_impl& core, const queue_view& view, const queue_callers& here) noexcept
        : core_(core), view_(view), here_(here) {}

    void stands_in_line(const std::shared_ptr<queue_entrant>& who);
    /// Once a second at most: one process may have ten thousand in line, and each turn that ends moves all of them.
    void head_seen();

private:
    session_impl& core_;
    const queue_view& view_;
    const queue_callers& here_;
    std::optional<dynalease::time_point> told_at_{};
};

}  // namespace dynalease::detail
