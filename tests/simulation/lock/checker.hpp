// The promises that can be checked from what happened alone: tokens, the fence, releases, ends of sessions, and looks.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/session_checker.hpp"
#include "simulation/lock/history.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynalease::simulation::locks {

struct checker_options {
    std::size_t locks = 1;
    /// By how much any clock of the world may run fast or slow.
    std::int64_t drift_ppm = 1000;
    /// Clocks stood still, rows were lost or edited: two sessions may then both believe, but tokens and fences hold.
    bool exclusion_waived = false;
};

/// Constant work per event. Keeps the first broken promise.
class checker {
public:
    explicit checker(const checker_options& options);

    void see(const event& seen);
    const std::optional<std::string>& broken() const noexcept { return broken_; }

    /// A grant is in force in the store: `holder` and `attempt` of the row.
    const row_state& row(std::size_t lock) const { return locks_[lock].row; }
    std::uint64_t grants() const noexcept { return grants_; }
    /// A write of its own session ended the grant of that token.
    bool given_back(std::size_t lock, std::int64_t token) const;
    bool over(const std::string& session) const { return sessions_.over(session); }
    /// When the session's row was last proof of life; true time.
    time_point last_beat(const std::string& session) const { return sessions_.last_beat(session); }

private:
    struct grant {
        std::string session;
        std::int64_t attempt;
        std::uint64_t order;      ///< in which the store granted
        bool given = false;       ///< a user got it
        bool held = false;        ///< ... and has it still
        bool given_back = false;  ///< by a write of its own session
    };
    struct waiting {
        std::size_t place;           ///< when it joined the line
        std::int64_t overtaken = 0;  ///< how often another session took the lock since
    };
    struct past_row {
        time_point from;
        row_state row;
    };
    struct lock_record {
        row_state row;
        std::vector<past_row> past;  ///< all of them, the present one too
        std::int64_t highest_token = 0;
        std::map<std::int64_t, grant> by_token;
        std::int64_t current = 0;                    ///< token of the last grant
        std::optional<std::uint64_t> last_accepted;  ///< outside, by order
        std::map<std::string, waiting> line;         ///< by session
        std::optional<time_point> replaced;          ///< when somebody else changed the row last
    };
    void on(time_point at, const lock_written& seen);
    void on(time_point at, const lock_replaced& seen);
    template <class OfSession>
    void on(time_point at, const OfSession& seen) {
        auto broken = sessions_.see(at, seen);
        if (!broken.empty() && !broken_) broken_ = std::move(broken);
    }
    void on(time_point at, const guard_given& seen);
    void on(time_point at, const guard_let_go& seen);
    void on(time_point at, const outside_written& seen);
    void on(time_point at, const fence_passed& seen);
    void on(time_point at, const lock_shown& seen);

    void check_grant(lock_record& lock, const lock_written& seen);
    void check_release(lock_record& lock, const lock_written& seen);
    void check_line(lock_record& lock, const row_state& after, bool taken);
    static void watch_line(lock_record& lock, const row_state& after);
    grant* current_grant(lock_record& lock);
    void fail(const char* promise, std::string what);

    const checker_options options_;
    std::vector<lock_record> locks_;
    session_checker sessions_;
    std::set<std::pair<std::string, std::int64_t>> attempts_;                          ///< every one that ever held
    std::unordered_map<std::uint64_t, std::pair<std::size_t, std::int64_t>> handles_;  ///< lock and token
    std::uint64_t grants_ = 0;
    std::optional<std::string> broken_;
};

}  // namespace dynalease::simulation::locks
