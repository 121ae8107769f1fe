// The phases of a world, and the steps between which everything is checked.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/queue/world.hpp"

#include "simulation/framework/service_owed.hpp"
#include "simulation/queue/process.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace dynalease::simulation::queues {

namespace {

std::string text_of(const decltype(event::what)& what) {
    constexpr std::array names{"Written: head",
                               "Replaced: head",
                               "Written: ticket",
                               "Deleted: ticket",
                               "beat",
                               "Over: session",
                               "Disturbed: sessions",
                               "Granted to user: ticket",
                               "Released by user",
                               "Write outside accepted: ticket",
                               "Fenced transaction: ticket",
                               "Revoked: session"};
    constexpr std::array how{"drawn", "drawn together", "passed over", "left", "left, idle", "rested"};
    std::string text = names[what.index()];
    const auto number = [&](std::size_t queue, std::int64_t ticket) {
        text += " " + std::to_string(ticket) + " of queue " + std::to_string(queue);
    };
    if (const auto* head = std::get_if<head_written>(&what)) {
        text += " of queue " + std::to_string(head->queue) + ", " + how[static_cast<std::size_t>(head->what)] +
                ": tail " + std::to_string(head->after.tail) + " passed " + std::to_string(head->after.passed);
    } else if (const auto* row = std::get_if<ticket_written>(&what)) {
        number(row->queue, row->ticket);
        text += " from " + std::to_string(row->from) + (row->is_void ? ", void" : "");
    } else if (const auto* given = std::get_if<turn_given>(&what)) {
        number(given->queue, given->ticket);
    } else if (const auto* gone = std::get_if<ticket_deleted>(&what)) {
        number(gone->queue, gone->ticket);
    } else if (const auto* ended = std::get_if<session_ended>(&what)) {
        text += " " + ended->session;
    } else if (const auto* revoked = std::get_if<session_revoked>(&what)) {
        text += " " + revoked->session;
    }
    return text;
}

}  // namespace

queue_place place_of(std::size_t queue) {
    return {.entity = "e" + std::to_string(queue / 2), .reason = queue % 2 == 0 ? "" : "night"};
}

queue_world::queue_world(world_run& run, const scenario_config& config, history* kept)
    : played_world(run),
      config_(config),
      kept_(kept),
      node_count_(run.choices.between("nodes", config_.fewest_nodes, config_.most_nodes)),
      queue_count_(run.choices.between("queues", config_.fewest_queues, config_.most_queues)),
      lease_(config_.leases[run.choices.choose("lease", config_.leases.size())]),
      checker_({.queues = queue_count_,
                .drift_ppm = config_.drift_ppm,
                .early_death_waived = config_.breaks_assumptions,
                .order_waived = config_.loses_rows,
                .tokens_waived = config_.breaks_tokens}),
      table_faults_(*this),
      resources_(queue_count_) {
    set_up(config_, node_count_, [this](nemesis_fault kind) { disturb_store(kind); });
    simulated().create_table(coordination);
    for (std::size_t i = 0; i < node_count_; ++i) add(*processes_.emplace_back(std::make_unique<process>(*this, i)));
}

queue_world::~queue_world() = default;

void queue_world::tell(const std::string& node, decltype(event::what) what) {
    event happened{.at = now(), .what = std::move(what)};
    checker_.see(happened);
    run().trace.add(now(), node, happened.what.index(), [&] { return text_of(happened.what); });
    if (kept_) kept_->push_back(std::move(happened));
}

head_state queue_world::head_of(std::size_t queue) {
    const auto place = place_of(queue);
    const auto row = simulated().row(coordination, place.partition(), place.sort_key());
    if (!row) return {};
    return {.exists = true,
            .version = find_integer(*row, "v").value_or(0),
            .tail = find_integer(*row, "tail").value_or(0),
            .passed = find_integer(*row, "passed").value_or(0),
            .expires = row->contains("ttl")};
}

// ---- steps -------------------------------------------------------------------------------------------------

