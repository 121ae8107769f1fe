// What one request may cost: work and memory, counted while it is carried out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/item.hpp>

#include <cstddef>

namespace dynalease::local {

/// One thread answers everybody, so nobody's request may take it for long, nor the memory of all. What AWS's own limits
/// leave open is bounded here, with one answer that says so. Counted, not timed: the same request has the same answer.
class allowance {
public:
    /// Of 5 to 20 ns each: a step of a path, a comparison, 16 bytes looked through, a value copied.
    static constexpr std::size_t most_steps = 30'000'000;
    /// Of values copied, with what it takes to write them as an answer.
    static constexpr std::size_t most_bytes = 128 * 1024 * 1024;

    /// Refuses the whole request when there are no more.
    void spend(std::size_t steps) {
        if (steps > steps_) refuse_costly();
        steps_ -= steps;
    }

    /// Spends, and takes the memory, for a copy that the answer holds.
    void copy(const attribute_value& value);
    void copy(const item& whole);
    /// The same of a copy that is kept, and not written as an answer.
    void keep(const item& whole);

    /// A transaction may read 4 MB, and cannot end before.
    void allow_transaction() { bytes_ += most_bytes; }

    /// Whether another item of any size can be copied: who may give a part of an answer ends it here.
    bool has_room() const noexcept { return bytes_ >= room_of_an_item && steps_ >= steps_of_an_item; }

private:
    /// What an item of 400 KB takes that is made of the smallest values.
    static constexpr std::size_t room_of_an_item = 48 * 1024 * 1024;
    static constexpr std::size_t steps_of_an_item = 1'000'000;

    [[noreturn]] static void refuse_costly();
    void take(std::size_t bytes);

    std::size_t steps_ = most_steps;
    std::size_t bytes_ = most_bytes;
};

}  // namespace dynalease::local
