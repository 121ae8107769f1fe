// A transaction on a simulated world's store, carried by its real requests as far as a test wants.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/world.hpp"

#include "transaction/protocol/coordinator.hpp"
#include "transaction/protocol/transaction_header.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::tests {

class transaction_by_hand {
public:
    using phase = protocol::coordinator::phase;

    /// @param items their keys, and what is to become of them
    transaction_by_hand(world& where, std::vector<protocol::planned_item> items, std::string id = "4711")
        : where_(where), machine_(table, {.name = {std::move(id), "run"}, .born = 1, .items = std::move(items)}, {}) {}

    /// All items carry its mark, and it is not decided.
    void lock() { until(phase::committing); }
    /// It is decided, and its marks are still there.
    void commit() { until(phase::closing); }
    void finish() { until(phase::ended); }
    /// Before the commit, by somebody else.
    void roll_back() {
        const auto row = where_.row("tx#" + machine_.plan().name.id);
        const auto header = protocol::parse_transaction_header(&row).value().value();
        machine_ = protocol::coordinator::resumed(table, machine_.plan(), {}, header);
        machine_.stop(failure(errc::cancelled));
        finish();
    }

private:
    void until(phase wanted) {
        while (machine_.now() != wanted && machine_.now() != phase::ended) {
            auto next = machine_.next(1'700'000'000);
            if (!next) throw std::logic_error("it wants nothing, and has not come there");
            machine_.answer(next->slot, protocol::read_answer(where_.simulated.apply(next->request)));
        }
        if (machine_.now() != wanted) throw std::logic_error("it has ended: " + machine_.why().details.message);
    }

    world& where_;
    protocol::coordinator machine_;
};

/// What a transaction wants with one item of a table of versioned items.
inline protocol::planned_item wanting(protocol::item_layout layout, item key, protocol::planned_write write) {
    static std::uint64_t drawn = 0;
    const auto number = ++drawn;
    for (std::size_t i = 0; i < 8; ++i) write.stamp[i] = static_cast<std::byte>(number >> (8 * i));
    write.stamp.back() = std::byte{0xee};
    return {
        .on = {.layout = std::move(layout), .versioned = true}, .key = std::move(key), .writes = {std::move(write)}};
}

}  // namespace dynalease::tests
