// What happened to the items of a world, as the store and the callers' own hands know it: nothing of it is the
// library's word.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>
#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::simulation::versions {

/// An item after a write, as far as promises speak of it. Every write of a world's callers appends its own number to
/// the item's list, so that the list tells who wrote, in order.
struct item_state {
    bool exists = false;
    bool gone = false;  ///< a tombstone
    std::vector<std::int64_t> entries{};
    std::optional<std::int64_t> version{};
    std::string life{};    ///< which of the items that had this key, one after the other; empty: it does not say
    std::string holder{};  ///< who locks it; empty: nobody
    bool legacy = false;   ///< has an attribute that our callers know nothing of
    bool card = false;     ///< has the member that is a map
    bool uses = false;     ///< ... and the map in that
    std::vector<std::int64_t> aside{};  ///< ... and what they find inside that, and know nothing of

    bool there() const { return exists && !gone; }
    friend bool operator==(const item_state&, const item_state&) = default;
};

enum class intent {
    create,
    save,
    save_revision,  ///< of a state that travelled as text
    touch,
    remove,
    remove_revision,  ///< ... of a state that travelled as text
    update,
    promoted,  ///< an update that may take the item's lock
    blind,
    clobber,
    upsert,          ///< ... that makes the item where there is none
    clobber_remove,  ///< of whatever is there, or nothing
    check,
    close,
    close_revision,  ///< ... of a write of a state that travelled as text
    guarded,
    guarded_removal,
    foreign
};

/// The states of an item count from 1; 0 is "none before the world began".
using serial = std::uint64_t;

/// A caller is about to ask for a write. One that writes several items intends each of them.
struct intended {
    std::int64_t number = 0;
    std::size_t item = 0;
    intent what{};
    std::optional<serial> base{};  ///< the state that it was made from; empty: whatever it meets
};

/// A request of that intent was carried out by the store.
struct written {
    std::int64_t number = 0;
    std::size_t item = 0;
    item_state after{};
    bool copy = false;      ///< by a second copy of it, which the network made on its own
    bool repeated = false;  ///< ... or is about to make, and will tell how that one fared
    std::string session{};  ///< that sent it; empty: none is known
};

/// A request of that intent was refused by the store, for the item as it was then.
struct turned_away {
    std::int64_t number = 0;
    std::size_t item = 0;
};

/// A request of that intent found the item as it demands, and changed nothing.
struct found_right {
    std::int64_t number = 0;
    std::size_t item = 0;
};

/// TTL or an operator changed the item, or somebody locked or freed it.
struct replaced {
    std::size_t item = 0;
    item_state after{};
};

enum class answer {
    applied,
    superseded,  ///< ... and others wrote since
    conflict,
    exists,
    missing,
    locked,
    not_applied,  ///< for any other reason: cancelled, refused by a condition, never sent
    doubt,
};

/// What the caller was told of its intent.
struct told {
    std::int64_t number = 0;
    answer what{};
    std::size_t item = 0;           ///< of which `shown` is a state
    std::optional<serial> shown{};  ///< the state that came with the answer
    serial since = 0;               ///< the state of the item when the caller asked
    bool unanswered = false;        ///< a request of it had no certain answer
    std::optional<serial>
        last_refusal{};  ///< the state that the last of its requests met; empty: that was not answered
};

/// A caller was shown a state by a read.
struct loaded_state {
    std::size_t item = 0;
    std::optional<serial> shown{};  ///< empty: a state that never was
    serial since = 0;               ///< the state when the caller asked
    bool consistent = true;
};

struct event {
    time_point at{};  ///< true time
    std::variant<intended, written, turned_away, found_right, replaced, told, loaded_state> what;
};

using history = std::vector<event>;

}  // namespace dynalease::simulation::versions
