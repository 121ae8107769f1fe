// For how long no request has been answered.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "session/protocol/session_view.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace dynalease::protocol {

/// So long a service that has answered may keep still before whoever waits is told of that: who has a thing does not
/// change so fast.
inline constexpr std::chrono::seconds silence_to_tell{1};

/// Under a session with a row whoever waits is told when the session is lost. A plain one has no such end.
class outage {
public:
    explicit outage(const session_view& session) noexcept : session_(session) {}

    void ends() noexcept {
        since_.reset();
        last_.reset();
        answered_at_ = session_.now();
    }
    /// A request leaves, or another copy of it.
    void asked() noexcept {
        ++requests_;
        if (!since_) since_ = session_.now();
    }
    /// What became of a request whose first copy was sent then; or of its copies so far, where there may be more.
    void note(detail::answer kind, time_point sent, const detail::shared_failure& why) {
        if (kind != detail::answer::unanswered && kind != detail::answer::delayed) {
            ends();
            return;
        }
        if (!since_) since_ = sent;
        last_ = why;
        noted_at_ = session_.now();
    }
    /// The same of a request that may have been answered. @param why null: it was
    void heard(time_point sent, const detail::shared_failure& why) {
        if (why) {
            note(detail::classify(*why), sent, why);
        } else {
            ends();
        }
    }
    /// For how long nothing has been answered to somebody who came then; zero: nothing is asked for that was not.
    std::chrono::nanoseconds silence_since(time_point came) const {
        return since_ ? session_.now() - std::max(*since_, came) : std::chrono::nanoseconds::zero();
    }
    /// Whether somebody who came then, and asks until it is known who lives, goes on: for a lease that nobody answers
    /// him, and for two where reads are answered in between for ever.
    bool is_borne(time_point came, std::chrono::nanoseconds lease) const {
        return silence_since(came) < lease && session_.now() - came < 2 * lease;
    }
    /// How many have been sent, and sent again.
    unsigned requests() const noexcept { return requests_; }
    /// The last failure, if nothing has been answered for a whole lease of a plain session; null: go on.
    detail::shared_failure too_long() const {
        const auto* plain = session_.plain();
        const bool over = plain && since_ && session_.now() - *since_ >= plain->times.lease;
        return over ? last_ : nullptr;
    }
    /// The last failure since then; null: there is none, or something was answered since.
    detail::shared_failure last_since(time_point came) const { return noted_at_ >= came ? last_ : nullptr; }
    /// Why somebody who has waited since then knows nothing: nothing was answered to him, or not for long. Empty: he
    /// was answered.
    /// @param waited his time is over; else he can wait for an answer to what has just been asked
    std::optional<failure> unheard(time_point came, bool waited = true) const;

private:
    const session_view& session_;
    std::optional<time_point> since_;  ///< the first request since an answer
    std::optional<time_point> answered_at_;
    time_point noted_at_{};  ///< the last failure
    detail::shared_failure last_;
    unsigned requests_ = 0;
};

}  // namespace dynalease::protocol
