// Reads items as they are committed now, whoever holds them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_mark.hpp"
#include "transaction/protocol/errand.hpp"

#include <dynalease/dynamodb/item.hpp>
#include <dynalease/item/item_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// Without I/O, and a plain value. It waits for nobody: an item under a mark is what its transaction's row says, which
/// is looked at after the item. At most 32 requests at once.
class latest_reader {
public:
    latest_reader(std::string coordination, std::vector<item_ref> items);

    /// @returns an errand that may leave now; to be asked until it has none.
    std::optional<errand> next(std::int64_t wall);
    void answer(std::size_t slot, errand_answer with);
    /// Nothing more is to be read.
    void stop(failure why);

    bool ended() const noexcept { return unread_ == 0 || why_.code; }
    /// Why it has ended without having read all of them.
    const failure& why() const noexcept { return why_; }
    /// Of the items, in their order; empty: there is none.
    const std::vector<std::optional<item>>& found() const noexcept { return found_; }

private:
    enum class phase { looking, asking_row, done };
    struct slot_state {
        phase now = phase::looking;
        bool busy = false;
        bool again = false;               ///< the run of `mark` had ended when the item was read
        std::optional<item_mark> mark{};  ///< as it was seen
    };

    void answer_look(std::size_t slot, std::optional<item> shown);
    void answer_row(std::size_t slot, const std::optional<item>& row);
    void settle(std::size_t slot, std::optional<item> as);

    std::string coordination_;
    std::vector<item_ref> items_;
    std::vector<slot_state> slots_;
    std::vector<std::optional<item>> found_;
    std::size_t unread_;
    std::size_t busy_ = 0;
    std::size_t first_ = 0;  ///< all before it are done or busy
    failure why_;
};

}  // namespace dynalease::protocol
