// The one place of a process for one item: its local queue, its claim, its grant.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "item_lock/item_hold.hpp"
#include "item_lock/protocol/item_lock_requests.hpp"
#include "item_lock/protocol/item_outlook.hpp"
#include "runtime/alarm.hpp"
#include "runtime/waiter_list.hpp"
#include "session/callers.hpp"
#include "session/idle_claims.hpp"
#include "session/protocol/outage.hpp"
#include "session/session_impl.hpp"

#include <dynalease/item_lock/item_lock.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::detail {

/// What makes a front: the item, and how its lock is kept.
struct item_place {
    item_key key;
    protocol::item_layout layout;
    item_lock_options options;
};

/// As a lock's front: at most one coroutine drives it, with at most one open claim. Readers of this process share one
/// grant; it is given back with the last of them. Guarded writes are sent by their callers, one at a time.
///
/// idle -> wanting -> held -> giving back -> held | idle; wanting -> resolving -> giving back | idle; and for several
/// items at once idle -> reserved -> held | resolving | idle.
class item_lock_impl final : public claiming_member, public std::enable_shared_from_this<item_lock_impl> {
public:
    static constexpr char membership{};  ///< its address is the kind of member

    item_lock_impl(session_impl& core, std::string name, const item_place& place);
    ~item_lock_impl() override;

    using guard_type = item_guard;
    using callers_type = detail::callers<item_guard, protocol::item_access>;
    callers_type& callers() noexcept { return callers_; }

    /// What a guarded write came to.
    struct write_end {
        shared_failure why{};    ///< null: it was done
        dynalease::item left{};  ///< the item after it
    };

    /// The answer to one request about the item, and what it showed.
    struct sighting {
        answer kind = answer::delayed;
        protocol::item_lock_state lock{};
        std::optional<dynalease::item> whole{};  ///< the item, if the answer brought all of it
        shared_failure why{};
        bool doubtful = false;            ///< refused after a copy without an answer, which may be the very reason
        dynalease::time_point sent_at{};  ///< the first copy of the request
        /// Of a writer's release: the step that the item was at.
        std::optional<std::int64_t> step_before{};
    };

    const std::string& name() const noexcept { return name_; }
    member_key key() const noexcept override { return {&membership, name_}; }
    protocol::item_lock_requests requests() const { return {place_.layout, place_.key, core_.id()}; }
    /// Why an update may not be written under an item's lock; empty: it may.
    std::string reserved_name_in(const update_expression& update) const {
        return protocol::reserved_name_in(place_.layout, update);
    }

    // ---- the database's executor ----
    /// Held, or wanted by others in this process, so that a try for it need not ask the table.
    bool busy(protocol::item_access access);
    /// Completes when no renewal is under way: the caller's write is then the only one. A guard that ends or writes
    /// is not renewed meanwhile. @returns false if the grant ran out in the meantime: a copy of the renewal may have
    /// taken the very step that a write would take.
    boost::asio::awaitable<bool> between_renewals(std::shared_ptr<item_hold> hold);
    /// Somebody waits who is not being driven yet.
    void wake();
    /// A caller goes that was not served. @returns whether its write may still land: it is resolved then.
    bool left(const callers_type::caller& who);
    /// Gives the grant back, or hands it to the next local waiter.
    void give_back(const std::shared_ptr<item_hold>& hold);
    boost::asio::awaitable<write_end> change(std::shared_ptr<item_hold> hold, update_expression update,
                                             condition_expression condition);
    /// The guard was let go before.
    boost::asio::awaitable<write_end> change_and_release(std::shared_ptr<item_hold> hold, update_expression update,
                                                         condition_expression condition, item_stamp stamp);
    boost::asio::awaitable<write_end> erase(std::shared_ptr<item_hold> hold, condition_expression condition);
    boost::asio::awaitable<write_end> downgrade(std::shared_ptr<item_hold> hold);

