// Decisions in the place of the library's own: the linker sends calls of `f` to the one called `__wrap_f`, and those of
// `__real_f` to the library's. The names are in decisions.txt; none of this is in the library.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/mutant.hpp"
#include "simulation/framework/rewriting_database.hpp"

#include "queue/protocol/head_sights.hpp"
#include "queue/protocol/queue_decisions.hpp"
#include "queue/protocol/queue_times.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace dynalease::simulation::queues {

using namespace protocol;

// ---- the names -----------------------------------------------------------------------------------------------

examine_decision real_examine(const examine_facts& facts) asm(
    "__real__ZN9dynalease8protocol14decide_examineERKNS0_13examine_factsE");
examine_decision wrapped_examine(const examine_facts& facts) asm(
    "__wrap__ZN9dynalease8protocol14decide_examineERKNS0_13examine_factsE");

poll_step real_poll(const queue_head* head, const place& mine) asm(
    "__real__ZN9dynalease8protocol11decide_pollEPKNS0_10queue_headERKNS0_5placeE");
poll_step wrapped_poll(const queue_head* head, const place& mine) asm(
    "__wrap__ZN9dynalease8protocol11decide_pollEPKNS0_10queue_headERKNS0_5placeE");

cancel_step real_cancel(const cancel_facts& facts) asm(
    "__real__ZN9dynalease8protocol13decide_cancelERKNS0_12cancel_factsE");
cancel_step wrapped_cancel(const cancel_facts& facts) asm(
    "__wrap__ZN9dynalease8protocol13decide_cancelERKNS0_12cancel_factsE");

ticket_step real_ticket(const ticket_facts& facts) asm(
    "__real__ZN9dynalease8protocol13decide_ticketERKNS0_12ticket_factsE");
ticket_step wrapped_ticket(const ticket_facts& facts) asm(
    "__wrap__ZN9dynalease8protocol13decide_ticketERKNS0_12ticket_factsE");

ask_step real_ask(const ask_facts& facts) asm("__real__ZN9dynalease8protocol10decide_askERKNS0_9ask_factsE");
ask_step wrapped_ask(const ask_facts& facts) asm("__wrap__ZN9dynalease8protocol10decide_askERKNS0_9ask_factsE");

std::chrono::nanoseconds real_claim(std::uint32_t drift_ppm) asm("__real__ZN9dynalease8protocol10claim_heldEj");
std::chrono::nanoseconds wrapped_claim(std::uint32_t drift_ppm) asm("__wrap__ZN9dynalease8protocol10claim_heldEj");

std::chrono::nanoseconds real_bury_after(std::uint32_t drift_ppm) asm("__real__ZN9dynalease8protocol10bury_afterEj");
std::chrono::nanoseconds wrapped_bury_after(std::uint32_t drift_ppm) asm("__wrap__ZN9dynalease8protocol10bury_afterEj");

std::vector<place> real_over_with(const place& mine, const void_tickets& voids) asm(
    "__real__ZN9dynalease8protocol9over_withERKNS0_5placeERKSt3mapIlS1_St4lessIlESaISt4pairIKlS1_EEE");
std::vector<place> wrapped_over_with(const place& mine, const void_tickets& voids) asm(
    "__wrap__ZN9dynalease8protocol9over_withERKNS0_5placeERKSt3mapIlS1_St4lessIlESaISt4pairIKlS1_EEE");

std::optional<head_sights::news>
real_sight(head_sights* of, const std::optional<queue_head>& shown, std::uint64_t asked, time_point now) asm(
    "__real__ZN9dynalease8protocol11head_sights5sightERKSt8optionalINS0_10queue_headEEmNSt6chrono10time_pointINS_"
    "13elapsed_clockENS7_8durationIlSt5ratioILl1ELl1000000000EEEEEE");
std::optional<head_sights::news>
wrapped_sight(head_sights* of, const std::optional<queue_head>& shown, std::uint64_t asked, time_point now) asm(
    "__wrap__ZN9dynalease8protocol11head_sights5sightERKSt8optionalINS0_10queue_headEEmNSt6chrono10time_pointINS_"
    "13elapsed_clockENS7_8durationIlSt5ratioILl1ELl1000000000EEEEEE");

