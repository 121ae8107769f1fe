// What a kind of world is made of.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/scenario_config.hpp"

#include <dynalease/versioned/versioned_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dynalease::simulation::versions {

/// How often callers do what, against each other.
struct habits {
    unsigned save = 6;
    unsigned whole = 2;     ///< ... of all members
    unsigned revision = 1;  ///< ... of a state that travelled as text
    unsigned touch = 1;
    unsigned remove = 2;
    unsigned update = 6;
    unsigned blind = 2;
    unsigned exact = 1;  ///< blind, as a transaction of one
    unsigned clobber = 0;
    unsigned upsert = 0;          ///< ... that makes the item where there is none
    unsigned clobber_remove = 0;  ///< whatever is there
    unsigned joint = 1;           ///< save one, and do with others this or that
};

/// Another library's writers, who know of the version alone; or programs that do not even raise it, and keep what is
/// theirs inside of our callers' members.
enum class strangers { none, update, put, aside };

/// How the table keeps versions, where it is not as by default.
struct keeping {
    std::string version = "version";
    std::string stamp = "_stamp";
    std::string lock_prefix = "_lock";
    bool stamps = true;             ///< items keep those of their last writes
    std::int64_t step = 1;          ///< of our callers
    bool cards_are_shared = false;  ///< with strangers who raise no version
};

struct scenario_config : simulation::scenario_config {
    scenario_config() : simulation::scenario_config{.most_nodes = 5, .longest = 60s, .nemesis = {.presence = 0.3}} {
        network.answers_copies = true;
    }

    std::size_t most_items = 2;
    dynalease::removal removal = removal::tombstone;
    habits users{};
    strangers beside = strangers::none;
    keeping kept{};
    /// Of what is written together, some is not the library's, and some has a condition of its own.
    bool foreign_actions = false;
    bool locks = true;  ///< somebody locks an item for a while, now and then
    /// Without tombstones a creation that comes late brings an item back that was removed: keep creations from it.
    bool no_late_creations = false;
    std::chrono::milliseconds longest_rest = 1500ms;
    /// How long a caller thinks about what it loaded.
    std::chrono::milliseconds longest_thought = 700ms;
    /// Of one in so many writes the caller changes its mind.
    std::uint64_t cancels = 8;
    /// One in so many writes is made from what was loaded long before.
    std::uint64_t stale = 6;
    /// Hours go by in the middle, in which TTL removes tombstones.
    bool hours_go_by = false;
};

}  // namespace dynalease::simulation::versions
