// For how long no request has been answered.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "session/session_impl.hpp"

#include <optional>
#include <utility>

namespace dynalease::detail {

/// Under a session with a row whoever waits is told when the session is lost. A plain one has no such end.
class outage {
public:
    explicit outage(const session_impl& core) noexcept : core_(core) {}

    void ends() noexcept { since_.reset(); }
    /// What became of a request whose first copy was sent then.
    void note(answer kind, dynalease::time_point sent, const shared_failure& why) {
        if (kind != answer::unanswered && kind != answer::delayed) {
            ends();
            return;
        }
        if (!since_) since_ = sent;
        last_ = why;
    }
    /// The last failure, if nothing has been answered for a whole lease of a plain session; null: go on.
    shared_failure too_long() const {
        const auto* plain = core_.plain();
        const bool over = plain && since_ && core_.now() - *since_ >= plain->times.lease;
        return over ? last_ : nullptr;
    }

private:
    const session_impl& core_;
    std::optional<dynalease::time_point> since_;
    shared_failure last_;
};

}  // namespace dynalease::detail
