// What a transaction's writes make of an item, one after the other, before anything is written.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/drafted_item.hpp"
#include "versioned/protocol/version_changes.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace dynalease::detail {

/// Each put acts on what those before it leave, as a save would: through the eyes of its struct, where that has read or
/// put the item before. What an update leaves of the attributes that it touches the service alone knows; so puts after
/// it are a write of their own.
class drafted_state {
public:
    /// Before the first of the writes.
    explicit drafted_state(const drafted_item& of);

    /// All of the writes that were not applied yet.
    void catch_up(const drafted_item& of);
    /// The next of them.
    void apply(const drafted_item& of, const drafted_write& write);

    /// It is known whether there is an item, and what it has but for what updates have touched.
    bool known() const noexcept { return known_; }
    /// Where that is known. Empty: there is none.
    const std::optional<item>& now() const noexcept { return now_; }
    /// By puts and erasures since the last update, or the beginning, of an item that was and is there.
    protocol::member_changes changes(const drafted_item& of) const;
    /// An attribute that updates have touched, and of which the put knows a part alone. Empty: there is none.
    std::string loses(const drafted_item& of, const drafted_put& wanted) const;
    /// There was none at that time, and there is one now.
    bool makes() const noexcept { return then_known_ && !then_ && now_; }

private:
    using names = std::set<std::string>;

    void put(const drafted_item& of, const drafted_put& wanted);
    void replace(const drafted_item& of, const drafted_put& wanted);
    void merge(const drafted_item& of, const drafted_put& wanted);
    void update(const drafted_update& made);
    void erase();
    bool has_seen(const drafted_item& of, item_view view) const;
    std::optional<item> seen_by(const drafted_item& of, item_view view) const;
    void note_names(const item& attributes);

    std::size_t applied_ = 0;
    bool known_;
    std::optional<item> now_{};
    names touched_{};            ///< by updates, and not put since: what stands in `now_` is of before
    names names_{};              ///< of all attributes that it may have, or have had
    std::set<item_view> own_{};  ///< of the structs that were put

    // At the last update, or the beginning.
    bool then_known_;
    std::optional<item> then_{};
    names touched_then_{};
};

}  // namespace dynalease::detail
