// The one place of a process for one lock: its local queue, its claim, its grant.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/answer.hpp"
#include "lock/lock_hold.hpp"
#include "lock/protocol/lock_decisions.hpp"
#include "lock/protocol/lock_times.hpp"
#include "runtime/alarm.hpp"
#include "runtime/spawn.hpp"
#include "runtime/waiter_list.hpp"
#include "session/session_impl.hpp"

#include <dynalease/lock/lock.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

/// What a waiter is served: a guard (perhaps empty, for a try), or why there is none.
struct grant {
    lock_guard guard;
    shared_failure why;
};

/// At most one coroutine drives a front, and only while there is something to do: a held lock costs none.
/// It has at most one write of its own under way, and at most one open claim, so that no copy of anything this
/// process ever sent for the lock can surprise it.
///
/// idle -> wanting -> held -> giving back -> held | idle; wanting -> resolving -> giving back | idle.
class lock_impl final : public claiming_member, public std::enable_shared_from_this<lock_impl> {
public:
    static constexpr char membership{};  ///< its address is the kind of member

    lock_impl(session_impl& core, std::string name, const lock_options& options);
    ~lock_impl() override;

    /// A caller that waits for the lock. Registered while it lives.
    class waiter {
    public:
        waiter(lock_impl& front, item data, bool tries);
        ~waiter();
        waiter(const waiter&) = delete;
        waiter& operator=(const waiter&) = delete;

        runtime::waiter_list<grant> served;
        const item data;
        const bool tries;

    private:
        friend class lock_impl;
        lock_impl& front_;
        std::list<waiter*>* in_;  ///< the front's list of those who wait, or of those who did
        std::list<waiter*>::iterator position_;
        bool in_doubt_ = false;  ///< when it ended, a copy of the claim might still have landed
    };

    const std::string& name() const noexcept { return name_; }
    member_key key() const noexcept override { return {&membership, name_}; }
    protocol::lock_requests requests() const { return {core_.options().table, name_, core_.id()}; }

    // ---- the database's executor ----
    /// Held, or wanted by others in this process: a try need not ask the table.
    bool busy();
    /// Somebody waits who is not being driven yet.
    void wake();
    /// A waiter goes that was not served. @returns whether its write may still land: the front then resolves it.
    bool left(const waiter& who);
    /// Gives the grant back, or hands it to the next local waiter.
    void give_back(const std::shared_ptr<lock_hold>& hold);
    void session_lost(const failure& why) override;
    void session_closes(const failure& why, bool release,
                        std::vector<std::shared_ptr<pending_release>>& under_way) override;
    void resolve_claim(bool look_first) override;
    bool has_idle_claim() const noexcept override { return phase_ == phase::idle && claim_.has_value(); }
    std::optional<dynalease::time_point> last_sent() const noexcept override {
        return claim_ && claim_->sent ? std::optional(claim_->sent_at) : std::nullopt;
    }

private:
    enum class phase { idle, wanting, held, giving_back, resolving, auditing };

    struct open_claim {
        protocol::claim id;
        item data{};              ///< what its last copy would write into the row
        bool sent = false;        ///< a copy left this process
        bool unanswered = false;  ///< one of them had no answer
        bool for_nobody = false;  ///< what it may have brought is given back: whoever comes now has no part in it
        bool audited = false;     ///< nothing was sent since an audit was asked for
        dynalease::time_point sent_at{};
    };

    /// The answer to one request about the row, and the row it showed.
    struct sighting {
        answer kind = answer::delayed;
        protocol::lock_row row{};
        shared_failure why{};
        bool doubtful = false;  ///< refused after a copy without an answer, which may be the very reason
    };

    // Driving: each step runs until the phase changes. `row` is the row as last seen.
    void drive();
    boost::asio::awaitable<void> run(lock_target self);
    boost::asio::awaitable<void> want(protocol::lock_row& row);
    boost::asio::awaitable<void> resolve(protocol::lock_row& row);
    boost::asio::awaitable<void> give_back_or_hand_over(protocol::lock_row& row);
    boost::asio::awaitable<void> hand_over(protocol::lock_row& row);
    boost::asio::awaitable<void> release(protocol::lock_row& row, std::optional<protocol::claim> unresolved);
    boost::asio::awaitable<void> audit(protocol::lock_row& row);

