// The tickets of this process.
// SPDX-License-Identifier: BSL-1.0
#include "queue/drawn_tickets.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {
/// So many are not worth a search for those that nobody wants any more.
constexpr std::size_t few = 16;
}  // namespace

void drawn_tickets::begin_ticket(const std::shared_ptr<queue_entrant>& who, const std::string& attempt) {
    who->ticket = std::make_shared<drawn_ticket>(drawn_ticket{.face = who->ticket->face, .attempt = attempt});
    if (known_.size() >= crowded_) {
        std::erase_if(known_, [](const auto& entry) { return entry.second.ticket.expired(); });
        crowded_ = std::max<std::size_t>(few, 2 * known_.size());
    }
    known_.insert_or_assign(attempt, known_ticket{who->ticket, who});
}

bool drawn_tickets::alive(const std::string& attempt) const {
    const auto found = known_.find(attempt);
    return found != known_.end() && !found->second.ticket.expired();
}

void drawn_tickets::fail_all(const failure& why) const {
    const auto shared = std::make_shared<const failure>(why);
    for (const auto& [attempt, known] : known_) {
        if (const auto who = known.who.lock()) who->complete({{}, shared});
    }
}

void drawn_tickets::begin_entering(queue_entrant& who) noexcept {
    if (!std::exchange(who.entering, true)) ++entering_;
}

void drawn_tickets::end_entering(queue_entrant& who) noexcept {
    if (std::exchange(who.entering, false)) --entering_;
}

}  // namespace dynalease::detail
