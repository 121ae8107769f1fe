// What all handles of one table of versioned items share, and what is made of a caller's order.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/fresh_stamp.hpp"
#include "versioned/protocol/version_requests.hpp"
#include "versioned/protocol/write_intent.hpp"

#include <dynalease/versioned/versioned_operations.hpp>

#include <map>
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
    versioned_impl(database target, versioned_options options, stored_types types);

    const database& target() const noexcept { return target_; }
    const environment& world() const noexcept { return target_.environment(); }
    const versioned_options& options() const noexcept { return options_; }
    const protocol::item_layout& layout() const noexcept { return layout_; }
    protocol::version_requests requests() const { return protocol::version_requests(layout_); }

    item_stamp new_stamp() const { return fresh_stamp(world()); }
    item_key key_of(const key_values& key) const { return key.named(layout_.key, layout_.sort); }
    /// Empty, or why it can be the key of no item here.
    std::optional<failure> fault_of(const item_key& key) const;
    /// Says of what the service has refused as malformed what it may be about: the key, as this handle has it.
    void explain(failure& why) const;
    /// When TTL may remove a tombstone made now; seconds since the epoch.
    std::int64_t tombstone_expiry() const;

private:
    void expect_expiry(const stored_types& types) const;
    void expect_type(const std::string& name, std::string_view type);

    database target_;
    versioned_options options_;
    protocol::item_layout layout_;
    std::map<std::string, std::string> key_types_;  ///< of the key's attributes, those that the struct tells
};

/// One write of one caller, with the table that it is for.
struct write_intent : protocol::write_intent {
    std::shared_ptr<versioned_impl> core;
};

std::string_view verb_of(write_order::kind what);
/// The key that the order speaks of; empty where it names none.
item_key key_in(const versioned_impl& core, const write_order& order);
/// The times that the library sets by such a write, as they are now.
struct write_times {
    item made{};   ///< where it makes the item
    item saved{};  ///< where it changes one
};
write_times times_of(const versioned_impl& core, const write_order& order);
/// Makes the intent, or says what is wrong with the order. Sends nothing.
/// @param mine the stamp of the write; empty: a new one.
result<protocol::write_intent> plan_write(const versioned_impl& core, write_order order,
                                          std::optional<item_stamp> mine = {});

/// What is thrown of an item of which no state can be read.
error unreadable_item(const versioned_impl& core, const item& shown, failure why, const char* operation);
/// What is to be seen under the key.
boost::asio::awaitable<result<std::optional<protocol::visible_item>>> look_at(std::shared_ptr<versioned_impl> core,
                                                                              item_key key, bool consistent);
/// As a caller gets it. @param intent as the write left it
write_report report_of(std::shared_ptr<versioned_impl> core, protocol::write_outcome&& end,
                       protocol::write_intent&& intent);

using protocol::stored_in;
using protocol::text_of;

}  // namespace dynalease::detail
