// Tells those who wait in a queue, and asked for it, where they stand.
// SPDX-License-Identifier: BSL-1.0
#include "queue/place_teller.hpp"

#include "queue/protocol/queue_decisions.hpp"
#include "session/call_hook.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>

namespace dynalease::detail {

namespace {

constexpr std::chrono::seconds interval{1};

}  // namespace

void place_teller::stands_in_line(const std::shared_ptr<queue_entrant>& who) {
    if (!who->on_place) return;
    any_asks_ = true;
    tell(who);
}

void place_teller::head_seen() noexcept {
    if (any_asks_) due_ = std::min(due_, looked_ + interval);
}

dynalease::time_point place_teller::tell() {
    const auto now = core_.now();
    if (now < due_) return due_;
    looked_ = now;
    due_ = dynalease::time_point::max();
    any_asks_ = false;
    for (const auto& [ticket, who] : here_.waiting) {
        if (!who->on_place) continue;
        any_asks_ = true;
        tell(who);
    }
    return due_;
}

void place_teller::tell(const std::shared_ptr<queue_entrant>& who) {
    const auto& head = view_.head();
    if (!head.known()) return;
    const auto& mine = who->ticket->mine;
    const queue_place place{
        .ticket = mine.ticket,
        .before = protocol::tickets_ahead(*head, mine) - view_.places().over_before(mine.from),
    };
    const auto& told = who->told_place;
    const bool news = !told || told->ticket != place.ticket || place.before < told->before;
    // Where all before it are over its turn is about to come.
    if (!news || place.before < 1) return;
    const auto now = core_.now();
    if (told && now - who->place_told_at < interval) {
        due_ = std::min(due_, who->place_told_at + interval);
        return;
    }
    who->told_place = place;
    who->place_told_at = now;
    // Not from here: what it does may change who waits.
    boost::asio::post(core_.world().executor, [core = core_.shared_from_this(), who, place] {
        if (!who->wanted()) return;
        call_hook(
            "on_place", [&] { who->on_place(place); }, [&](const auto& line) { core->log(severity::error, line); });
    });
}

}  // namespace dynalease::detail
