// Whether those live who keep somebody from an item, for a try that goes on until it is known.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_inquiry.hpp"

#include <algorithm>

namespace dynalease::protocol {

std::vector<item_claimant> in_the_way(const item_lock_state& sight, std::string_view self, item_access access,
                                      std::size_t most_readers) {
    std::vector<item_claimant> found;
    const auto add = [&](const item_claimant& who) {
        if (who.session != self) found.push_back(who);
    };
    if (sight.writer) add(*sight.writer);
    if (sight.intent) add(*sight.intent);
    // Who reads it already needs no room for an entry.
    const bool has_room = sight.readers.size() < most_readers || sight.hold_of(self) != nullptr;
    if (access == item_access::exclusive || !has_room) std::ranges::for_each(sight.readers, add);
    return found;
}

item_inquiry::item_inquiry(const item_question& asked, const std::vector<item_claimant>& in_the_way)
    : since_(asked.since), access_(asked.access) {
    for (const auto& who : in_the_way) seen_.push_back({who.text});
}

void item_inquiry::note_over(const item_claimant& who) {
    for (auto& each : seen_) each.over = each.over || each.text == who.text;
}

bool item_inquiry::acted(const item_lock_state& sight, const std::vector<item_claimant>& in_the_way) const {
    const auto stands = [&](const std::string& text) {
        if (sight.writer && sight.writer->text == text) return true;
        if (sight.intent && sight.intent->text == text) return true;
        return std::ranges::find(sight.readers, text, &item_claimant::text) != sight.readers.end();
    };
    const bool gone = std::ranges::any_of(seen_, [&](const auto& each) { return !each.over && !stands(each.text); });
    const bool came = std::ranges::any_of(in_the_way, [&](const auto& who) {
        return std::ranges::find(seen_, who.text, &claimant::text) == seen_.end();
    });
    return gone || came;
}

}  // namespace dynalease::protocol
