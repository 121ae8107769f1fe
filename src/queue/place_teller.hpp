// Tells those who wait in a queue, and asked for it, where they stand.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/queue_callers.hpp"
#include "queue/queue_view.hpp"
#include "session/session_impl.hpp"

#include <dynalease/runtime/time.hpp>

#include <memory>

namespace dynalease::detail {

class place_teller {
public:
    place_teller(session_impl& core, const queue_view& view, const queue_callers& here) noexcept
        : core_(core), view_(view), here_(here) {}

    void stands_in_line(const std::shared_ptr<queue_entrant>& who);
    /// They may stand otherwise now.
    void head_seen() noexcept;
    /// Tells all of what is news to them, if it is time. @returns when to call again
    dynalease::time_point tell();

private:
    void tell(const std::shared_ptr<queue_entrant>& who);

    session_impl& core_;
    const queue_view& view_;
    const queue_callers& here_;
    bool any_asks_ = false;
    // One process may have ten thousand in line, and each turn that ends moves all of them.
    dynalease::time_point looked_{};
    dynalease::time_point due_ = dynalease::time_point::max();
};

}  // namespace dynalease::detail