    // ---- several items at once: item_joint.cpp ----
    const item_place& place() const noexcept { return place_; }
    /// Takes the front out of the hands of this process's other users, if none of them is at work on the item.
    /// @param mine the claim that several items share. Another one that is open here is closed first: it is in the way
    /// until then.
    /// @param came as for `place_in_line`.
    bool reserve(const std::optional<protocol::claim>& mine, std::int64_t came);
    /// Nobody here has the item, or looks out for it, or stands in line for it and came before that one.
    bool open_to(std::int64_t came);
    /// Those who want several items stand in line for the one that is in other hands here, in the order in which they
    /// came to this process, wherever they stood meanwhile. The first is woken when the item is free, and with each
    /// that leaves the line the next, which it may have kept out.
    class place_in_line {
    public:
        /// @param came a number that rises from one to the next of them.
        place_in_line(item_lock_impl& front, std::int64_t came, runtime::alarm& woken);
        ~place_in_line();
        place_in_line(const place_in_line&) = delete;
        place_in_line& operator=(const place_in_line&) = delete;

    private:
        item_lock_impl& front_;
        std::map<std::int64_t, runtime::alarm*>::iterator position_;
    };
    /// Looks at the item for all that stand in line for it here.
    class looking_out {
    public:
        looking_out(item_lock_impl& front, runtime::alarm& woken) : front_(front) { front.looks_out_ = &woken; }
        ~looking_out() {
            front_.looks_out_ = nullptr;
            front_.call_line();
        }
        looking_out(const looking_out&) = delete;
        looking_out& operator=(const looking_out&) = delete;

    private:
        item_lock_impl& front_;
    };
    /// Grants to single callers so far: how often they were served before those in line.
    std::uint64_t turns() const noexcept { return turns_; }
    /// Why nobody should go on waiting for whoever has the item here; null: they may.
    shared_failure forsaken() const { return outage_.too_long(); }
    /// Readers of this process have the item, and may go on having it as others join them.
    bool read_here() const { return phase_ == phase::held && grant_.access == protocol::item_access::shared; }
    /// The least token that may be granted here.
    std::int64_t next_token() const;
    /// The request for this claim is about to be sent.
    void stake(const protocol::claim& mine);
    /// An answer to a request sent then has shown that the claim was not granted before it.
    void note_absent(dynalease::time_point sent);
    void note_unanswered();
    /// A copy of that claim may still land, for all that is known here.
    bool unresolved(const protocol::claim& which) const {
        return claim_ && claim_->id == which && claim_->unanswered && !claim_->closed;
    }
    /// No copy of the claim can land any more.
    void renew_claim();
    /// What to do about the item in this state, as for a try.
    protocol::item_acquire_decision consider(const protocol::item_lock_state& lock, const protocol::claim& mine,
                                             protocol::item_access access);
    transact_update take_together(const protocol::claim& mine, const protocol::item_take_form& form) const;
    boost::asio::awaitable<sighting> look(bool whole);
    sighting read_item(answer kind, const dynalease::item* shown, bool whole) const;
    std::chrono::nanoseconds time_to_next_look(const protocol::item_lock_state& lock) {
        return outlook_.time_to_next_look(lock);
    }
    /// The end of a reservation without a grant. What may still land is resolved. @param lock the item as last seen.
    void give_free(const protocol::item_lock_state& lock);
    /// The end of a reservation with one.
    item_guard grant(sighting seen);
    /// How long a write without an answer is sent again before it is in doubt.
    static constexpr std::chrono::seconds resolve_within{10};
    using guarded_request = std::variant<update_item_request, delete_item_request>;
    struct last_write {
        protocol::item_grant held;  ///< a plain session's may run out, and another begin, while the write is under way
        guarded_request request;
        std::optional<item_stamp> stamp{};  ///< what it leaves on the item
        bool raises = false;                ///< the item's version
        bool erases = false;
    };
    last_write last_change(update_expression update, condition_expression condition, const item_stamp& stamp) const;
    last_write last_erase(const condition_expression& condition) const;
    /// What kept a write from an item that was ours all along: the caller's own condition, or the item's version.
    shared_failure why_not(const sighting& seen, bool raises) const;
    /// What the refusal of a last write means: a copy was applied, the caller's condition is false, or it is not ours.
    protocol::guarded_step judge_last(const sighting& seen, const last_write& last) const;
    /// The grant has ended by its last write.
    void ended(const std::shared_ptr<item_hold>& hold, error_code code);

