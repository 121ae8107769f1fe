// Several items, of several tables and structs, that are read as they were at one moment.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/transaction/transaction_operations.hpp>
#include <dynalease/versioned/versioned.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease {

/// What is to be read together. The same item may be wanted twice; it is read once.
class joint_reads {
public:
    /// @returns the item's place, by which it is found in what was read.
    template <class T>
    std::size_t add(const versioned<T>& table, key_values key) {
        reads_.push_back(place_of(table, key));
        return reads_.size() - 1;
    }

    const std::vector<detail::joint_read>& reads() const noexcept { return reads_; }

private:
    template <class T>
    static detail::joint_read place_of(const versioned<T>& table, const key_values& key) {
        return {table.core_, key.named(table.options().key, table.options().sort_key)};
    }

    std::vector<detail::joint_read> reads_;
};

/// What was read, as all of it was committed at one moment.
class joint_sight {
public:
    joint_sight() = default;
    explicit joint_sight(std::vector<detail::transaction_sight> sights) : sights_(std::move(sights)) {}

    std::size_t size() const noexcept { return sights_.size(); }
    /// Empty: there was no such item. @throws dynalease::error with `errc::bad_attribute` if it is no T.
    template <class T>
    std::optional<T> at(const versioned<T>& table, std::size_t place) const {
        const auto& stored = sights_.at(place).stored;
        if (!stored) return std::nullopt;
        return detail::as_loaded<T>(*table.core_, *stored, "transactions.read_together").value;
    }

private:
    std::vector<detail::transaction_sight> sights_;
};

}  // namespace dynalease
#pragma GCC visibility pop
