// What the clerks told, as a table of the turns in the order in which they came.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tickets {

using instant = std::chrono::steady_clock::time_point;

struct turn_row {
    std::int64_t ticket = 0;
    std::string clerk;
    std::size_t before = 0;              ///< how many stood before it when its ticket was drawn
    std::chrono::milliseconds waited{};  ///< from asking for the ticket to the turn
    std::chrono::milliseconds handed{};  ///< from the end of the turn before it
    bool changed = false;
    bool killed = false;
};

class order_table {
public:
    explicit order_table(std::size_t clerks) : entered_(clerks), tickets_(clerks, 0) {}

    /// Takes one line of a clerk. @throws std::runtime_error for one that failed.
    void take(std::size_t clerk, const std::string& line, instant now);
    void killed(std::size_t clerk, instant now);

    std::size_t changes() const;
    /// The ticket with which the clerk stays in its turn; 0: it does not.
    std::int64_t staying() const noexcept { return staying_; }
    const std::vector<turn_row>& turns() const noexcept { return turns_; }
    std::size_t done() const noexcept { return done_; }

    /// Prints it, and whether all was as it must be. @param history the tickets that the order itself lists.
    bool report(const std::vector<std::int64_t>& history) const;

private:
    turn_row& row_of(std::int64_t ticket);

    std::vector<instant> entered_;
    std::vector<std::int64_t> tickets_;  ///< each clerk's last
    std::vector<turn_row> turns_;
    instant ended_{};
    std::int64_t staying_ = 0;
    std::size_t done_ = 0;
};

/// Such as "clerk-3".
std::string clerk_name(std::size_t clerk);

}  // namespace tickets