    void session_lost(const failure& why) override;
    void session_closes(const failure& why, bool release,
                        std::vector<std::shared_ptr<pending_release>>& under_way) override;
    bool has_idle_claim() const noexcept override { return phase_ == phase::idle && claim_.has_value(); }
    std::optional<dynalease::time_point> last_sent() const noexcept override {
        return claim_ && claim_->sent ? std::optional(claim_->sent_at) : std::nullopt;
    }
    void resolve_claim(bool look_first) override;

private:
    enum class phase { idle, reserved, wanting, held, giving_back, resolving, auditing };

    struct open_claim {
        protocol::claim id;
        bool sent = false;
        bool unanswered = false;
        bool intended = false;
        dynalease::time_point intended_at{};
        bool closed = false;  ///< kept for the audit alone
        dynalease::time_point sent_at{};
        dynalease::time_point absent_at{};  ///< no copy of it was in the item before this
    };

    // Driving: each step runs until the phase changes. `seen` is the item as last seen.
    void drive();
    boost::asio::awaitable<void> run(item_target self);
    boost::asio::awaitable<void> let_join(sighting& seen);
    boost::asio::awaitable<bool> is_over(protocol::item_claimant who);
    boost::asio::awaitable<void> want(sighting& seen);
    boost::asio::awaitable<void> resolve(sighting& seen);
    boost::asio::awaitable<void> give_back_or_hand_over(sighting& seen);
    boost::asio::awaitable<void> hand_over(sighting& seen);
    boost::asio::awaitable<void> release(sighting& seen, std::optional<protocol::claim> unresolved);
    boost::asio::awaitable<void> audit(sighting& seen);

    // Steps of `want`.
    boost::asio::awaitable<sighting> carry_out(protocol::item_acquire_decision step);
    boost::asio::awaitable<protocol::item_acquire_decision> next_step(const protocol::item_lock_state& lock,
                                                                      shared_failure& why);
    void study(const protocol::item_lock_state& lock);
    void note_absence(const sighting& seen, bool taking);
    bool intent_must_show_life(const protocol::item_lock_state& lock) const;
    boost::asio::awaitable<bool> granted(sighting& seen, bool taken_over, bool own_copy);

    // Requests.
    template <class Request>
    boost::asio::awaitable<sighting> send(Request request, call_options how = {});
    std::optional<std::int64_t> step_in(const dynalease::item& shown) const;
    void note_sent();
    protocol::claim next_intent();
    sighting read_failure(failure why) const;
    sighting noted(sighting seen, dynalease::time_point sent);
    boost::asio::awaitable<void> pause(std::chrono::nanoseconds time);
    boost::asio::awaitable<void> retry_later(unsigned failures_so_far);

    // Guarded writes.
    boost::asio::awaitable<sighting> send_until_known(guarded_request request);
    bool remembers(const sighting& seen, const item_stamp& stamp) const;
    write_end write_lost(const std::shared_ptr<item_hold>& hold);
    void stepped(const protocol::item_grant& held, const sighting& seen);
    boost::asio::awaitable<write_end> end_with(std::shared_ptr<item_hold> hold, last_write last);
    write_end ran_out(const std::shared_ptr<item_hold>& hold);
    bool landed(const sighting& seen, const last_write& last) const;

