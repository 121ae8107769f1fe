// An update on its way: what is asked for, and what its function says to an item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "session/session_lives.hpp"
#include "versioned/versioned_impl.hpp"

#include <boost/asio/awaitable.hpp>

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

/// What is to be written; or, without that, how the update ends.
struct update_step {
    std::optional<write_order> write{};
    write_end end{};
};
/// Asks the function. @param stored empty: there is no item.
update_step next_write(const versioned_impl& core, const update_order& what, const std::optional<stored_item>& stored);

/// Waits for the item's lock, asks the function what to do with the item that came with it, and does it. Nobody can
/// come between.
/// @param mine the stamp of the write, and of the one before it that found the item locked.
boost::asio::awaitable<write_end> update_locked(std::shared_ptr<versioned_impl> core, update_order what,
                                                item_stamp mine, dynalease::time_point deadline);

}  // namespace dynalease::detail
