// For how long no request has been answered.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "session/protocol/session_view.hpp"

#include <optional>

namespace dynalease::protocol {

/// Under a session with a row whoever waits is told when the session is lost. A plain one has no such end.
class outage {
public:
    explicit outage(const session_view& session) noexcept : session_(session) {}

    void ends() noexcept { since_.reset(); }
    /// What became of a request whose first copy was sent then.
    void note(detail::answer kind, time_point sent, const detail::shared_failure& why) {
        if (kind != detail::answer::unanswered && kind != detail::answer::delayed) {
            ends();
            return;
        }
        if (!since_) since_ = sent;
        last_ = why;
    }
    /// The last failure, if nothing has been answered for a whole lease of a plain session; null: go on.
    detail::shared_failure too_long() const {
        const auto* plain = session_.plain();
        const bool over = plain && since_ && session_.now() - *since_ >= plain->times.lease;
        return over ? last_ : nullptr;
    }

private:
    const session_view& session_;
    std::optional<time_point> since_;
    detail::shared_failure last_;
};

}  // namespace dynalease::protocol
