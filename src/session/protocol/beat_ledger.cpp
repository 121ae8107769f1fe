// The heartbeats of a session that were sent lately, and what each answer proves of them.
// SPDX-License-Identifier: BSL-1.0
#include "session/protocol/beat_ledger.hpp"

#include "database/protocol/reply.hpp"
#include "session/protocol/row.hpp"

#include <algorithm>

namespace dynalease::protocol {

beat_ledger::beat beat_ledger::next(time_point now) {
    if (sent_.size() == remembered) sent_.erase(sent_.begin());
    return sent_.emplace_back(beat{++last_, now});
}

const beat_ledger::beat* beat_ledger::find(std::int64_t number) const {
    const auto at = std::find_if(sent_.begin(), sent_.end(), [&](const beat& b) { return b.number == number; });
    return at == sent_.end() ? nullptr : &*at;
}

beat_answer beat_ledger::judge_applied(const beat& sent, std::optional<std::int64_t> former) {
    // The number only grows while the row is what it was.
    if (former && *former < landed_) {
        return {.over = "the table is as it was before: the session's row had gone back to an earlier heartbeat",
                .row_stands = true};
    }
    landed_ = std::max(landed_, sent.number);
    return {.landed = sent.sent};
}

beat_answer beat_ledger::judge_failed(const failure& why) {
    if (detail::classify(why) != detail::answer::refused) return {.missed = true};
    if (!why.current) return {.over = "the session's row is gone: somebody deleted it"};
    const auto row = parse_session_row(*why.current);
    if (!row) return {.over = "the session's row was edited: " + row.error().details.message};
    if (!row->alive) {
        return {.over = row->marked_by.empty() ? "another has closed the session's row"
                                               : "marked dead by session " + row->marked_by};
    }
    if (row->beat == last_beat) return {.over = "revoked by " + row->marked_by};
    // A later heartbeat of ours landed first: as good as an answer to that one.
    const auto* landed = find(row->beat);
    if (landed == nullptr) return {};
    landed_ = std::max(landed_, landed->number);
    return {.landed = landed->sent};
}

}  // namespace dynalease::protocol
