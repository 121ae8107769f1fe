// One life of a session: its lease, its heartbeat, and the members that live under it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "runtime/alarm.hpp"
#include "runtime/context_end.hpp"
#include "runtime/gate.hpp"
#include "runtime/waiter_list.hpp"
#include "session/failure_detector.hpp"
#include "session/former_lives.hpp"
#include "session/idle_claims.hpp"
#include "session/openers.hpp"
#include "session/protocol/session_lease.hpp"
#include "session/protocol/session_view.hpp"
#include "session/session_member.hpp"
#include "session/wait_limit.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynalease::detail {

class hold;

/// What a life has from those before it.
struct session_ancestry {
    std::shared_ptr<protocol::session_tally> counters = std::make_shared<protocol::session_tally>();  ///< of all
    std::uint64_t number = 1;             ///< in their order
    std::vector<std::string> unclosed{};  ///< those of them whose rows may still say that they live
};

class session_impl final : public protocol::session_view, public std::enable_shared_from_this<session_impl> {
public:
    /// @throws dynalease::error for options out of range.
    session_impl(database target, session_options options);
    session_impl(database target, plain_session_options options);
    /// @param options checked
    session_impl(database target, session_options options, std::optional<protocol::plain_keeping> plain,
                 session_ancestry ancestry);
    ~session_impl();

    // ---- any thread ----
    session_state state() const noexcept;
    /// Whether a grant of this session is in force at this instant.
    bool valid() const noexcept;
    const session_options& options() const noexcept { return options_; }
    const std::string& id() const noexcept override { return id_; }
    const std::string& table() const noexcept override { return options_.table; }
    std::chrono::hours retention() const noexcept override { return options_.retention; }
    const protocol::plain_keeping* plain() const noexcept override { return plain_ ? &*plain_ : nullptr; }
    const environment& world() const noexcept { return database_.environment(); }
    std::uint64_t number() const noexcept { return ancestry_.number; }
    session_counters counted() const noexcept { return ancestry_.counters->now(); }
    /// If it is ever lost, another life may follow.
    bool may_be_followed() const noexcept;
    /// It was lost, all who lived in it have been told, and another life may follow.
    bool awaits_next() const noexcept { return lost_ && may_be_followed(); }
    std::shared_ptr<session_impl> next() const;
    /// Closed for all who ask from here on; `begin_close` follows.
    /// @param drains work goes on meanwhile, and all that is held stays in force until it has ended
    void announce_close(bool drains) noexcept;
    /// It closes, and its lease still keeps what is held. @param in_use work goes on under the very grant
    bool keeps_while_closing(bool in_use) const noexcept;
    /// `live`, `jeopardy` or `lost`, by the deadline alone.
    session_state by_lease() const noexcept;
    /// For destructors: nothing can be posted any more.
    bool context_ended() const noexcept { return context_->reached(); }
    /// The member of that name, made if there is none: `Member(core, name, options)`.
    template <class Member, class Options>
    std::shared_ptr<Member> member(std::string name, const Options& options) {
        std::shared_ptr<Member> made;  // where it cannot be kept it ends after the guard: its end takes the mutex, too
        const std::lock_guard hold(members_mutex_);
        if (auto known = find_member({&Member::membership, name}))
            return std::static_pointer_cast<Member>(std::move(known));
        made = std::make_shared<Member>(*this, std::move(name), options);
        members_.emplace(made->key(), made);
        return made;
    }
    /// From here to `end_work` the session tells `work` when it closes, and `grant` is given back by its guard alone.
    /// @returns false when the session is closed or closing.
    bool begin_work(const std::shared_ptr<bound_work>& work, hold& grant);
    void end_work(const std::shared_ptr<bound_work>& work, hold& grant) noexcept;
    /// By the member's destructor.
    void forget(const member_key& key) noexcept;

    // ---- the database's executor ----
    const database& target() const noexcept { return database_; }
    protocol::session_tally& counters() noexcept override { return *ancestry_.counters; }
    failure_detector& remotes() noexcept { return remotes_; }
    runtime::gate& work() noexcept { return work_; }
    runtime::gate& life() noexcept { return life_; }
    former_lives& formers() noexcept { return formers_; }
    /// For the answer to a sign of life, or to what nobody waits for.
    std::chrono::nanoseconds beat_limit() const noexcept { return lease_.times().beat_limit; }
    idle_claims& idle() noexcept { return idle_; }
    const protocol::session_watch& watch(std::string_view id) override { return remotes_.watch(id); }
    dynalease::time_point now() const noexcept override { return world().clock->now(); }
    wall_time wall() const noexcept override { return database_.wall(); }
    double unit() override { return world().random->unit(); }
    std::int64_t next_attempt() noexcept override { return ++last_attempt_; }
    void log(severity level, const std::string& line) const override;
    /// What every request of this session that failed is shown to: with the client closed, all is over at once.
    void heed(const failure& why);

