// One versioned write on its way: what it is made from, what it tests, and its request.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_state.hpp"
#include "versioned/protocol/version_changes.hpp"
#include "versioned/protocol/version_decisions.hpp"
#include "versioned/protocol/version_requests.hpp"

#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/item/item_members.hpp>
#include <dynalease/item/resolution.hpp>
#include <dynalease/item/write_facts.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// One write of one caller, and all copies of it.
struct write_intent {
    enum class test { create, create_over, checked, blind, erase_blindly };

    const item_layout* layout = nullptr;
    test how{};
    item_key key{};
    checked_write write{};
    item stored{};         ///< what it was made from
    bool partial = false;  ///< ... there may be more of
    member_changes changes{};
    item_members members{};  ///< of a creation, and of what may become one
    bool makes = false;      ///< an unchecked write, also where there is no item
    bool removes = false;
    bool buries = false;     ///< ... by a tombstone
    bool repeatable = true;  ///< its copies may be sent again without reading first
    any_request request{};

    version_requests requests() const { return version_requests(*layout); }
};

/// How it ended.
struct write_outcome {
    std::optional<failure> why{};
    detail::write_facts facts{};
    bool in_doubt = false;  ///< the intent, as it is then, may be asked about later
};

/// Turns what makes an item into a creation over the tombstone just seen, or back.
std::optional<failure> plan_create_over(write_intent& intent, const visible_item& tombstone);
void plan_without_tombstone(write_intent& intent);
/// The two forms of that.
void plan_create(write_intent& intent);
void plan_clobber(write_intent& intent);

/// The item as the write leaves it, if that can be known without asking: nothing else can have changed.
std::optional<item> item_after(const write_intent& intent);
/// What of the user's stays on the tombstone of an item that was so.
std::vector<std::string> left_on_tombstone(const write_intent& intent, const item& before);

verdict decide(const write_intent& intent, const visible_item* now, bool clean);
/// "expected version 4, found version 5", as the facts of a conflict have it.
std::string text_of_conflict(const write_intent& intent, const detail::write_facts& facts);
/// "version 4"
std::string text_of(const std::optional<std::int64_t>& version);
/// What a verdict on a write in doubt says of it.
resolution resolution_of(verdict meant);
/// That a write which tests no version met one that may not be raised; empty: it met no such.
std::optional<failure> overflow_of(const write_intent& intent, const item_state& now);
/// As a caller gets it: a tombstone counts as none, and so does what a transaction inserts.
std::optional<detail::stored_item> stored_in(std::optional<visible_item> seen);

}  // namespace dynalease::protocol