void queue_world::check_step() {
    const bool exclusive = !config_.breaks_assumptions && !config_.loses_rows;
    std::array<unsigned, 8> valid_in_queue{};
    for (const auto& each : processes_) {
        std::map<std::string_view, std::pair<bool, bool>> of_session;  // whether one is valid, and one is not
        for (const auto& someone : each->users()) {
            for (const auto& held : someone->turns()) {
                if (held.handle == 0) continue;
                const auto* ticket = checker_.find(held.queue, held.turn.ticket());
                const bool valid = held.turn.held();
                if (held.by_session) {
                    auto& [valid_here, invalid_here] = of_session[held.session];
                    (valid ? valid_here : invalid_here) = true;
                }
                const auto now = each->clock_now();
                if (!valid) someone->note_invalid(held.handle, now);
                if (config_.breaks_tokens) continue;  // turns cannot be told apart by their tickets
                if (valid) {
                    if (now >= each->bound_of(held)) fail("P4", "a turn is valid beyond its deadline");
                    if (held.told_lost) fail("P4", "a turn is valid after its loss was told");
                    if (!exclusive) continue;
                    if (++valid_in_queue[held.queue] > 1) fail("P1", "two valid turns");
                    const bool passed = checker_.head(held.queue).passed >= held.turn.ticket();
                    if (passed) fail("Q1", "a valid turn was passed over");
                    if (ticket != nullptr && ticket->state == checker::ticket::row::buried) {
                        fail("Q1", "a valid turn was buried");
                    }
                } else if (!held.told_lost && !each->machine().paused()) {
                    constexpr std::chrono::milliseconds tick(1);
                    const auto since = std::max(*held.invalid_since, each->undisturbed_since());
                    if (now > since + tick) fail("P4", "the loss of a turn was not told in time");
                }
            }
        }
        for (const auto& [session, seen] : of_session) {
            if (seen.first && seen.second && exclusive) {
                fail("S1", "of one session some turns are valid and some are not");
            }
        }
    }
}

// ---- phases ------------------------------------------------------------------------------------------------

void queue_world::play() {
    begin_faults();
    live_through_faults(config_);
    if (config_.weeks_go_by) {
        let_weeks_go_by();
        go_on_until(now() + config_.shortest);
    }
    begin_calm();
    serve_everyone();
    crash_a_holder();
    stop_everyone("P5");
    check_orphans();
    serve_a_newcomer();
    expect_idle(processes_, lease_, queue_count_);
    note_counters();
    close_programs();
    expect_stillness();
    run().coverage.lived += static_cast<std::int64_t>(queue_count_) * now().time_since_epoch();
}

void queue_world::serve_everyone() {
    service_owed<user> owed;
    for (const auto& each : processes_) {
        for (const auto& someone : each->users()) owed.add(someone);
    }
    // Leases of the dead, claims of those who never wrote themselves down, and everybody else's turns.
    const auto limit = now() + 3 * lease_ + std::chrono::seconds(60 + 15 * longest_line()) + config_.nemesis.longest +
                       12 * longest_look();
    const auto unserved = [&] { return owed.to_whom() != nullptr; };
    if (!go_on_while(unserved, limit)) fail("Q3", "somebody never has a turn though all is well");
    throw_broken();
}

// Where the dead stand one behind the other, only those find out who wait far behind, and they look rarely: up to once
// a second for each process before them, every second time at the rows, and each of the dead must be seen twice.
std::int64_t queue_world::longest_line() const {
    std::int64_t longest = 0;
    for (std::size_t queue = 0; queue < queue_count_; ++queue) {
        std::set<std::string> line;
        std::int64_t tickets = 0;
        auto [number, ticket] = checker_.after(queue, checker_.head(queue).passed);
        for (; ticket != nullptr; std::tie(number, ticket) = checker_.after(queue, number)) {
            ++tickets;
            // One that nobody has written down is buried on its own.
            if (ticket->state == checker::ticket::row::none) {
                line.insert(std::to_string(number));
            } else {
                line.insert(ticket->session);
            }
        }
        // Processes are counted by the next hundred tickets, and rounded up.
        const auto processes = static_cast<std::int64_t>(line.size()) + tickets / 50;
        longest = std::max(longest, std::min(processes, tickets));
    }
    return longest;
}

std::chrono::nanoseconds queue_world::take_over_bound() const {
    // The lease by a slow watcher's clock, two looks at the session, two polls, and the requests between.
    const auto lease = std::chrono::nanoseconds(lease_) / (1'000'000 - config_.drift_ppm) * 1'000'000;
    const auto look = std::max<std::chrono::nanoseconds>(lease_ / 8, std::chrono::seconds(1));
    // Whoever is next looks often only once it knows that: until then it sleeps as long as one far behind.
    return std::chrono::milliseconds(3500) + lease + 2 * look + std::chrono::milliseconds(2400) * longest_line() +
           2 * longest_look();
}

/// Beyond what is usual.
std::chrono::nanoseconds queue_world::longest_look() const {
    return config_.odd_options ? std::chrono::seconds(10) : std::chrono::seconds(0);
}

