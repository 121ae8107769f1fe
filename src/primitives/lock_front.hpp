// The one place of a process for one lock: its local queue, its claim, its grant.
#pragma once

#include "primitives/answer.hpp"
#include "primitives/lock_hold.hpp"
#include "primitives/session_core.hpp"
#include "protocol/lock_decisions.hpp"
#include "protocol/waiting.hpp"
#include "runtime/alarm.hpp"
#include "runtime/spawn.hpp"
#include "runtime/waiter_list.hpp"

#include <dynalease/lock.hpp>

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
/// idle -> wanting -> held -> giving back -> held | idle; wanting -> settling -> giving back | idle.
class lock_front final : public claiming_member, public std::enable_shared_from_this<lock_front> {
public:
    static constexpr auto membership = member_kind::lock;

    lock_front(session_core& core, std::string name, const lock_options& options);
    ~lock_front() override;

    /// A caller that waits for the lock. Registered while it lives.
    class waiter {
    public:
        waiter(lock_front& front, item data, bool tries);
        ~waiter();
        waiter(const waiter&) = delete;
        waiter& operator=(const waiter&) = delete;

        runtime::waiter_list<grant> served;
        const item data;
        const bool tries;

    private:
        lock_front& front_;
        std::list<waiter*>::iterator position_;
    };

    const std::string& name() const noexcept { return name_; }
    member_key key() const noexcept override { return {membership, name_}; }
    protocol::lock_requests requests() const { return {core_.options().table, name_, core_.id()}; }

    // ---- the database's executor ----
    /// Held, or wanted by others in this process: a try need not ask the table.
    bool busy() const;
    /// Somebody waits who is not being driven yet.
    void wake();
    /// A waiter has gone. @returns whether its write may still land: the front then settles it.
    bool left();
    /// Gives the grant back, or hands it to the next local waiter.
    void give_back(const std::shared_ptr<lock_hold>& hold);
    void session_lost(const failure& why) override;
    void session_closes(const failure& why, bool release,
                        std::vector<std::shared_ptr<const parting>>& under_way) override;
    void resolve_claim(bool look_first) override;
    bool has_idle_claim() const noexcept override { return phase_ == phase::idle && claim_.has_value(); }
    dynalease::time_point last_sent() const noexcept override {
        return claim_ ? claim_->sent_at : dynalease::time_point{};
    }

private:
    enum class phase { idle, wanting, held, giving_back, settling, auditing };

    struct open_claim {
        protocol::claim id;
        bool sent = false;
        bool unanswered = false;
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
    boost::asio::awaitable<void> settle(protocol::lock_row& row);
    boost::asio::awaitable<void> give_back_or_hand_over(protocol::lock_row& row);
    boost::asio::awaitable<void> hand_over(protocol::lock_row& row);
    boost::asio::awaitable<void> release(protocol::lock_row& row, std::optional<protocol::claim> unresolved);
    boost::asio::awaitable<void> audit(protocol::lock_row& row);

    // Steps of `want`.
    boost::asio::awaitable<sighting> carry_out(protocol::want_decision step);
    boost::asio::awaitable<protocol::want_decision> next_step(const protocol::lock_row& row, shared_failure& why);
    protocol::holder_is judge_holder(const protocol::lock_row& row, bool waits);
    dynalease::time_point watch_due(const protocol::lock_row& row);
    std::chrono::nanoseconds time_to_next_look(const protocol::lock_row& row, protocol::want_step step);

    // Requests.
    boost::asio::awaitable<sighting> send(update_item_request request);
    boost::asio::awaitable<sighting> look();
    static sighting read_row(answer kind, const item* shown);
    static sighting read_failure(failure why);
    boost::asio::awaitable<void> pause(std::chrono::nanoseconds time);

    // The claim and the grant.
    protocol::claim next_claim(std::int64_t floor);
    void note_unanswered();
    void close_claim(bool applied);
    void give_up(const protocol::lock_row& row);
    void granted(bool taken_over, bool own_copy);
    void handed(const protocol::lock_row& row);
    bool serve(const protocol::claim& claim);
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
    void fail_first(const shared_failure& why);
    void fail_tries(const shared_failure& why);
    waiter* first_waiter() const;
    bool wanted() const { return first_waiter() != nullptr; }
    bool waited_for() const;
    std::int64_t row_expiry() const;

    session_core& core_;
    const std::string name_;
    const lock_options options_;
    phase phase_ = phase::idle;
    bool driven_ = false;   ///< a coroutine is at work
    bool writing_ = false;  ///< a copy of the claim is under way
    std::list<waiter*> waiters_;
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
    std::optional<runtime::alarm> sleep_;
};

}  // namespace dynalease::detail
