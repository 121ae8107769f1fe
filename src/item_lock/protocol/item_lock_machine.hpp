// The lock of an item in one process, without I/O: what happened to it goes in, what it needs next comes out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/sequence.hpp"
#include "item_lock/protocol/item_lock_claimant.hpp"
#include "item_lock/protocol/item_lock_sequences.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace dynalease::protocol {

/// It needs nothing while the item is held and nobody wants to join, or nobody wants it.
///
/// idle -> wanting -> held -> giving back -> held | idle; wanting -> resolving -> giving back | idle;
/// idle -> auditing -> wanting | resolving | idle; and for several items at once
/// idle -> reserved -> held | resolving | idle.
class item_lock_machine {
public:
    item_lock_machine(session_view& session, item_lock_callers& callers, std::string name, locked_item item);

    const std::string& name() const noexcept { return lock_.name; }
    const locked_item& item() const noexcept { return lock_.item; }
    item_lock_requests requests() const { return lock_.requests(); }
    bool idle() const noexcept { return lock_.now == phase::idle; }
    bool held() const noexcept { return lock_.now == phase::held; }
    bool rests() const noexcept { return idle() || held(); }
    /// A try for it need not ask the table: it is held here so that nobody may join.
    bool kept_from(item_access access) const noexcept;
    /// Readers of this process have the item, and may go on having it as others join them.
    bool read_here() const noexcept { return held() && lock_.grant.held.access == item_access::shared; }
    /// The last grant.
    const item_lock_claimant::standing& grant() const noexcept { return lock_.grant; }
    time_point grant_end() const { return lock_.grant_end(); }
    /// Its time is not up: only a plain session's grant has a time of its own.
    bool grant_lives() const { return lock_.grant_lives(); }
    bool has_idle_claim() const noexcept { return idle() && lock_.open; }
    /// The last copy of the open claim.
    std::optional<time_point> last_sent() const noexcept;
    /// Who else was seen to have it last; empty: nobody.
    const std::optional<item_holder>& others() const noexcept { return lock_.outlook.holder(); }
    bool in_transaction() const noexcept { return lock_.outlook.in_transaction(); }
    /// A writer elsewhere was seen to wait for it, and keeps further readers out.
    bool others_intend() const noexcept { return lock_.outlook.others_intend(); }
    /// Whether a write for those who want the item may still land.
    /// @param sent what is under way may: not each attempt of it was answered
    bool may_land(bool sent) const noexcept { return lock_.may_land(sent); }
    /// Grants to single callers so far.
    std::uint64_t turns() const noexcept { return lock_.turns; }
    /// Why nobody should go on waiting for whoever has the item here; null: they may.
    detail::shared_failure forsaken() const { return lock_.silence.too_long(); }

    // ---- what happens ----
    /// Somebody wants it.
    void want();
    /// `run` is about to begin.
    void begin() noexcept { lock_.silence.ends(); }
    /// The guard that had the grant last gives it back.
    void give_back();
    /// The grant is over without a request.
    void lose() noexcept { lock_.now = phase::idle; }
    /// On to what is wanted next.
    void rest() { lock_.rest(); }
    /// The idle claim is to be closed. @param look_first at whether it landed
    void resolve(bool look_first) noexcept { lock_.now = look_first ? phase::auditing : phase::resolving; }
    /// Nothing can be sent any more.
    void drop() { lock_.drop(); }

    // ---- what it needs ----
    /// Goes on until it rests. One at a time. @param steps whom it asks; lives as long as the sequence, as for all
    sequence<void> run(stepper& steps);
    /// Beside it, for as long as a plain session holds the item.
    sequence<void> keep(stepper& steps) { return keep_grant(lock_, steps); }
    /// @param seen what it shows
    sequence<void> look(stepper& steps, item_reply& seen);
    /// @param next to `reap`, or to `free` @param seen what that shows
    sequence<void> clear(stepper& steps, const item_acquire_decision& next, item_reply& seen);

    // ---- guarded writes ----
    /// @param end what it came to, as for the others
    sequence<void> change(stepper& steps, guarded_change what, guarded_end& end);
    sequence<void> downgrade(stepper& steps, guarded_end& end) { return downgrade_grant(lock_, steps, end); }
    sequence<void> end_with(stepper& steps, last_write last, guarded_end& end);
    last_write last_change(update_expression update, condition_expression condition, const item_stamp& stamp) const;
    last_write last_erase(const condition_expression& condition) const;
    detail::shared_failure why_not(const item_reply& seen, bool raises) const {
        return protocol::why_not(lock_, seen, raises);
    }
    /// What the refusal of a last write means: a copy was applied, the caller's condition is false, or it is not ours.
    guarded_step judge_last(const item_reply& seen, const last_write& last) const;

    // ---- one of several that are claimed together ----
    /// @param mine the claim that they share @returns false where another one is open, which is to be closed first
    bool reserve(const std::optional<claim>& mine);
    /// The least token that may be granted here.
    std::int64_t next_token() const { return lock_.tokens.next(lock_.session); }
    /// The request for this claim is about to be sent.
    void stake(const claim& mine);
    void note_absent(time_point sent) { lock_.note_absent(sent); }
    void note_unanswered() { lock_.note_unanswered(); }
    /// A copy of that claim may still land, for all that is known here.
    bool unresolved(const claim& which) const noexcept;
    /// No copy of the claim can land any more.
    void close_claim() { lock_.close_claim(false); }
    /// What to do about the item in this state, as for a try.
    item_acquire_decision consider(const item_lock_state& seen, const claim& mine, item_access access);
    std::chrono::nanoseconds time_to_next_look(const item_lock_state& seen) {
        return lock_.outlook.time_to_next_look(seen);
    }
    /// The end of a reservation without a grant. What may still land is resolved. @param seen the item as last seen
    void give_free(item_reply seen);
    /// The end of a reservation with one.
    void take_grant(item_reply seen);

protected:
    item_lock_claimant lock_;

private:
    using phase = item_lock_claimant::phase;

    item_reply seen_reserved_;  ///< what `run` is to begin with: the item as a reservation has left it
};

}  // namespace dynalease::protocol
