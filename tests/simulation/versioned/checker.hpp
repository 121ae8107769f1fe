// The promises of versioned writes, checked from what happened alone.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/versioned/history.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynalease::simulation::versions {

/// Keeps the first broken promise:
/// O1 no write is lost, and none is applied twice or after it was refused; O2 every write gives the item a state of its
/// own; O3 doubt only where nobody can know; O4 what is shown was there; T1 together or not at all; L1 no write passes
/// another's lock.
///
/// Where the network repeats a write and tells how the copy fared, nobody can know of the first. What had been
/// forgotten by the item when the copy came (others wrote as often as it remembers, or it was removed) may be told as
/// refused, and be written again by an update; and a removal may be told by what it left: the item is missing, or
/// another stands there.
class checker {
public:
    /// @param stamps items keep the stamps of their last writes, by which they know them
    /// @param step what a write of our callers adds to the version; strangers add 1
    explicit checker(std::size_t items, bool stamps = true, std::int64_t step = 1)
        : items_(items), stamps_(stamps), step_(step) {}

    void see(const event& seen);
    /// At the end of all: what was to happen together has.
    void conclude();
    const std::optional<std::string>& broken() const noexcept { return broken_; }

    const item_state& state(std::size_t item) const { return items_[item].states.back().state; }
    serial now(std::size_t item) const { return items_[item].states.size() - 1; }

private:
    struct state_record {
        item_state state;
        intent by = intent::foreign;
        bool changed_aside = false;  ///< since, by strangers who raise no version
    };
    struct item_record {
        std::vector<state_record> states{1};
        std::set<std::pair<std::string, std::int64_t>> seen;  ///< lives and versions
    };
    struct part {
        intent what{};
        std::optional<serial> base{};
        std::vector<serial> applied{};  ///< the states it made
        bool by_copies = true;          ///< none but those that the network made on its own
        bool repeated = false;          ///< the answer to the last of them is that to a copy
        std::optional<serial> met{};    ///< the state that the last refusal by the store was for
    };
    struct write_record {
        std::map<std::size_t, part> parts;  ///< by item
        bool refused = false;               ///< for good
        bool stopped = false;  ///< the item was as demanded, but locked: only a copy of the network's may land yet
        bool succeeded = false;
    };

    void on(const intended& seen);
    void on(const written& seen);
    void on(const turned_away& seen);
    void on(const found_right& seen);
    void on(const replaced& seen);
    void on(const told& seen);
    void on(const loaded_state& seen);

    void check_base(std::int64_t number, const part& what, std::size_t item);
    void check_content(std::int64_t number, intent what, const item_state& before, const item_state& after);
    void check_version(intent what, const item_record& of, const item_state& before, const item_state& after);
    void check_repetition(std::int64_t number, const part& what, const item_record& of);
    void check_success(const told& seen, write_record& of);
    void check_refusal(const told& seen, write_record& of);
    void check_doubt(const told& seen, const write_record& of);
    bool remembers(const item_record& of, serial base, serial found) const;
    bool lost_from_sight(const part& what, std::size_t item) const;
    bool told_as_met(const told& seen, const part& what, std::size_t item) const;
    bool had_nothing_to_do(const told& seen, std::size_t item, const part& what) const;
    bool shows(const item_record& of, const part& what, serial shown) const;
    void add(item_record& to, const item_state& state, intent by);
    void fail(const char* promise, std::string what);

    std::vector<item_record> items_;
    bool stamps_;
    std::int64_t step_;
    std::unordered_map<std::int64_t, write_record> records_;
    std::optional<std::string> broken_;
};

}  // namespace dynalease::simulation::versions
