// The promises of locks by the wall clock, checked from what happened alone.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/wall_clock/history.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dynalease::simulation::wall_clocks {

struct clock_bounds {
    std::chrono::milliseconds timeout{};
    std::chrono::milliseconds skew{};  ///< no wall clock is further away from true time
};

/// Keeps the first broken promise: W1 whoever may believe that it has the item has it; W2 nobody's lock is taken over
/// before it is over by every clock; W3 a guarded write happens under the very lock of its guard; W4 nobody else's lock
/// is freed; W5 nothing that was written is lost, and each write happens once, or not at all if its caller was told so;
/// W6 what was given back is free; E1 no lock makes an item.
///
/// What strangers do to each other, or free by mistake, is the recipe's own weakness, and checked of nobody. Nor is a
/// write that happens again because the network copies both it and the one that locked the item. W6 is waived for a
/// lock whose program was refused it: the network has repeated the write, and told how the other copy fared, or another
/// has drawn the same microsecond. Nobody can know which.
class checker {
public:
    checker(std::size_t items, clock_bounds bounds) : bounds_(bounds), items_(items) {}

    void see(const event& seen);
    const std::optional<std::string>& broken() const noexcept { return broken_; }

    /// Of somebody who believes that it has the item: its lock stands there, or a stranger has removed it.
    bool stands(std::uint64_t handle) const;
    /// Who has locked it, in a way that it can know of, and is not over by all clocks; empty: nobody.
    std::string locker(std::size_t item, moment wall) const;
    const item_state& state(std::size_t item) const { return items_[item].state; }

private:
    using grant_number = std::size_t;
    struct grant {
        std::string by;
        bool stranger = false;
        bool late = false;     ///< what stands of it now came when its caller had gone on
        bool copied = false;   ///< ... as a copy that the network made
        bool removed = false;  ///< by a stranger, as the recipe lets it happen
        bool unknown = false;  ///< the one who has locked it was refused
    };
    struct item_record {
        item_state state;
        std::optional<grant_number> lock;
        std::map<std::string, grant_number> moments;  ///< all that ever stood there
    };
    struct hold {
        std::size_t item = 0;
        grant_number grant = 0;
    };

    void on(const written& seen);
    void on(const given& seen);
    void on(const let_go&) {}
    void on(const returned& seen);
    void on(const begun& seen);
    void on(const told& seen);
    void on(const unknowable& seen);

    void check_content(const item_record& of, const written& seen);
    void check_guarded(const item_record& of, const written& seen);
    void check_release(item_record& of, const written& seen);
    void check_lock(item_record& of, const written& seen);
    bool goes_on(const item_record& of, const written& seen) const;
    bool over(const std::string& text, moment wall) const;
    void fail(const char* promise, std::string what);

    const clock_bounds bounds_;
    std::vector<grant> grants_;
    std::vector<item_record> items_;
    std::map<std::uint64_t, hold> holds_;
    std::map<std::int64_t, std::uint64_t> writes_;  ///< under which handle
    std::set<std::int64_t> applied_;
    std::set<std::int64_t> refused_;
    std::optional<std::string> broken_;
};

}  // namespace dynalease::simulation::wall_clocks
