// An update on its way: what is asked for, and what its function says to an item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/session_lives.hpp"
#include "versioned/protocol/item_update.hpp"
#include "versioned/versioned_impl.hpp"

#include <boost/asio/awaitable.hpp>

#include <exception>
#include <memory>
#include <optional>

namespace dynalease::detail {

struct update_order {
    item_key key;
    update_function change;
    update_options options;
    bool complete;
    std::shared_ptr<session_lives> promotes{};  ///< the session that may lock the item; null: none
};

/// What the function makes of the item.
/// @param stored empty: there is no item
/// @param mine the stamp of the write
/// @param thrown what the function threw
protocol::next_write next_write_of(const versioned_impl& core, const update_order& what,
                                   const std::optional<stored_item>& stored, const item_stamp& mine,
                                   std::exception_ptr& thrown);

/// How an update ended.
struct update_end {
    std::optional<failure> why{};
    write_report report{};
};

/// Waits for the item's lock, asks the function what to do with the item that came with it, and does it. Nobody can
/// come between.
/// @param mine the stamp of the write, and of the one before it that found the item locked.
boost::asio::awaitable<update_end> update_locked(std::shared_ptr<versioned_impl> core, update_order what,
                                                 item_stamp mine, dynalease::time_point deadline);

}  // namespace dynalease::detail