    // What keeps a plain session's grant alive: item_keeping.cpp.
    dynalease::time_point grant_end() const { return kept_since_ + core_.plain()->times.hold; }
    /// Always, for a session with a row.
    bool grant_lives() const { return !core_.plain() || core_.now() < grant_end(); }
    /// The grant's text is that of a write whose first copy was sent then.
    void kept(dynalease::time_point sent);
    /// The same of a write under the grant. An answer that comes after its end changes nothing: lost is final.
    void kept_on(dynalease::time_point sent);
    void tell_end(item_hold& hold) const;
    bool may_renew() const;
    /// The grant is still this one.
    bool holds(const protocol::item_grant& held) const;
    boost::asio::awaitable<void> keep(item_target self);
    boost::asio::awaitable<void> renew();
    boost::asio::awaitable<bool> extend(const protocol::item_grant& held);
    boost::asio::awaitable<bool> succeed(const protocol::item_grant& held);
    boost::asio::awaitable<sighting> send_while_held(update_item_request request, const protocol::item_grant& held);
    void run_out();
    /// Not ours any more, without our doing.
    void lose_holds();

    static shared_failure fault(errc code);

    // The claim and the grant.
    protocol::claim next_claim(std::int64_t floor);
    void close_claim(bool applied);
    void audit_late_copies();
    void put_off_audit();
    /// The item names the open claim: that is our grant, and the claim is closed.
    void take_grant(const protocol::item_lock_state& lock);
    void give_up(const protocol::item_lock_state& lock);
    bool serve();
    void serve_readers();
    std::shared_ptr<item_hold> make_hold();
    void end_grant();
    void leave_to_lease(const std::shared_ptr<item_hold>& hold);
    void resolve_doubt(std::int64_t step);
    void tell_leaving(error_code code);
    void finish_leaving(error_code code);
    void drop();
    void rest();
    void call_line();

    // The local queue.
    static constexpr auto whoever_came = dynalease::time_point::max();
    /// @param sent the request that shows why: what the item was then is no answer to those who came later.
    void fail_waiters(const shared_failure& why, dynalease::time_point sent = whoever_came) {
        callers_.fail_all(why, sent);
    }
    /// @param why null: others have the item. @param sent as above
    void fail_try(const shared_failure& why, dynalease::time_point sent = whoever_came) {
        callers_.fail_try(why, sent, may_land());
    }
    bool try_came_after(dynalease::time_point sent) { return callers_.try_came_after(sent, may_land()); }
    void turn_away(const failure& why);
    /// What a waiter is told who fails of this: doubt, while a copy of the claim is unanswered. @param why as above
    shared_failure or_doubt(const shared_failure& why) const;
    callers_type::caller* first_waiter() { return callers_.first(may_land()); }
    bool may_land() const noexcept;
    bool wanted() { return first_waiter() != nullptr; }
    bool waited_for() { return callers_.waited_for(may_land()); }

    session_impl& core_;
    const std::string name_;
    const item_place place_;
    phase phase_ = phase::idle;
    bool driven_ = false;   ///< a coroutine is at work
    bool writing_ = false;  ///< a copy of the claim is under way
    bool kept_ = false;     ///< a coroutine keeps a plain session's grants alive
    bool renewing_ = false;
    callers_type callers_;
    std::map<std::int64_t, runtime::alarm*> line_;  ///< by when they came
    runtime::alarm* looks_out_ = nullptr;
    std::uint64_t turns_ = 0;
    std::optional<open_claim> claim_;
    /// The last closed claim that had a copy without an answer. Removed and made again, the item would forget the floor
    /// that keeps that one out.
    std::optional<open_claim> unlanded_;
    protocol::item_access wants_ = protocol::item_access::exclusive;  ///< what the open claim is for
    protocol::item_grant grant_{};                                    ///< the last
    dynalease::item known_;                          ///< the item as the grant found it, or the last write left it
    std::vector<std::weak_ptr<item_hold>> holds_;    ///< of the present grant
    std::vector<std::weak_ptr<item_hold>> leaving_;  ///< given back, and not known to be free yet
    std::int64_t last_token_ = 0;
    std::int64_t floor_ = 0;
    unsigned hand_overs_ = 0;  ///< since the item came here
    protocol::item_outlook outlook_;
    outage outage_;
    dynalease::time_point kept_since_{};  ///< of a plain session's grant: its text was not in the item before
    std::optional<runtime::alarm> sleep_;
    std::optional<runtime::alarm> keeper_;
    runtime::waiter_list<runtime::unit> renewed_;
};

}  // namespace dynalease::detail
