// What an item says of itself: its version, its stamps, and who holds it. While a transaction holds it: of what is
// committed, which lies under the transaction's mark.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_attributes.hpp"
#include "item/protocol/item_mark.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/update_expression.hpp>
#include <dynalease/item/item_version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dynalease::protocol {

/// Stamps before the last that an item keeps: the last four writes can be told apart.
inline constexpr std::size_t trail_length = 3;

struct item_state {
    item_version state{};
    bool gone = false;                ///< a tombstone: the item counts as missing
    std::string holder{};             ///< who locks it, or "transaction <id>"; empty: nobody
    std::optional<mark_kind> mark{};  ///< how a transaction holds it

    /// What a transaction inserts is not there yet.
    bool missing() const { return gone || mark == mark_kind::inserted; }
};

/// Fails with `errc::bad_version` if the version is no integer, and with `errc::corrupt_row` if a stamp is none, or the
/// mark of a transaction is not one of ours. Such an item is never written.
result<item_state> state_of(const item_layout& layout, const item& shown);

/// What is asked of the name by which an item's version goes.
enum class name_test {
    of_item,  ///< that it is the table's own
    of_row,   ///< ... if it is shown: a projection may have left it out
    none,     ///< nothing, by who writes no version
};

/// The same for whoever goes by its version, and raises it: fails with `errc::bad_version`, too, where the item says
/// that its version goes by another name. Those who go by that one would not see what is written here.
result<item_state> versioned_state_of(const item_layout& layout, const item& shown,
                                      name_test test = name_test::of_item);

/// Whoever holds an item, in words: "session <id>", "transaction <id>". @param holder as `item_state` names it
std::string words_of_holder(const std::string& holder);
/// What one is told who cannot write an item that another holds. @param holder as `item_state` names it
failure held_by(const std::string& holder);

/// What everybody may see of an item: without the mark, and as it was before it.
struct visible_item : item_state {
    item attributes{};  ///< empty where there is nothing to be seen
};
/// Empty: there is no item. Fails as `versioned_state_of`.
result<std::optional<visible_item>> visible_in(const item_layout& layout, std::optional<item> shown,
                                               name_test test = name_test::of_item);

/// Which life of an item this is; empty also where another library's attribute has that name.
std::optional<item_stamp> birth_of(const item& shown);

/// The version after this one. Fails with `errc::version_overflow` at the table's limit.
result<std::int64_t> version_after(const item_layout& layout, const item_version& base);

/// Why nobody who raises `layout.version` may write this item: it is as high as it may get; no version can be read
/// there; or the item says that its version goes by another name, or has been stamped and has none by this name.
/// Others' saves would go by that one, and overwrite the change.
std::optional<failure> fault_of_version(const item_layout& layout, const item& shown);

/// The trail after a write onto this state.
std::vector<item_stamp> pushed_trail(const item_version& base);
binary bytes_of(const item_stamp& stamp);
binary bytes_of(const std::vector<item_stamp>& trail);
/// Empty if it is no stamp.
std::optional<item_stamp> stamp_in(const attribute_value& value);

/// Whether the item remembers the write of this stamp.
bool remembers(const item_version& state, const item_stamp& stamp);

/// Whether the item still knows which write gave it that version, and which each one since. Every write raises the
/// version by one at least, whatever step its writer has: there were no more of them than the version tells.
bool knows_writers_from(const item_version& now, std::int64_t version);

/// Of a write that raises the version and leaves a stamp, which the item does not remember: whether it is known not to
/// have been made since the item was in the state `before`.
bool surely_unwritten_since(const item_layout& layout, const item_version& before, const item_state& now);

/// What a write that does not know the state it meets does to version and stamps.
update_expression raised_version(const item_layout& layout, const item_stamp& mine);

}  // namespace dynalease::protocol