    // Steps of `want`.
    boost::asio::awaitable<sighting> carry_out(protocol::acquire_decision step);
    void miss_answer(const sighting& seen, protocol::acquire_step sent);
    boost::asio::awaitable<protocol::acquire_decision> next_step(const sighting& seen, shared_failure& why);
    protocol::holder_is judge_holder(const protocol::lock_row& row, bool waits);
    dynalease::time_point watch_due(const protocol::lock_row& row);
    std::chrono::nanoseconds time_to_next_look(const protocol::lock_row& row, protocol::acquire_step step);

    // Requests.
    boost::asio::awaitable<sighting> send(update_item_request request);
    boost::asio::awaitable<sighting> look();
    static sighting read_row(answer kind, const item* shown);
    sighting read_failure(failure why);
    boost::asio::awaitable<void> pause(std::chrono::nanoseconds time);
    /// Before the next attempt after failures, not in step with those who failed with us.
    boost::asio::awaitable<void> pause_after(unsigned failures);

    // The claim and the grant.
    /// @param lead how far above the floor, at least
    protocol::claim next_claim(std::int64_t floor, std::int64_t lead = 0);
    void note_unanswered();
    void close_claim(bool applied);
    void give_up(const protocol::lock_row& row);
    /// @param written the row's data as the grant left it
    void granted(bool taken_over, bool own_copy, item written);
    void handed(const protocol::lock_row& row, item written);
    bool serve(const protocol::claim& claim, const item& written);
    void end_grant();
    /// Forgets the grant without a request; others get the lock when the lease is over.
    void leave_to_lease(const std::shared_ptr<lock_hold>& hold);
    void finish_leaving(error_code code);
    void drop();
    void rest();

    // The local queue.
    void fail_waiters(const shared_failure& why);
    /// ... and ends the driver's sleep: nobody waits any more.
    void turn_away(const failure& why);
    /// A request that carried the first waiter's data was rejected.
    void fail_rejected(const shared_failure& why);
    /// @param why null: others have the lock
    void fail_try(const shared_failure& why);
    /// What a waiter is told who fails of this: doubt, while a copy of the claim is unanswered.
    shared_failure or_doubt(const shared_failure& why) const;
    waiter* first_waiter();
    bool wanted() { return first_waiter() != nullptr; }
    bool may_land() const noexcept;
    bool waited_for();
    std::int64_t row_expiry() const;

    session_impl& core_;
    const std::string name_;
    const lock_options options_;
    phase phase_ = phase::idle;
    bool driven_ = false;         ///< a coroutine is at work
    bool writing_ = false;        ///< a copy of the claim is under way
    std::list<waiter*> waiters_;  ///< in their order, with ended ones in between; at most the first one tries
    std::list<waiter*> ended_;    ///< served, cancelled or timed out, but have not run since
    std::optional<open_claim> claim_;
    protocol::claim held_{};            ///< the claim that was granted last
    std::weak_ptr<lock_hold> hold_;     ///< the present grant
    std::weak_ptr<lock_hold> leaving_;  ///< the one that is being given back; it keeps us, not we it
    std::int64_t last_token_ = 0;
    std::int64_t floor_ = 0;       ///< the highest that was ever seen
    std::int64_t seen_floor_ = 0;  ///< that of the row as last seen; lower: the row was removed meanwhile
    unsigned hand_overs_ = 0;      ///< in a row since other processes were seen in line
    bool others_wait_ = false;
    protocol::head_watch head_;
    std::optional<dynalease::time_point> refused_at_;
    std::optional<protocol::lock_holder> holder_seen_;
    dynalease::time_point holder_since_{};
    unsigned overflows_ = 0;
    unsigned refusals_ = 0;  ///< of writes that want the lock, in a row
    std::optional<runtime::alarm> sleep_;
};

}  // namespace dynalease::detail