// ---- what they get wrong -------------------------------------------------------------------------------------

examine_decision wrapped_examine(const examine_facts& facts) {
    const bool ushers = facts.bury_after == time_point::duration::max();
    auto rows = facts.rows;
    for (auto& seen : rows) {
        const bool alive = seen.owner == owner_is::other && !seen.row.is_void;
        if (active("DEADEARLY") && alive) seen.owner = owner_is::over;
        if (active("USHER") && ushers && alive) seen.owner = owner_is::over;
        if (active("VOIDSTAY")) seen.row.is_void = false;
        if (active("GHOST") && seen.owner == owner_is::ghost) seen.owner = owner_is::ours;
    }
    auto next = real_examine({facts.passed, rows, facts.until, facts.missing, facts.now, facts.bury_after});
    const bool missing = next.step == examine_step::await || next.step == examine_step::bury;
    if (active("ARTICLE") && missing && rows.empty() && !ushers) {
        notes_of_this_world().nothing_before.insert(facts.until);
    }
    if (active("NOTOMB") && next.step == examine_step::bury) next.step = examine_step::pass;
    if (active("SKIPNOW") && next.step == examine_step::await && !ushers) {
        next.step = examine_step::bury;
        next.graves = {next.places.front().ticket};
    }
    return next;
}

poll_step wrapped_poll(const queue_head* head, const place& mine) {
    // The recipe goes in where it sees no row before its own.
    const bool first = active("ARTICLE") && notes_of_this_world().nothing_before.contains(mine.from);
    if (first && head && head->passed < mine.ticket) return poll_step::turn;
    return real_poll(head, mine);
}

cancel_step wrapped_cancel(const cancel_facts& facts) {
    const auto next = real_cancel(facts);
    return active("NOVOID") && next == cancel_step::give_up ? cancel_step::done : next;
}

ticket_step wrapped_ticket(const ticket_facts& facts) {
    auto& notes = notes_of_this_world();
    if (active("FROMANSWER")) notes.claim_begins_late = facts.now - facts.first_send;
    if (active("FROMCOPY")) notes.claim_begins_late = notes.last_draw_sent - facts.first_send;
    return real_ticket(facts);
}

ask_step wrapped_ask(const ask_facts& facts) {
    const bool unseen = active("LIFE_UNSEEN");
    const auto& first = active("LEFT_TAKEN") ? facts.head : facts.first;
    const auto next = real_ask({.first = first,
                                .head = facts.head,
                                .passed_here = facts.passed_here,
                                .seen_alive = facts.seen_alive && !unseen});
    return active("LIFE_GUESSED") && next == ask_step::go_on ? ask_step::refuse : next;
}

std::chrono::nanoseconds wrapped_claim(std::uint32_t drift_ppm) {
    if (active("NOCLAIM")) return std::chrono::hours(1);
    if (active("FROMANSWER") || active("FROMCOPY")) {
        return real_claim(drift_ppm) + notes_of_this_world().claim_begins_late;
    }
    return real_claim(drift_ppm);
}

std::chrono::nanoseconds wrapped_bury_after(std::uint32_t drift_ppm) {
    return active("NOWAIT") ? std::chrono::milliseconds(500) : real_bury_after(drift_ppm);
}

std::vector<place> wrapped_over_with(const place& mine, const void_tickets& voids) {
    auto over = real_over_with(mine, voids);
    if (active("LEAVES_TOO_MUCH")) over.push_back({.ticket = over.back().ticket + 1, .from = over.back().ticket + 1});
    return over;
}

std::optional<head_sights::news> wrapped_sight(head_sights* of, const std::optional<queue_head>& shown,
                                               std::uint64_t asked, time_point now) {
    return real_sight(of, shown, active("OVERTAKEN") ? of->count() : asked, now);
}

}  // namespace dynalease::simulation::queues
