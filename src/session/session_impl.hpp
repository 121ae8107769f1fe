// One life of a session: one identity, one lease, and what belongs to it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/context_end.hpp"
#include "runtime/gate.hpp"
#include "runtime/waiter_list.hpp"
#include "session/failure_detector.hpp"
#include "session/former_lives.hpp"
#include "session/protocol/session_view.hpp"
#include "session/session_closing.hpp"
#include "session/session_heartbeat.hpp"
#include "session/session_members.hpp"
#include "session/session_opening.hpp"
#include "session/session_options.hpp"
#include "session/session_status.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::detail {

/// What a life has from those before it.
struct session_ancestry {
    std::shared_ptr<protocol::session_tally> counters;  ///< of all
    std::uint64_t number = 1;                           ///< in their order
    std::vector<std::string> unclosed{};                ///< those of them whose rows may still say that they live
    former_lives::leaving_grants leaving{};             ///< ... of what they held
};

/// Puts together what opens it, keeps it alive, lives under it and closes it; and tells all of them when it is over.
class session_impl final : public protocol::session_view, public std::enable_shared_from_this<session_impl> {
public:
    session_impl(database target, session_terms terms, session_ancestry ancestry);
    ~session_impl();

    // ---- any thread ----
    const session_status& status() const noexcept { return status_; }
    const session_options& options() const noexcept { return terms_.options; }
    const std::string& id() const noexcept override { return id_; }
    const std::string& table() const noexcept override { return terms_.options.table; }
    std::chrono::hours retention() const noexcept override { return terms_.options.retention; }
    const protocol::plain_keeping* plain() const noexcept override { return terms_.plain ? &*terms_.plain : nullptr; }
    const environment& world() const noexcept { return database_.environment(); }
    std::uint64_t number() const noexcept { return ancestry_.number; }
    session_counters counted() const noexcept { return ancestry_.counters->now(); }
    session_members& members() noexcept { return members_; }
    /// The life after this one, which awaits it.
    std::shared_ptr<session_impl> next() const;
    /// Closed for all who ask from here on; `session_closing::begin` follows.
    /// While work goes on, or holders have their time, all that is held stays in force.
    void announce_close(const close_options& how) noexcept;
    /// For destructors: nothing can be posted any more.
    bool context_ended() const noexcept { return context_->reached(); }

    // ---- the database's executor ----
    session_status& status() noexcept { return status_; }
    const database& target() const noexcept { return database_; }
    protocol::session_tally& counters() noexcept override { return *ancestry_.counters; }
    failure_detector& remotes() noexcept { return remotes_; }
    former_lives& formers() noexcept { return formers_; }
    session_opening& opening() noexcept { return opening_; }
    session_heartbeat& heartbeat() noexcept { return heartbeat_; }
    session_closing& closing() noexcept { return closing_; }
    /// Opening, heartbeat and closing.
    runtime::gate& life() noexcept { return life_; }
    const protocol::session_watch& watch(std::string_view id) override { return remotes_.watch(id); }
    dynalease::time_point now() const noexcept override { return world().clock->now(); }
    wall_time wall() const noexcept override { return database_.wall(); }
    double unit() override { return world().random->unit(); }
    std::int64_t next_attempt() noexcept override { return ++last_attempt_; }
    bool live() const noexcept override { return !status_.closing() && may_write(); }
    bool may_write() const noexcept override { return status_.may_write(); }

    // The user's hooks. What they throw goes no further.
    void log(severity level, const std::string& line) const override;
    /// Once for each change.
    void tell(session_state now);
    /// Nothing was held yet under the id that it had.
    void rename() { id_ = world().new_id(); }

    failure over_failure() const override;
    /// Why a wait for a grant ended with `waited`, by its time or its caller. A session that is over closes every
    /// claim.
    failure given_up(error_code waited, bool may_land) const;
    /// What every request of this session that failed is shown to: with the client closed, all is over at once.
    void heed(const failure& why);
    void lose(const std::string& why) override { lose(why, loss::to_twin); }
    /// Its own row says that it is over; or stands, and is not what it was.
    void end_by_row(const std::string& why, bool row_stands) { lose(why, row_stands ? loss::unsaid : loss::by_row); }
    /// If its lease has run out, or this process is not the one that made it, it is lost by that: perhaps nothing has
    /// said so yet.
    void notice_loss();
    /// What could be closed has been.
    void end_by_closing();
    /// Completes when it is lost or closed.
    boost::asio::awaitable<error_code> wait_over();

private:
    enum class loss { unsaid, by_row, to_twin, for_good };  // unsaid: its row says that it lives
    void lose(const std::string& why, loss how);
    void end();

    database database_;
    session_terms terms_;
    session_ancestry ancestry_;  ///< but for what it leaves itself, until it is lost
    std::string id_;
    std::int64_t last_attempt_ = 0;
    std::shared_ptr<runtime::context_end> context_;
    session_status status_;
    failure_detector remotes_;
    former_lives formers_;
    session_opening opening_;
    session_heartbeat heartbeat_;
    session_closing closing_;
    runtime::gate life_;
    runtime::waiter_list<runtime::unit> over_waiters_;
    session_members members_;  ///< last: they use the rest
};

}  // namespace dynalease::detail
