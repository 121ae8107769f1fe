// Items that are wanted together.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/item_lock_impl.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

struct wanted_item {
    std::shared_ptr<item_lock_impl> front;
    protocol::item_access access;
    /// As last seen, and what is to be done about it. While nothing is known it is taken to be free.
    protocol::item_reply seen{};
    protocol::item_acquire_decision next{protocol::item_acquire_step::take};

    void forget() {
        seen = {};
        next = {protocol::item_acquire_step::take};
        next.form.access = access;
    }
};

inline std::vector<std::string> names_of(const std::vector<wanted_item>& wanted) {
    std::vector<std::string> names;
    for (const auto& each : wanted) names.push_back(each.front->name());
    return names;
}

/// A failure that is one item's.
failure of_item(const wanted_item& which, failure why);
/// Why somebody has none of them whose time to wait is over.
/// @param unheard of his own requests, where nobody has answered them @param came when he did
/// @param waits_for the one that he asked about last
failure in_vain(const std::vector<wanted_item>& wanted, std::optional<failure> unheard, dynalease::time_point came,
                std::size_t waits_for);

/// One of them was last seen in other hands.
bool has_holder(const std::vector<wanted_item>& wanted);
/// Of an outage, with who was last seen to have one of them.
failure with_holder(const std::vector<wanted_item>& wanted, failure unheard);
/// What the reasons of a refused transaction on them show of each. @param shown whether of any
/// @returns whether it may be sent again
bool read_reasons(std::vector<wanted_item>& wanted, failure& why, bool& shown);

/// Reads all of them in one go, and again those that the service has not come to.
class joint_reading {
public:
    /// What was seen of them is forgotten.
    joint_reading(session_impl& core, std::vector<wanted_item>& wanted);

    bool done() const noexcept { return left_.empty(); }
    /// @returns null, or why none was read
    boost::asio::awaitable<shared_failure> go_on(call_options how);

private:
    session_impl& core_;
    std::vector<wanted_item>& wanted_;
    std::map<std::string, keys_and_options> left_;  ///< by table
};

}  // namespace dynalease::detail
