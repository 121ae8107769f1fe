// What a transaction's writes make of an item, one after the other, before anything is written.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/drafted_item.hpp"
#include "versioned/protocol/version_changes.hpp"

#include <optional>
#include <set>
#include <string>

namespace dynalease::detail {

/// Each put acts on what those before it leave, as a save would. What an update leaves the service alone knows; what is
/// put or erased after it is collected anew, for it becomes a write of its own.
class drafted_state {
public:
    /// Before the first of the writes.
    explicit drafted_state(const drafted_item& of);

    void put(const drafted_put& wanted);
    void update(const drafted_update& made);
    void erase();
    void apply(const drafted_write& write);

    /// All that the item has is known.
    bool known() const noexcept { return known_; }
    /// Where it is known. Empty: there is none.
    const std::optional<item>& now() const noexcept { return now_; }
    /// Since the last update, or the beginning, of an item that was and is there.
    protocol::member_changes changes() const;
    /// There was none at that time, and there is one now.
    bool makes() const noexcept { return known_then_ && !then_ && now_; }

private:
    void replace(const drafted_put& wanted);
    void replace_known(const drafted_put& wanted);
    void add_known(const drafted_put& wanted);
    void add_unknown(const drafted_put& wanted);
    void note_names(const item& attributes);

    const drafted_item& of_;
    bool known_;
    std::optional<item> now_{};
    item_view view_ = nullptr;          ///< of whoever has read or put it last
    std::set<std::string> names_{};     ///< of all attributes that it may have, or have had
    bool known_then_;                   ///< at the last update, or the beginning
    std::optional<item> then_{};        ///< ... and what it was
    protocol::member_changes since_{};  ///< ... where it is not known what they change
};

}  // namespace dynalease::detail
