// Who lives in a process, and what its turns may be believed.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/queue/process.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

namespace dynalease::simulation::queues {

process::process(queue_world& where, std::size_t index)
    : watched_process(where, where.made_of(), index, where.lease()), world_(where) {
    open();
}

void process::forget_calls() {
    open_.clear();
    doubted_.clear();
    places_.clear();
}

void process::note_life() {
    if (std::exchange(life_, session()->lives()) != session()->lives()) forget_calls();
}

void process::begin() {
    first_sends_.clear();
    written_.clear();
    paused_.clear();
    forget_calls();
    life_ = 1;
    begin_watched_session();
    if (world_.made_of().odd_options) {
        constexpr std::array shortest{std::chrono::milliseconds(10), std::chrono::milliseconds(170),
                                      std::chrono::milliseconds(5000)};
        options_.poll_interval = shortest[world_.choices().choose("poll interval", shortest.size())];
        const bool often = world_.choices().choose("longest poll interval", 2) == 1;
        options_.longest_poll_interval = often ? options_.poll_interval : std::chrono::hours(24);
    }
    const auto count = world_.choices().between("users of a node", 1, world_.made_of().most_users);
    if (count > 50) world_.run().coverage.hit("many callers");
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto queue = world_.choices().choose("queue of a user", world_.queues());
        add(std::make_shared<user>(*this, queue, world_.next_number()));
    }
}

queue process::queue_of(std::size_t index) {
    auto [entity, reason] = place_of(index);
    auto options = options_;
    options.reason = std::move(reason);
    return queue(*session(), std::move(entity), std::move(options));
}

bool process::is_written(const user::held_turn& turn) const {
    return written_.contains({turn.queue, turn.turn.ticket()});
}

std::string process::session_of(const user::held_turn& turn) const {
    const auto* ticket = world_.checked().find(turn.queue, turn.turn.ticket());
    const bool ours = ticket != nullptr && own_sessions_.contains(ticket->session);
    return ours ? ticket->session : session()->id();
}

time_point process::bound_of(const user::held_turn& turn) const {
    const auto* believed = watch(turn.session);
    if (believed == nullptr || !believed->begun()) return time_point::min();
    const auto session_end = believed->is_told_over() ? time_point::min() : believed->deadline();
    if (is_written(turn)) return session_end;
    // A turn without a row is protected by its claim alone, which everybody counts as three seconds.
    const auto* ticket = world_.checked().find(turn.queue, turn.turn.ticket());
    const auto sent = ticket == nullptr ? first_sends_.end() : first_sends_.find(ticket->attempt);
    if (sent == first_sends_.end()) return time_point::min();
    return std::min(session_end, sent->second + std::chrono::seconds(3));
}

// ---- what callers are told ---------------------------------------------------------------------------------

void process::check_told_entry(bool all, std::size_t queue, const error_code& code) {
    if (!live()) return;
    note_life();
    const auto what = all ? open_writes::kind::draw_together : open_writes::kind::draw;
    const auto open = open_.count(what, all ? 0 : queue);
    auto& doubted = doubted_[all ? world_.queues() : queue];
    doubted = std::min(doubted, open);
    if (code == errc::in_doubt) {
        const bool known = open == 0 && !open_.any_shown(what, all ? 0 : queue);
        if (known && open_.last_known() < clock_now()) {
            world_.fail("T1", "an entry was told in doubt though every copy of its request was answered");
        }
        ++doubted;
        return;
    }
    // Each open request for a ticket is that of somebody who still waits, or was told in doubt.
    const auto waiting = std::count_if(users().begin(), users().end(), [&](const auto& each) {
        return each->waits() && each->enters_all() == all && (all || each->waits_for(queue));
    });
    if (open <= static_cast<std::size_t>(waiting) + doubted) return;
    world_.fail("T1", "an entry was told as " + code.message() + " though a request for its ticket has no answer");
}

void process::check_told_leave(const user::held_turn& turn, bool cancelled, const error_code& code) {
    if (!live() || world_.made_of().loses_rows) return;
    const auto queue = turn.queue;
    const auto ticket = turn.turn.ticket();
    const auto* mine = world_.checked().find(queue, ticket);
    const auto name = "the leaving of ticket " + std::to_string(ticket);
    if (!code && world_.checked().head(queue).passed < ticket) {
        world_.fail("T2", name + " was told as done, and it has its turn still");
    }
    // Once it is over, others may have passed over a turn without a row: what showed it as passed may be their doing.
    if (code == errc::lock_lost && mine != nullptr && mine->left && clock_now() < bound_of(turn)) {
        world_.fail("T2", name + " was told as a loss though it was its own");
    }
    // Of what a former life still has open nothing is kept.
    if (turn.session != session()->id()) return;
    const bool open = open_.contains({open_writes::kind::leave, queue, std::to_string(ticket)});
    if (code == errc::in_doubt && !cancelled && !open && open_.last_known() < clock_now()) {
        world_.fail("T2", name + " was told in doubt though every copy of it was answered");
    }
}

// Of several queues that were entered together all are entered anew when one of the places is lost.
bool process::stands(std::size_t queue, std::int64_t ticket) const {
    const auto& checked = world_.checked();
    const auto* mine = checked.find(queue, ticket);
    if (mine == nullptr) return false;
    for (std::size_t i = 0; i < world_.queues(); ++i) {
        const auto* part = checked.find(i, ticket);
        if (part == nullptr || part->attempt != mine->attempt) continue;
        if (checked.head(i).passed >= ticket || part->state != checker::ticket::row::live) return false;
    }
    return true;
}

// Whoever waits keeps the place that it has drawn: only where others passed it over does it draw another.
void process::check_place(const item& row, const row_name& place) {
    const auto* shown = find(row, "data");
    const auto* data = shown == nullptr ? nullptr : shown->get_if<attribute_map>();
    const auto call = data == nullptr ? std::nullopt : find_integer(*data, "call");
    if (!call) return;
    const auto [before, first] = places_.try_emplace({*call, place.queue}, place.ticket);
    // A row of an earlier place may land late.
    if (first || place.ticket <= before->second) return;
    if (stands(place.queue, before->second) && !world_.made_of().loses_rows) {
        world_.fail("Q1", "somebody who waits with ticket " + std::to_string(before->second) + " was sent to the end");
    }
    before->second = place.ticket;
}

}  // namespace dynalease::simulation::queues
