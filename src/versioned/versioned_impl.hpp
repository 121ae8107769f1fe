// What all handles of one table of versioned items share, and one write on its way.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/fresh_stamp.hpp"
#include "versioned/protocol/version_decisions.hpp"
#include "versioned/protocol/version_requests.hpp"

#include <dynalease/versioned/versioned_operations.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynalease::detail {

class versioned_impl {
public:
    /// @throws dynalease::error that names the option at fault.
    versioned_impl(database target, versioned_options options);

    const database& target() const noexcept { return target_; }
    const environment& world() const noexcept { return target_.environment(); }
    const versioned_options& options() const noexcept { return options_; }
    const protocol::item_layout& layout() const noexcept { return layout_; }
    protocol::version_requests requests() const { return protocol::version_requests(layout_); }

    item_stamp new_stamp() const { return fresh_stamp(world()); }
    item_key key_of(const key_values& key) const { return key.named(layout_.key, layout_.sort); }
    /// Empty, or why it can be the key of no item here.
    std::optional<failure> fault_of(const item_key& key) const;
    /// When TTL may remove a tombstone made now; seconds since the epoch.
    std::int64_t tombstone_expiry() const;

private:
    database target_;
    versioned_options options_;
    protocol::item_layout layout_;
};

/// One write of one caller, and all copies of it.
struct write_intent {
    enum class test { create, create_over, checked, blind, erase_blindly };

    std::shared_ptr<versioned_impl> core;
    test how{};
    item_key key{};
    protocol::checked_write write{};
    item stored{};         ///< what it was made from
    bool partial = false;  ///< ... there may be more of
    protocol::member_changes changes{};
    item_members members{};  ///< of a creation, and of what may become one
    bool makes = false;      ///< an unchecked write, also where there is no item
    bool removes = false;
    bool buries = false;     ///< ... by a tombstone
    bool repeatable = true;  ///< its copies may be sent again without reading first
    any_request request{};
};

struct write_end {
    std::optional<failure> why{};
    write_report report{};
};

std::string_view verb_of(write_order::kind what);
/// The key that the order speaks of; empty where it names none.
item_key key_in(const versioned_impl& core, const write_order& order);
/// Makes the intent, or says what is wrong with the order. Sends nothing.
/// @param mine the stamp of the write; empty: a new one.
result<write_intent> plan_write(std::shared_ptr<versioned_impl> core, write_order order,
                                std::optional<item_stamp> mine = {});
/// The item as the write leaves it, if that can be known without asking: nothing else can have changed.
std::optional<item> item_after(const write_intent& intent);
/// Turns what makes an item into a creation over the tombstone just seen, or back.
std::optional<failure> plan_create_over(write_intent& intent, const protocol::visible_item& tombstone);
void plan_without_tombstone(write_intent& intent);
/// What of the user's stays on the tombstone of an item that was so.
std::vector<std::string> left_on_tombstone(const write_intent& intent, const item& before);

/// What a verdict on a write in doubt says of it.
resolution resolution_of(protocol::verdict meant);
protocol::verdict decide(const write_intent& intent, const protocol::item_state* now, bool clean);
/// That a write which tests no version met one that may not be raised; empty: it met no such.
std::optional<failure> overflow_of(const write_intent& intent, const protocol::item_state& now);

/// What is to be seen under the key.
boost::asio::awaitable<result<std::optional<protocol::visible_item>>> look_at(std::shared_ptr<versioned_impl> core,
                                                                              item_key key, bool consistent);
/// As a caller gets it: a tombstone counts as none, and so does what a transaction inserts.
std::optional<stored_item> stored_in(std::optional<protocol::visible_item> seen);
/// @param mine the stamp of the write.
boost::asio::awaitable<write_end> run_write(std::shared_ptr<versioned_impl> core, write_order order, item_stamp mine);

using protocol::text_of;

}  // namespace dynalease::detail
