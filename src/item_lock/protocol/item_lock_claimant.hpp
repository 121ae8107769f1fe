// What one process has to do with the lock of one item: its claim, its grant, and what it knows of the others.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "database/protocol/sequence.hpp"
#include "item_lock/protocol/item_lock_callers.hpp"
#include "item_lock/protocol/item_lock_decisions.hpp"
#include "item_lock/protocol/item_lock_requests.hpp"
#include "item_lock/protocol/item_outlook.hpp"
#include "session/protocol/open_claim.hpp"
#include "session/protocol/outage.hpp"
#include "session/protocol/session_view.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dynalease::protocol {

/// The item, and how its lock is kept.
struct locked_item {
    item_key key;
    item_layout layout;
    std::size_t most_readers = 64;
    std::chrono::nanoseconds poll_interval{};
    std::chrono::nanoseconds longest_poll_interval{};

    /// Guarded writes raise the item's version.
    bool versioned() const { return !layout.version.empty(); }
};

/// The answer to one request about the item, and what it showed.
struct item_reply {
    detail::answer kind = detail::answer::delayed;
    item_lock_state lock{};
    std::optional<item> whole{};  ///< the item, if the answer brought all of it
    detail::shared_failure why{};
    bool doubtful = false;  ///< refused after a copy without an answer, which may be the very reason
    time_point sent_at{};   ///< the first copy of the request
    /// Of a writer's release: the step that the item was at.
    std::optional<std::int64_t> step_before{};
};

/// @param shown null: there is no item @param whole it is all of the item
item_reply read_item(const item_layout& layout, detail::answer kind, const item* shown, bool whole);

/// What a claim of an item carries while it is open.
struct item_claim : open_claim {
    bool intended = false;
    time_point intended_at{};
    bool closed = false;     ///< kept for the audit alone
    time_point absent_at{};  ///< no copy of it was in the item before this
};

/// What the sequences of an item's lock share. At most one claim is open. Readers of this process share one grant.
class item_lock_claimant {
public:
    /// `reserved`: in the hands of somebody who claims several items at once.
    enum class phase { idle, reserved, wanting, held, giving_back, resolving, auditing };

    /// The last grant, whether it is in force or not.
    struct standing {
        item_grant held{};
        dynalease::item known{};  ///< the item as the grant found it, or the last write left it
        time_point kept_since{};  ///< a plain session's: its text was not in the item before
        bool of_guard = false;    ///< a guard gives it back, and not a wait that has ended, or the time that is up
    };

    item_lock_claimant(session_view& session, item_lock_callers& callers, std::string name, locked_item item);

    item_lock_requests requests() const { return {item.layout, item.key, session.id()}; }

    // ---- steps, to be awaited ----
    /// @param beat_limit for its answer, of a sign of life
    sequence<item_reply> send(stepper& steps, update_item_request request,
                              std::optional<std::chrono::nanoseconds> beat_limit = {});
    sequence<item_reply> send(stepper& steps, delete_item_request request);
    sequence<item_reply> look(stepper& steps, bool whole);
    asking<pause_step> pause(stepper& steps, std::chrono::nanoseconds time) const { return {steps, {time}}; }
    /// After a request without an answer.
    asking<pause_step> pause_after(stepper& steps, unsigned failures);

    // ---- the claim ----
    void new_claim(std::int64_t floor_seen);
    /// A copy of it is about to leave.
    void stake();
    void note_unanswered();
    /// An answer to a request sent then has shown that the claim was not granted before it.
    void note_absent(time_point sent);
    void close_claim(bool applied);
    /// The same, where nobody can know whether it was: what could land is over with the grant that it was to follow.
    void forget_claim() { open.reset(); }
    void audit_late_copies();
    /// Somebody here wants the item before the audit of a closed claim, which is put off.
    void put_off_audit();
    /// A copy of it may bring those who wait what they wait for, whatever the answers said so far. @param sent as
    /// `item_lock_machine::may_land`
    bool may_land(bool sent) const noexcept;
    void give_up(const item_lock_state& lock);
    /// What stands there is a copy of a claim before the open one, which is over. Others would wait for it for ever: it
    /// is to be resolved in its place. @returns false if there is none
    bool take_up_ghost(const item_lock_state& lock);
    /// What a caller is told who fails of this: doubt, while a copy of the claim is unanswered.
    detail::shared_failure or_doubt(const detail::shared_failure& why) const;
    /// Nobody can be asked, which is as true for one that came since.
    void fail_try(const detail::shared_failure& why) { callers.fail_try(why, time_point::max()); }
    /// For somebody here who waits.
    void study(const item_lock_state& lock);
    /// What the first of them asks who tries until it is known whether others live; empty: he does not.
    std::optional<item_question> question() const;
    /// @param asked as above; who waits behind him keeps the pace of all who wait
    std::chrono::nanoseconds time_to_next_look(const item_lock_state& seen, const std::optional<item_question>& asked);
    /// As far as it is known by what was seen since he came.
    item_fate fate_of_others(const item_reply& seen);

    // ---- the grant ----
    /// The item names the open claim: that is our grant, and the claim is closed.
    void take_grant(const item_lock_state& lock);
    /// @returns whether somebody here still wants what was granted.
    bool serve();
    void serve_readers();
    time_point grant_end() const { return grant.kept_since + session.plain()->times.hold; }
    /// Always, for a session with a row.
    bool grant_lives() const { return !session.plain() || session.now() < grant_end(); }
    /// Nobody else could take the item from us before this instant.
    bool ours_till_now() const { return session.may_write() && grant_lives(); }
    /// The grant's text is that of a write whose first copy was sent then.
    void kept(time_point sent);
    /// The same of a write under the grant. An answer that comes after its end changes nothing: lost is final.
    void kept_on(time_point sent);
    /// The grant is in force, and still this one.
    bool holds(const item_grant& held) const;
    /// No other request gives it back: that is what becomes of a grant whose own time is up.
    bool holds_on(const item_grant& held) const { return !session.plain() || holds(held); }
    void lose_grant();
    /// The grant has ended: on to what is wanted next.
    void rest();
    void end_release(const failure& how);
    void end_hand_over();
    /// The session is over: nothing of ours counts.
    void drop();

    session_view& session;
    item_lock_callers& callers;
    const std::string name;
    const locked_item item;

    phase now = phase::idle;
    std::optional<item_claim> open;
    /// The last closed claim that had a copy without an answer. Removed and made again, the item would forget the floor
    /// that keeps that one out.
    std::optional<item_claim> unlanded;
    item_access wants = item_access::exclusive;  ///< what the open claim is for
    claim_tokens tokens;
    unsigned outrun = 0;  ///< claims in a row that came when others had raised the floor above their tokens
    standing grant;
    unsigned hand_overs = 0;                 ///< since the item came here
    std::optional<time_point> refused_at{};  ///< the item was last seen in other hands
    std::uint64_t turns = 0;                 ///< grants to single callers so far
    item_outlook outlook;
    outage silence;

private:
    item_reply read_failure(failure why) const;
    item_reply noted(item_reply seen, time_point sent);
};

}  // namespace dynalease::protocol
