// From whom an item is taken over: for the log.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_take_over.hpp"

#include "session/protocol/plain_identity.hpp"
#include "session/protocol/session_words.hpp"

#include <algorithm>

namespace dynalease::protocol {

std::vector<std::string> taken_from(const session_view& session, const item_lock_state& seen,
                                    const item_take_form& form) {
    std::vector<std::string> found;
    const auto add = [&](const item_claimant& who) {
        if (who.session != session.id()) found.push_back(who.session);
    };
    if (form.over_writer && seen.writer) add(*seen.writer);
    if (!form.over_readers.empty()) std::ranges::for_each(seen.readers, add);
    return found;
}

void tell_take_over(session_view& session, const std::string& item, const std::vector<std::string>& from) {
    if (from.empty()) return;
    std::string words;
    for (const auto& each : from) {
        const auto* about = is_plain(each) ? nullptr : &session.watch(each);
        words += (words.empty() ? "" : ", and from ") + words_of_session(each, about);
    }
    session.log(severity::info, "item '" + item + "': taken over from " + words +
                                    (from.size() > 1 ? ", which are over" : ", which is over"));
}

}  // namespace dynalease::protocol
