// The attributes of ours on an application's own items, which versioned writes, item locks and transactions share.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/dynamodb/update_expression.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace dynalease::protocol {

namespace item_attribute {
inline constexpr const char* born = "_born";
inline constexpr const char* trail = "_trail";
inline constexpr const char* gone = "_gone";
/// The name of the version, where it is another than the usual one: an attribute of that one is the application's own.
inline constexpr const char* versioned_by = "_versioned_by";
inline constexpr const char* usual_version = "version";
/// Present while a transaction holds the item.
inline constexpr const char* transaction = "_TxId";
/// All names that begin so belong to transactions.
inline constexpr std::string_view transaction_prefix = "_Tx";
}  // namespace item_attribute

/// Where a table's items keep what.
///
/// `stamp` names the last write of the library, whichever part of it wrote. Whoever writes it raises `version` and
/// pushes the stamp before onto the trail, in the same write: the place of a stamp in the trail is its version.
struct item_layout {
    std::string table;
    std::string key;
    std::string sort{};  ///< empty: the table has a partition key alone
    std::string version = item_attribute::usual_version;
    std::string stamp = "_stamp";
    std::string lock_prefix = "_lock";
    std::string time_to_live = "ttl";
    std::int64_t first_version = 1;
    std::int64_t step = 1;
    std::int64_t version_limit = std::numeric_limits<std::int64_t>::max();
    bool stamps = true;  ///< otherwise writes leave none, and take away those that stand there

    std::size_t key_size() const { return sort.empty() ? 1 : 2; }
    bool names_version() const { return version != item_attribute::usual_version; }
    std::string writer() const { return lock_prefix + "W"; }
    std::string readers() const { return lock_prefix + "R"; }
    std::string intent() const { return lock_prefix + "I"; }
    std::string floor() const { return lock_prefix + "F"; }
};

/// True of an item that is there, and that neither a lock nor a transaction holds.
inline constexpr std::string_view unlocked =
    "attribute_not_exists(#W) AND attribute_not_exists(#R) AND attribute_not_exists(#tx) AND "
    "attribute_not_exists(#gone)";
/// The part of it that is tested whatever the caller ignores: a transaction's before-images must not grow stale.
inline constexpr std::string_view not_in_transaction = "attribute_not_exists(#tx) AND attribute_not_exists(#gone)";

/// That the item's version goes by this layout's name, or by none yet. Whoever raises a version demands it of an item
/// that need not be the one it has read: those who go by another name would not see what is written.
std::string goes_by_name(const item_layout& layout, attribute_values& values);

/// Whether an attribute is the library's own: no user's value or update may name it.
bool is_reserved(const item_layout& layout, std::string_view name);
/// The first reserved name among those that the update changes; empty if there is none.
std::string reserved_name_in(const item_layout& layout, const update_expression& update);

/// The key attributes of an item; those that are missing are missing here too.
item_key key_of(const item_layout& layout, const item& attributes);
bool is_key(const item_layout& layout, std::string_view name);
/// For people.
std::string text_of(const item_key& key);
/// The service refused a key, and says no more of it.
bool refuses_key(const failure& why);
/// Then advises to compare the table's key with the one that was named.
void explain_key(failure& why, const item_key& named);

/// Keeps of the request's names those that its texts use, and adds the layout's own where they are used: #k, #ver,
/// #by, #born, #stamp, #trail, #gone, #ttl, #W, #R, #I, #F, #tx.
void keep_used_names(const item_layout& layout, attribute_names& names, std::string_view update,
                     std::string_view condition);

}  // namespace dynalease::protocol