    /// From now on it is asked with each heartbeat whether somebody waits there for too long.
    void note_wait(std::weak_ptr<session_member> where) { waits_.push_back(std::move(where)); }

    bool live() const noexcept override { return !closing_ && may_write(); }
    bool may_write() const noexcept override;
    failure over_failure() const override;
    /// Why a wait for a grant ended with `waited`, by its time or its caller. A session that is over closes every
    /// claim.
    failure given_up(error_code waited, bool may_land) const;

    /// Completes when the session is live; the first caller makes the row. Null, or why not.
    ///
    /// Where nobody can be reached, who only tries is told at once, and so is who would wait for ever while the session
    /// has never been live: there the endpoint may be wrong. All others wait until their time is over.
    boost::asio::awaitable<shared_failure> open(wait_limit limit);
    boost::asio::awaitable<error_code> wait_over();
    void lose(const std::string& why) override;
    /// Begins to close, once; `wait_closed` tells the end.
    void begin_close(const close_options& options);
    boost::asio::awaitable<result<close_report>> wait_closed();

private:
    struct key_hash {
        std::size_t operator()(const member_key& key) const noexcept {
            return std::hash<std::string_view>()(key.name) + std::hash<const void*>()(key.kind);
        }
    };
    std::shared_ptr<session_member> find_member(const member_key& key);
    std::vector<std::shared_ptr<session_member>> all_members();
    void publish() noexcept;
    void tell(session_state now);
    enum class loss { ran_out, told, for_good };
    void lose(const std::string& why, loss how);
    void end();
    void tell_works();
    bool has_works();
    boost::asio::awaitable<void> let_works_end(dynalease::time_point until);
    void tell_long_waits();

    boost::asio::awaitable<void> open_row(std::shared_ptr<session_impl> self);
    boost::asio::awaitable<shared_failure> create_row();
    void note_trouble(const shared_failure& why);
    shared_failure explain(failure why) const;
    void go_live();
    boost::asio::awaitable<bool> beat_once();
    void tell_miss(const failure& why);
    boost::asio::awaitable<void> beat(std::shared_ptr<session_impl> self);
    boost::asio::awaitable<void> watch_deadline(std::shared_ptr<session_impl> self);
    boost::asio::awaitable<void> close(std::shared_ptr<session_impl> self, close_options options);
    boost::asio::awaitable<bool> release_all(dynalease::time_point until);
    void leave_all();
    boost::asio::awaitable<void> close_row(dynalease::time_point until);

    database database_;
    session_options options_;
    std::optional<protocol::plain_keeping> plain_;
    session_ancestry ancestry_;
    std::string id_;
    unsigned born_in_fork_;
    protocol::session_lease lease_;
    protocol::beat_ledger beats_;
    bool closing_ = false;
    bool ended_ = false;   ///< nothing is sent any more
    bool closed_ = false;  ///< `close` has done what it could

    // What other threads read.
    std::atomic<session_state> published_{session_state::idle};
    std::atomic<bool> close_announced_{false};
    std::atomic<bool> draining_{false};  ///< it closes, and waits for work to end
    std::atomic<std::int64_t> deadline_{0};
    std::atomic<std::int64_t> jeopardy_{0};
    std::atomic<bool> lost_{false};
    std::atomic<bool> for_good_{false};
    bool row_is_told_ = true;  ///< its row, if there is one, says that it is over; final before `lost_` is

    std::int64_t last_attempt_ = 0;
    failure_detector remotes_;
    former_lives formers_;
    std::shared_ptr<runtime::context_end> context_;
    runtime::gate work_;                        ///< the members' own coroutines
    runtime::gate life_;                        ///< opening, heartbeat, deadline, closing
    session_state told_ = session_state::idle;  ///< to whom the options name
    /// What the log was told last of heartbeats without an answer, since one had any.
    struct told_miss {
        dynalease::time_point at;
        bool in_jeopardy;
    };
    std::optional<told_miss> miss_told_;
    runtime::alarm open_again_;
    runtime::alarm beat_alarm_;
    runtime::alarm deadline_alarm_;
    runtime::alarm works_ended_;
    openers openers_;
    std::vector<std::weak_ptr<session_member>> waits_;
    runtime::waiter_list<runtime::unit> over_waiters_;
    runtime::waiter_list<runtime::unit> close_waiters_;
    close_report report_;

    std::mutex members_mutex_;                                                         ///< of the next two
    std::unordered_map<member_key, std::weak_ptr<session_member>, key_hash> members_;  ///< keys: the members' own names
    /// Kept by what runs: kept here, they would keep us where no loop runs any more.
    std::set<std::weak_ptr<bound_work>, std::owner_less<>> works_;
    idle_claims idle_;  ///< last: its members ask to be forgotten when they go
};

}  // namespace dynalease::detail