process* queue_world::someone_to_die(std::size_t& queue, std::int64_t& ticket) {
    for (const auto& each : processes_) {
        for (const auto& someone : each->users()) {
            for (const auto& held : someone->turns()) {
                if (held.handle == 0 || !held.turn.held()) continue;
                queue = held.queue;
                ticket = held.turn.ticket();
                const auto [number, next] = checker_.after(queue, ticket);
                if (next == nullptr || next->state != checker::ticket::row::live) continue;
                const bool by_another =
                    std::any_of(processes_.begin(), processes_.end(), [&, of = next](const auto& other) {
                        return other != each && other->live() && other->session()->id() == of->session;
                    });
                if (by_another) return each.get();
            }
        }
    }
    return nullptr;
}

void queue_world::crash_a_holder() {
    if (choices().choose("crash in the calm", 2) == 0) return;
    std::size_t queue = 0;
    std::int64_t ticket = 0;
    process* victim = nullptr;
    const auto nobody = [&] {
        victim = someone_to_die(queue, ticket);
        return victim == nullptr;
    };
    if (!go_on_while(nobody, now() + std::chrono::seconds(5))) return;
    const auto session = victim->session()->id();
    run().trace.add(now(), victim->name(), static_cast<std::uint64_t>(ticket),
                    [&] { return "Crash in ticket " + std::to_string(ticket) + " of queue " + std::to_string(queue); });
    victim->crash(false, std::chrono::seconds(20) + 3 * lease_);
    run().coverage.hit("holder crashed in the calm");
    const auto crashed_at = now();
    const auto blocked = [&] { return checker_.head(queue).passed < ticket; };
    // Heartbeats of it that are still under way begin its lease anew.
    const auto bound = take_over_bound();
    const auto overdue = [&] { return now() > std::max(checker_.last_beat(session), crashed_at) + bound; };
    go_on_while([&] { return blocked() && !overdue(); }, time_point::max());
    if (blocked()) fail("Q4", "a dead process's turn was not passed over in time");
    throw_broken();
}

void queue_world::check_orphans() {
    go_on_until(now() + std::chrono::seconds(8));
    for (const auto& each : processes_) {
        if (!each->live()) continue;
        for (std::size_t queue = 0; queue < queue_count_ && !config_.loses_rows; ++queue) {
            auto [number, ticket] = checker_.after(queue, checker_.head(queue).passed);
            for (; ticket != nullptr; std::tie(number, ticket) = checker_.after(queue, number)) {
                const bool stands =
                    ticket->state == checker::ticket::row::live && ticket->session == each->session()->id();
                if (stands) fail("P7", each->name() + " stands in a queue though nobody there waits");
            }
        }
    }
    expect_resolved();
}

// What all that happened has left behind keeps nobody waiting for longer than a claim and the leases of the dead.
void queue_world::serve_a_newcomer() {
    const auto host = std::find_if(processes_.begin(), processes_.end(), [](const auto& each) { return each->live(); });
    if (host == processes_.end()) return;
    std::vector<queue_turn> turns(queue_count_);
    for (std::size_t queue = 0; queue < queue_count_; ++queue) {
        const enter_options patient{.wait = std::chrono::minutes(5)};
        (*host)->queue_of(queue).enter(patient,
                                       [&turns, queue](error_code, queue_turn got) { turns[queue] = std::move(got); });
    }
    const auto unserved = [&] {
        return std::any_of(turns.begin(), turns.end(), [](const auto& each) { return !each; });
    };
    // With each lease that goes by it finds twice as many of the dead.
    const auto line = static_cast<std::uint64_t>(longest_line());
    const auto limit = now() + (3 + std::bit_width(line)) * (lease_ + std::chrono::seconds(2)) +
                       std::chrono::seconds(15 + line) + 4 * longest_look();
    if (!go_on_while(unserved, limit)) {
        fail("P7", "something left behind keeps a newcomer waiting");
    }
    throw_broken();
    turns.clear();
    check_orphans();
}

void queue_world::note_counters() {
    auto& coverage = run().coverage;
    for (const auto& each : processes_) {
        if (auto* session = each->session()) {
            const auto counters = session->counters();
            coverage.hit("jeopardy", counters.jeopardies);
            coverage.hit("handed over in the process", counters.hand_overs);
            coverage.hit("unknown write applied", counters.unknown_applied);
            coverage.hit("unknown write void", counters.unknown_void);
        }
    }
}

}  // namespace dynalease::simulation::queues
