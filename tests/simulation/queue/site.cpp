// Who lives in a process, and what its turns may be believed.
#include "simulation/queue/site.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace dynalease::simulation::queues {

site::site(queue_world& where, std::size_t index)
    : watched_process(where, where.made_of(), index, where.lease()), world_(where) {
    open();
}

void site::begin() {
    first_sends_.clear();
    written_.clear();
    begin_watched_session();
    const auto count = world_.choices().between("users of a node", 1, world_.made_of().most_users);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto queue = world_.choices().choose("queue of a user", world_.queues());
        add(std::make_shared<user>(*this, queue, world_.next_number()));
    }
}

queue site::queue_of(std::size_t index) {
    auto [entity, reason] = place_of(index);
    return queue(*session(), std::move(entity), {.reason = std::move(reason)});
}

bool site::is_written(const user::held_turn& turn) const {
    return written_.contains({turn.queue, turn.turn.ticket()});
}

time_point site::bound_of(const user::held_turn& turn) const {
    const auto* believed = watch();
    if (believed == nullptr || !believed->begun()) return time_point::min();
    const auto session_end = believed->is_told_over() ? time_point::min() : believed->deadline();
    if (is_written(turn)) return session_end;
    // A turn without a row is protected by its claim alone, which everybody counts as three seconds.
    const auto* ticket = world_.judged().find(turn.queue, turn.turn.ticket());
    const auto sent = ticket == nullptr ? first_sends_.end() : first_sends_.find(ticket->attempt);
    if (sent == first_sends_.end()) return time_point::min();
    return std::min(session_end, sent->second + std::chrono::seconds(3));
}

}  // namespace dynalease::simulation::queues
