// What a transaction leaves on an item while it holds it: enough for anybody to know what the item was before, what it
// will be if the transaction commits, and how to bring about either.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_attributes.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/item/item_version.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

namespace mark_attribute {
inline constexpr const char* owner = item_attribute::transaction;
inline constexpr const char* before = "_TxP";
inline constexpr const char* kind = "_TxO";
inline constexpr const char* write = "_TxR";
/// The name of the stamp, where it is another than the usual one.
inline constexpr const char* stamp_name = "_TxS";
/// Followed by the name of a top-level attribute: what it was before.
inline constexpr std::string_view image_prefix = "_TxB:";
/// Followed by the name of the version: what it will be after the commit.
inline constexpr std::string_view next_prefix = "_TxV:";
}  // namespace mark_attribute

/// One run of a transaction: an id may be run again after a run was rolled back.
struct run_name {
    std::string id;
    std::string run;

    std::string text() const { return id + "/" + run; }
    friend bool operator==(const run_name&, const run_name&) = default;
};

/// How a transaction holds an item: the letter that stands in the mark.
enum class mark_kind : char {
    updated = 'U',
    inserted = 'I',
    to_erase = 'D',
    read = 'L',
};

/// One lock on one item, for ever: a stamp is never used twice, and `before` tells on which state it landed. Two copies
/// of the same locking write that land on different states make two different locks.
struct lock_name {
    item_stamp stamp{};
    std::optional<item_stamp> before{};  ///< empty: the item had no stamp

    friend bool operator==(const lock_name&, const lock_name&) = default;
};

struct item_mark {
    struct image {
        std::string name;
        bool absent = false;  ///< the item had no such attribute
        friend bool operator==(const image&, const image&) = default;
    };

    run_name owner{};
    lock_name lock{};
    mark_kind kind = mark_kind::updated;
    std::int64_t write = 0;  ///< the number of the transaction's last write to the item, from 1
    std::string stamp_name = "_stamp";
    std::vector<image> images{};
    std::vector<std::string> versions{};  ///< the attribute that gets its next version at the commit: one at most

    friend bool operator==(const item_mark&, const item_mark&) = default;
};

/// Where the mark keeps the attribute as it was, and the version as it will be.
std::string image_name(std::string_view attribute);
std::string next_version_name(std::string_view version);

/// The stamp in the mark of an item that had none, and of an attribute that was not there.
binary no_stamp();
attribute_value absent_image();

/// Empty if no transaction holds the item. Fails with `errc::corrupt_row`, and names the attribute, if the mark is not
/// one of ours: such an item is never written.
result<std::optional<item_mark>> mark_of(const item& shown);

/// What is committed as long as the transaction is not. Empty: there was no item.
std::optional<item> before_mark(const item& shown, const item_mark& mark);
/// What the item is once the transaction has committed under this lock. Empty: it is erased.
std::optional<item> after_mark(const item& shown, const item_mark& mark);
/// What everybody may see, by one read and whatever became of the transaction: `before_mark`, or the item itself if no
/// transaction holds it. Fails as `mark_of`.
result<std::optional<item>> committed_view(const std::optional<item>& shown);

}  // namespace dynalease::protocol
