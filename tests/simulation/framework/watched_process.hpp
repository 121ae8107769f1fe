// A process whose session is held against what its network shows of it: whether it beats in time, and believes no more
// than it may.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/request_text.hpp"
#include "simulation/framework/session_checker.hpp"
#include "simulation/framework/session_process.hpp"
#include "simulation/framework/session_watches.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::simulation {

/// @tparam User can also `write_outside`: what its own code does next when it has kept the loop busy.
template <class User>
class watched_process : public session_process<User> {
public:
    /// What its session may believe now; null: there is none, or it has sent nothing.
    const lease_watch* watch() const { return this->session() ? watches_.of(this->session()->id()) : nullptr; }
    /// What that session may, be it of the present life or of one before it.
    const lease_watch* watch(const std::string& session) const { return watches_.of(session); }
    /// By its network, so far: heartbeats, and all else.
    struct sent_count {
        std::uint64_t beats = 0;
        std::uint64_t others = 0;
    };
    const sent_count& sent_so_far() const noexcept { return sent_; }
    /// Since when nothing has kept this process from running, by its own clock.
    time_point undisturbed_since() const noexcept { return undisturbed_; }
    /// The state that the session shows, against what it may show.
    void check_state() {
        const auto* believed = watch();
        if (believed == nullptr || this->machine().crashed() || this->machine().paused()) return;
        if (undisturbed_ + std::chrono::milliseconds(1) > this->clock_now()) return;
        const auto wrong = believed->check(this->session()->state(), this->clock_now());
        if (!wrong.empty()) this->where().fail("P5", wrong);
    }

    void crash(bool same_owner, clock::duration down) override {
        process::crash(same_owner, down);
        if (!same_owner) owner_ = "owner-" + std::to_string(this->where().next_number());
    }
    void unblocked() override {
        for (const auto& each : this->users()) each->write_outside();
    }
    void resumed() override { undisturbed_ = this->clock_now(); }

protected:
    watched_process(played_world& where, const scenario_config& made_of, std::size_t index,
                    std::chrono::milliseconds lease)
        : session_process<User>(where, made_of, index),
          owner_("owner-" + std::to_string(index)),
          lease_(lease),
          heartbeat_(lease / (where.choices().choose("heartbeat of a node", 3) == 1 ? 3 : 4)),
          drift_ppm_(made_of.drift_ppm),
          watches_(lease_, heartbeat_, drift_ppm_) {}

    void begin_watched_session() {
        resumed();
        lives_.clear();
        lives_begun_ = 0;
        this->begin_session({.table = coordination,
                             .owner = owner_,
                             .lease = lease_,
                             .heartbeat = heartbeat_,
                             .clock_drift_ppm = static_cast<std::uint32_t>(drift_ppm_),
                             .retention = std::chrono::hours(24),
                             .begins_anew = this->where().choices().choose("a lost session stays lost", 4) != 1});
    }

    // ---- what the network tells ----
    void count_sent(const testing::logged_request& entry) {
        ++(entry.lane == lane::heartbeat ? sent_.beats : sent_.others);
    }
    void watch_sent(const testing::logged_request& entry, const any_request& request) {
        count_sent(entry);
        if (std::holds_alternative<put_item_request>(request)) watch_birth(session_in(entry.key));
        check_writer(request);
        if (const auto* beating = watches_.beating(entry, request)) {
            check_state();
            const auto wrong = session_watches::check_heartbeat(entry, *beating, this->clock_now(), undisturbed_);
            if (!wrong.empty()) this->where().fail(wrong);
        }
        watches_.sent(entry, request, this->clock_now());
    }
    void watch_answered(const testing::logged_request& entry, const any_request& request,
                        const result<any_response>& answer) {
        // Refused for a clock that has drifted too far, a heartbeat is sent anew.
        if (entry.lane == lane::heartbeat && entry.code == errc::invalid_signature) --sent_.beats;
        watches_.answered(entry, request, answer, this->clock_now());
    }
    /// What a request that was applied did to a session's row; empty: nothing.
    auto session_changed(const std::string& id, const any_request& request) {
        auto change = session_change(id, request, lease_, this->where().simulated(), coordination);
        const auto* ended = change ? std::get_if<session_ended>(&*change) : nullptr;
        if (ended != nullptr) {
            this->where().run().coverage.hit(ended->marked_dead ? "session marked dead" : "session closed");
        }
        return change;
    }

private:
    /// A session's row is to be made.
    void watch_birth(const std::string& id) {
        if (id.empty() || !this->session() || this->session()->id() != id) return;
        const bool begins = std::exchange(lives_begun_, this->session()->lives()) != this->session()->lives();
        if (!begins && !lives_.empty()) {
            lives_.back() = id;  // a creation that was refused is made again under another
            return;
        }
        const auto* former = lives_.empty() ? nullptr : watches_.of(lives_.back());
        if (former != nullptr && former->begun()) {
            this->where().run().coverage.hit("a session lived on");
            const auto wrong = former->check(session_state::lost, this->clock_now());
            if (!wrong.empty()) this->where().fail("life", wrong + ", and a new life begins");
        }
        lives_.push_back(id);
    }
    /// What a life wanted ends with it.
    void check_writer(const any_request& request) {
        const auto writer = session_watches::writer_of(request);
        const bool former = !writer.empty() && std::find(lives_.begin(), lives_.end(), writer) != lives_.end() &&
                            lives_.back() != writer;
        if (former) this->where().fail("life", "a claim of " + writer + " goes on after its life");
    }

    std::uint64_t lives_begun_ = 0;
    std::vector<std::string> lives_;  ///< of the present program's session
    std::string owner_;
    const std::chrono::milliseconds lease_;
    const std::chrono::milliseconds heartbeat_;
    const std::int64_t drift_ppm_;
    session_watches watches_;
    sent_count sent_;
    time_point undisturbed_{};
};

}  // namespace dynalease::simulation
