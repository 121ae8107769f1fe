// What the simulated gateway has charged: one entry for each key, whatever it is asked, and how often.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/charge.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace payments {

class charge_book {
public:
    /// The outcome under the key; of a new one, it is decided now.
    /// @param declined whether the customer's bank refuses, of a new key
    /// @returns null if the key was used for another order before.
    const charge_answer* charge(const charge_order& order, const std::string& key, bool declined);
    /// Null: nothing is known of that key.
    const charge_answer* find(const std::string& key) const;

    const std::map<std::string, charge_answer>& entries() const noexcept { return entries_; }
    std::int64_t money_withdrawn() const;
    /// Charges beyond the first of an intent.
    std::size_t double_charges() const;

private:
    std::map<std::string, charge_answer> entries_;  ///< by key
};

}  // namespace payments
