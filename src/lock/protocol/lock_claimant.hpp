// What one process has to do with one lock: its claim, its grant, and what it knows of the others.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "database/protocol/sequence.hpp"
#include "lock/protocol/lock_callers.hpp"
#include "lock/protocol/lock_decisions.hpp"
#include "lock/protocol/lock_requests.hpp"
#include "lock/protocol/lock_row.hpp"
#include "lock/protocol/lock_times.hpp"
#include "session/protocol/open_claim.hpp"
#include "session/protocol/session_view.hpp"

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace dynalease::protocol {

using lock_reply = detail::reply<lock_row>;

/// One request about a lock's row: `co_await` gives what it showed.
class lock_exchange {
public:
    lock_exchange(stepper& steps, update_item_request request, time_point now);
    lock_exchange(stepper& steps, get_item_request request, time_point now);

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waits) noexcept;
    lock_reply await_resume();

private:
    stepper& steps_;
    std::variant<write_step, read_step> step_;
    time_point sent_at_;
};

/// What a claim of a lock carries while it is open.
struct lock_claim : open_claim {
    item data{};              ///< what its last copy would write into the row
    bool for_nobody = false;  ///< what it may have brought is given back: whoever comes now has no part in it
    bool audited = false;     ///< nothing was sent since an audit was asked for
};

/// What the sequences of a lock share. At most one write is under way, and at most one claim is open.
class lock_claimant {
public:
    enum class phase { idle, wanting, held, giving_back, resolving, auditing };

    /// Of whoever else held it, as the row showed them.
    struct sights {
        head_watch head{};
        std::optional<lock_holder> holder{};  ///< as seen last, and since `holder_since`
        time_point holder_since{};
        time_point holder_last_seen{};
        item holder_data{};                  ///< that it wrote there, or left there
        std::size_t in_line = 0;             ///< other processes, then
        std::optional<first_sight> first{};  ///< by the last caller who tried until the holder is known
    };

    /// What the others did, as far as the next look or write depends on it.
    struct contention {
        std::optional<time_point> refused_at{};  ///< the lock was last seen in other hands
        unsigned refusals = 0;                   ///< of writes that want the lock, in a row, whoever they were for
        unsigned hand_overs = 0;                 ///< in a row since other processes were seen in line
        bool others_wait = false;
    };

    lock_claimant(session_view& session, lock_callers& callers, std::string name,
                  std::chrono::nanoseconds poll_interval);

    lock_requests requests() const { return {session.table(), name, session.id()}; }
    std::int64_t row_expiry() const;
    /// To be noted there.
    sights& sighted();

    // ---- steps, to be awaited ----
    lock_exchange send(update_item_request request);
    lock_exchange look();
    asking<pause_step> pause(std::chrono::nanoseconds time) { return {*steps, {time}}; }
    /// Before the next attempt after failures, not in step with those who failed with us.
    asking<pause_step> pause_after(unsigned failures);

    // ---- the claim ----
    /// @param lead how far above the floor its token is to be, at least
    void new_claim(std::int64_t seen_in_row, std::int64_t lead = 0);
    /// A copy of it is about to leave, and its answer will be waited for.
    void stake();
    void note_unanswered();
    void close_claim(bool applied);
    /// The same, where nobody can know whether it was.
    void forget_claim() { open.reset(); }
    /// A copy of it may bring those who wait what they wait for, whatever the answers said so far. @param sent as
    /// `lock_machine::may_land`
    bool may_land(bool sent) const noexcept;
    /// What a caller is told who fails of this: doubt, while a copy of the claim is unanswered.
    detail::shared_failure or_doubt(const detail::shared_failure& why) const;
    /// Others have the lock. @param seen what shows it
    void refuse_try(const lock_reply& seen);
    /// Nobody can be asked, which is as true for one that came since.
    void fail_try(const detail::shared_failure& why);
    void fail_all(const detail::shared_failure& why, const lock_reply& seen);
    /// A request that carried the data of the first caller of then was rejected.
    void fail_rejected(const lock_reply& seen);

    // ---- the grant ----
    /// The row names our claim. @param written its data as the grant left it
    void granted(bool taken_over, bool own_copy, item written);
    /// Whether somebody here wants it with what stands there.
    bool wanted_with(const item& written) const;
    /// @returns false if nobody does.
    bool serve(const claim& grant, const item& written);
    void end_release(const failure& how);
    void end_hand_over();
    /// The grant has ended: on to what is wanted next.
    void rest();
    /// The session is over: nothing of ours counts.
    void drop();

    session_view& session;
    lock_callers& callers;
    const std::string name;
    const std::chrono::nanoseconds poll_interval;
    stepper* steps = nullptr;  ///< while a sequence is under way

    phase now = phase::idle;
    std::unique_ptr<lock_claim> open;  ///< null: none, as where the lock is held, and of those there may be many
    claim held{};                      ///< the claim that was granted last
    bool of_guard = false;             ///< a guard gives it back, and not a wait that has ended
    contention others;
    std::unique_ptr<sights> shown;  ///< null: none; most locks are never found in other hands
    claim_tokens tokens;
    std::int64_t seen_floor = 0;  ///< that of the row as last seen; lower: the row was removed meanwhile
};

}  // namespace dynalease::protocol
