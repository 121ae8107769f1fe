// Whether those live who keep somebody from an item, for a try that goes on until it is known.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_lock_state.hpp"

#include <dynalease/runtime/time.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

/// Of those who are in the way of such a try.
enum class item_fate {
    not_asked,
    unknown,
    settled,  ///< one of them lives, or did when this was asked, or is of a kind that is never known to be over
};

/// Those without whom the item would be granted, and who are not of our own session.
std::vector<item_claimant> in_the_way(const item_lock_state& sight, std::string_view self, item_access access,
                                      std::size_t most_readers);

struct item_question {
    time_point since;  ///< when he came who asks
    item_access access;
    std::size_t most_readers;
};

/// What he saw first.
class item_inquiry {
public:
    item_inquiry(const item_question& asked, const std::vector<item_claimant>& in_the_way);
    bool is_of(const item_question& asked) const noexcept { return asked.since == since_ && asked.access == access_; }
    /// It is no sign of life of that one if it is seen no more.
    void note_over(const item_claimant& who);
    /// Whoever has come since, gone, or changed its text lives, or did when this was asked.
    bool acted(const item_lock_state& sight, const std::vector<item_claimant>& in_the_way) const;

private:
    struct claimant {
        std::string text;
        bool over = false;
    };
    time_point since_;
    item_access access_;
    std::vector<claimant> seen_;
};

}  // namespace dynalease::protocol
