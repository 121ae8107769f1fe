// Who holds an item, and who waits for its readers, as the attributes of its lock say.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_state.hpp"
#include "session/protocol/claim.hpp"

#include <dynalease/dynamodb/failure.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

enum class item_access { exclusive, shared };

/// Somebody that an attribute names: an attempt is never reused, so that the pair names one grant for ever.
struct item_claimant {
    std::string text;       ///< as it stands in the item; conditions test this
    std::string session{};  ///< empty: not of our making. Such a hold is respected, and never taken over
    std::int64_t attempt = 0;
    std::int64_t step = 0;  ///< of a writer: how many guarded writes it has made
    friend bool operator==(const item_claimant&, const item_claimant&) = default;

    bool is(std::string_view of, std::int64_t numbered) const { return attempt == numbered && session == of; }
};

struct item_lock_state {
    bool exists = false;                    ///< false also where a tombstone stands
    std::optional<item_claimant> writer{};  ///< attribute W; never beside readers
    std::vector<item_claimant> readers{};   ///< attribute R
    std::optional<item_claimant> intent{};  ///< attribute I: the writer that waits for the readers
    std::int64_t floor = 0;                 ///< attribute F: the highest token granted or voided; never falls
    bool in_transaction = false;
    std::optional<item_stamp> born{};  ///< which life of the item this is

    /// The one entry of ours with that attempt, among writer and readers.
    const item_claimant* held_by(std::string_view session, std::int64_t attempt) const;
    /// Any entry of that session: as writer or as a reader.
    const item_claimant* hold_of(std::string_view session) const;
    /// ... or as an intent.
    const item_claimant* entry_of(std::string_view session) const;
    bool intended_by(std::string_view session) const { return intent && intent->session == session; }
};

/// A grant of ours, as the conditions of what is written under it name it.
struct item_grant {
    claim id{};
    item_access access = item_access::exclusive;
    std::int64_t step = 0;
    std::optional<item_stamp> born{};  ///< the life of the item in which it was granted
    /// Readers' entries that go with it: `forgotten_readers`.
    std::vector<std::string> ghosts{};

    /// Whether it is what stands there as the writer. In another life of the item it is but a late copy of the claim.
    bool writes(const item_lock_state& sight, std::string_view self) const;
};

/// "<session>.<attempt>": a reader, an intent, and what a writer's text begins with.
std::string reader_text(std::string_view session, std::int64_t attempt);
/// "<session>.<attempt>.<step, 10 digits>".
std::string writer_text(std::string_view session, std::int64_t attempt, std::int64_t step);

/// @param shown null: there is no item. Fails with `errc::corrupt_row` for attributes of another type.
result<item_lock_state> lock_sight_of(const item_layout& layout, const item* shown);

}  // namespace dynalease::protocol
