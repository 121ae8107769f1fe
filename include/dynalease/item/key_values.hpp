// The key of an item as callers say it: the values, in the order of the table's key.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease {

/// A partition key's value, with a sort key's where the table has one; or the whole key with its names.
class key_values {
public:
    template <class Partition>
        requires(std::convertible_to<Partition, attribute_value> &&
                 !std::convertible_to<std::remove_cvref_t<Partition>, item_key>)
    key_values(Partition&& partition) : partition_(std::forward<Partition>(partition)) {}
    template <class Partition, class Sort>
        requires(std::convertible_to<Partition, attribute_value> && std::convertible_to<Sort, attribute_value>)
    key_values(Partition&& partition, Sort&& sort)
        : partition_(std::forward<Partition>(partition)), sort_(attribute_value(std::forward<Sort>(sort))) {}
    key_values(item_key whole) : whole_(std::move(whole)) {}

    /// The key under the table's own names. A value too many stays under no name, and is refused later on.
    item_key named(const std::string& partition, const std::string& sort) const {
        if (whole_) return *whole_;
        item_key key{{partition, partition_}};
        if (sort_) key.emplace(sort, *sort_);
        return key;
    }

private:
    attribute_value partition_;
    std::optional<attribute_value> sort_;
    std::optional<item_key> whole_;
};

}  // namespace dynalease
#pragma GCC visibility pop
