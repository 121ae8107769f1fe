// What happened to items that are locked by the wall clock, as the store and the users' own hands know it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/wall_clock/moments.hpp"

#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::simulation::wall_clocks {

/// An item after a write. Every write of a user appends its own number to the item's list.
struct item_state {
    bool exists = false;
    std::string text{};  ///< the moment that stands in it; empty: it is free
    std::vector<std::int64_t> entries{};
    friend bool operator==(const item_state&, const item_state&) = default;
};

/// A request was carried out on the item.
struct written {
    std::size_t item = 0;
    std::string by{};         ///< the program that sent it
    bool stranger = false;    ///< by somebody there who does without the library
    std::int64_t number = 0;  ///< of the user's write in it; 0: it is about the lock alone
    bool late = false;        ///< its caller had gone on by then
    bool copy = false;        ///< for a second time: the network has copied it
    moment wall{};            ///< true time, as an exact wall clock shows it
    item_state after{};
};

/// A user, or a stranger, has the item from here on, for all that it knows.
struct given {
    std::uint64_t handle = 0;
    std::size_t item = 0;
    std::string by{};
    std::string text{};
};

/// It gives it back, or drops it.
struct let_go {
    std::uint64_t handle = 0;
};

/// It was told that the item has been given back.
struct returned {
    std::uint64_t handle = 0;
};

/// A user is about to write under that lock.
struct begun {
    std::uint64_t handle = 0;
    std::int64_t number = 0;
};

enum class answer { applied, refused, doubt };

/// What it was told of that write.
struct told {
    std::int64_t number = 0;
    answer what{};
};

/// Somebody was refused that moment. If it stands there, the lock may be its own, or of another that drew it, too.
struct unknowable {
    std::size_t item = 0;
    std::string text{};
};

struct event {
    time_point at{};  ///< true time
    std::variant<written, given, let_go, returned, begun, told, unknowable> what;
};

using history = std::vector<event>;

}  // namespace dynalease::simulation::wall_clocks
