// Who must have come before whom, as far as lists that everybody appends to can tell.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dynalease::simulation::transfers {

/// A circle in it is an order of transactions that cannot be: G0, G1c or G2 in the words of Adya. A number that stands
/// in a list again was written again, by a write of its own.
class dependencies {
public:
    /// The list of an item at the end: all that was written to it, in order.
    void list(std::size_t item, std::vector<std::int64_t> entries);
    /// That wish was carried out having read that much of the list.
    void read(std::int64_t by, std::size_t item, std::vector<std::int64_t> entries);

    /// Once all lists and reads are known: what cannot be; empty: nothing.
    std::optional<std::string> contradiction() const;

private:
    struct sight {
        std::int64_t by;
        std::size_t item;
        std::vector<std::int64_t> entries;
    };
    using edges = std::map<std::int64_t, std::set<std::int64_t>>;

    std::optional<std::string> add_sight(edges& graph, const sight& read) const;

    std::map<std::size_t, std::vector<std::int64_t>> lists_;
    std::vector<sight> reads_;
};

}  // namespace dynalease::simulation::transfers
