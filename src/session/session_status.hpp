// Whether one life of a session lives: its lease, as any thread may ask for it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/own_process.hpp"
#include "session/protocol/session_lease.hpp"

#include <dynalease/runtime/clock.hpp>
#include <dynalease/session/state.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace dynalease::detail {

/// The deadline counts by itself: for a life to be lost no timer has to fire, and no coroutine has to run.
class session_status {
public:
    session_status(std::shared_ptr<clock> clock, const protocol::lease_times& times, bool begins_anew);

    // ---- any thread ----
    session_state state() const noexcept;
    /// Whether a grant of this life is in force at this instant.
    bool valid() const noexcept;
    /// `live`, `jeopardy` or `lost`, by the deadline alone.
    session_state by_lease() const noexcept;
    /// It closes, and its lease still keeps what is held. @param in_use work goes on under the very grant
    bool keeps_while_closing(bool in_use) const noexcept;
    /// In a forked child nothing goes on: all of it is the parent's.
    bool in_child() const noexcept { return process_.in_child(); }
    /// If it is ever lost, another life may follow.
    bool may_be_followed() const noexcept { return begins_anew_ && !for_good_ && !in_child(); }
    /// In words. Empty: it is not lost, or is by its deadline, which nobody has noticed yet.
    std::string why_lost() const { return loss_.known ? loss_.why : std::string(); }
    /// It was lost, all who lived in it have been told, and another life may follow.
    bool awaits_next() const noexcept { return told_of_loss_ && may_be_followed(); }
    /// Closed for all who ask from here on. @param drains work goes on meanwhile, and all that is held stays in force
    /// until it has ended
    void announce_close(bool drains) noexcept;

    // ---- the database's executor ----
    const protocol::lease_times& times() const noexcept { return lease_.times(); }
    session_state now_in() const { return lease_.at(clock_->now()); }
    time_point deadline() const { return lease_.deadline(); }
    time_point jeopardy() const { return lease_.jeopardy(); }
    /// Nothing is sent any more.
    bool ended() const noexcept { return ended_; }
    /// It closes; what was granted may still be given back.
    bool closing() const noexcept { return closing_; }
    bool may_write() const noexcept;
    /// New leases may be asked for, now or once it is open.
    bool takes_callers() const noexcept;
    /// Whoever is told of each change has not been told of this one.
    bool is_news(session_state now) noexcept;

    // What becomes of it; other threads see it at once.
    void open();
    void abandon_opening();
    /// As `protocol::session_lease::acknowledge`.
    bool acknowledge(time_point sent);
    void begin_close();
    /// Work has ended for which all that is held was kept.
    void end_draining() noexcept { draining_ = false; }
    void close();
    /// Once. @param for_good no other life may follow
    void lose(const std::string& why, bool for_good);
    void end() noexcept { ended_ = true; }
    void note_told_of_loss() noexcept { told_of_loss_ = true; }

private:
    void publish() noexcept;

    const std::shared_ptr<clock> clock_;
    const bool begins_anew_;
    const runtime::own_process process_;
    protocol::session_lease lease_;
    bool closing_ = false;
    bool ended_ = false;
    session_state news_ = session_state::idle;  ///< the last

    // What other threads read.
    std::atomic<session_state> published_{session_state::idle};
    std::atomic<std::int64_t> deadline_{0};
    std::atomic<std::int64_t> jeopardy_{0};
    std::atomic<bool> close_announced_{false};
    std::atomic<bool> draining_{false};  ///< it closes, and waits for work to end
    std::atomic<bool> for_good_{false};
    struct {
        std::string why{};  ///< written before
        std::atomic<bool> known{false};
    } loss_;
    std::atomic<bool> told_of_loss_{false};
};

}  // namespace dynalease::detail
