// The promises of item locks, checked from what happened alone.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/item_lock/history.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::simulation::item_locks {

struct plain_bounds {
    std::chrono::milliseconds lease{};
    std::int64_t drift_ppm = 0;  ///< of any clock
};

/// Keeps the first broken promise: P1 one writer or any number of readers; P2 tokens rise for as long as the item
/// lives; P3 a guarded write happens under the very grant of its guard, and in that life of the item; P9 nobody else's
/// lock is freed; P10 no more readers than may be; F1 nobody passes one that has left an intent, but for F2: a few
/// writers of the process that has the item; E1 no lock request makes an item.
class checker {
public:
    /// @param plain sessions have no rows: whoever has stood still for so long is over.
    explicit checker(std::size_t items, std::optional<plain_bounds> plain = {}, std::size_t most_readers = 64)
        : items_(items), plain_(plain), most_readers_(most_readers) {}

    void see(const event& seen);
    const std::optional<std::string>& broken() const noexcept { return broken_; }
    const lock_state& state(std::size_t item) const { return items_[item].state; }
    bool over(const std::string& session) const { return over_.contains(session); }
    /// The grant of that token; empty: there is none in this life of the item.
    std::optional<claimant> grant_of(const std::string& session, std::size_t item, std::int64_t token) const;
    /// The last sign of life of that grant: its own, or its session's. True time.
    time_point last_sign(std::size_t item, const claimant& who) const;

private:
    struct item_record {
        lock_state state;
        std::int64_t highest = 0;                             ///< token of this life
        std::map<claimant, std::int64_t> tokens;              ///< of every grant of this life
        std::set<claimant> former;                            ///< those that ended
        std::set<std::pair<std::string, std::int64_t>> past;  ///< sessions and tokens of former lives
        unsigned passed = 0;                                  ///< hand-overs past the intent that stands there
        std::map<claimant, time_point> alive_at;              ///< the last sign of life; true time
        std::map<claimant, time_point> intended_at;           ///< when each intent first stood there
    };
    struct held_guard {
        std::size_t item = 0;
        claimant grant{};
        bool exclusive = true;
        bool perhaps_of_former_life = false;  ///< whose grant a late copy of the request brought into this one
    };

    void on(const lock_written& seen);
    void on(const lock_replaced& seen);
    void on(const session_over& seen) { over_.insert(seen.session); }
    void on(const session_lives& seen) { beats_[seen.session] = now_; }
    void on(const guard_given& seen);
    void on(const guard_let_go& seen) { guards_.erase(seen.handle); }
    void on(const guarded_begun& seen);
    void on(const lock_tested& seen);

    void check_grant(item_record& of, std::size_t item, const lock_written& seen, const claimant& who, bool exclusive);
    void check_end(item_record& of, std::size_t item, const lock_written& seen, const claimant& who);
    void check_content(const item_record& of, const lock_written& seen);
    void on(const kept_alive& seen);
    /// A reader without a session's row has put another entry beside its own.
    void on_succession(item_record& of, const claimant& from, const claimant& to);
    void note_signs_of_life(item_record& of) const;
    bool over(const item_record& of, const claimant& who) const;
    bool in_hand(std::size_t item, const claimant& grant) const;
    void end_life(std::size_t item);
    void fail(const char* promise, std::string what);

    std::vector<item_record> items_;
    const std::optional<plain_bounds> plain_;
    const std::size_t most_readers_;
    time_point now_{};
    std::set<std::string> over_;
    std::map<std::string, time_point> beats_;
    std::map<std::uint64_t, held_guard> guards_;
    std::map<std::pair<std::int64_t, std::size_t>, claimant> writes_;  ///< guarded ones, by number and item
    std::optional<std::string> broken_;
};

}  // namespace dynalease::simulation::item_locks
