// The phases of a world, and the steps between which everything is checked.
#include "simulation/queue/world.hpp"

#include "simulation/queue/site.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace dynalease::simulation::queues {

namespace {

director_options mishaps_of(const recipe& made_of, std::function<void(mishap)> to_store) {
    return {.allowed = made_of.mishaps,
            .presence = made_of.mishap_presence,
            .interval = made_of.mishap_interval,
            .longest = made_of.longest_mishap,
            .drift_ppm = made_of.drift_ppm,
            .wall_error = made_of.wall_error,
            .to_store = std::move(to_store)};
}

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
                               "Fenced transaction: ticket"};
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
    }
    return text;
}

}  // namespace

queue_place place_of(std::size_t queue) {
    return {.entity = "e" + std::to_string(queue / 2), .reason = queue % 2 == 0 ? "" : "night"};
}

queue_world::queue_world(world_run& run, const recipe& ingredients, history* kept)
    : run_(run),
      recipe_(ingredients),
      kept_(kept),
      simulated_(run.choices),
      node_count_(run.choices.between("nodes", recipe_.fewest_nodes, recipe_.most_nodes)),
      queue_count_(run.choices.between("queues", recipe_.fewest_queues, recipe_.most_queues)),
      lease_(recipe_.leases[run.choices.choose("lease", recipe_.leases.size())]),
      sky_(run, simulated_, recipe_.weather, node_count_),
      judge_({.queues = queue_count_,
              .drift_ppm = recipe_.drift_ppm,
              .early_death_waived = recipe_.breaks_assumptions,
              .order_waived = recipe_.loses_rows,
              .tokens_waived = recipe_.breaks_tokens}),
      director_(run, simulated_, sky_, mishaps_of(recipe_, [this](mishap kind) { disturb_store(kind); })),
      resources_(queue_count_) {
    simulated_.create_table(table);
    if (sky_.present(request_fault_kind::stale_read)) simulated_.keep_previous_rows();
    for (std::size_t i = 0; i < node_count_; ++i) {
        sites_.push_back(std::make_unique<site>(*this, i));
        auto& added = *sites_.back();
        director_.add({.name = added.name(),
                       .machine = added.machine(),
                       .crash = [&added](bool same, clock::duration down) { added.crash(same, down); },
                       .unblocked = [&added] { added.unblocked(); },
                       .resumed = [&added] { added.note_disturbance(); }});
    }
}

queue_world::~queue_world() = default;

void queue_world::tell(const std::string& node, decltype(event::what) what) {
    event happened{.at = now(), .what = std::move(what)};
    judge_.see(happened);
    run_.trace.add(now(), node, happened.what.index(), [&] { return text_of(happened.what); });
    if (kept_) kept_->push_back(std::move(happened));
}

void queue_world::fail(const std::string& promise_and_what) {
    if (!broken_) broken_ = promise_and_what;
}

head_state queue_world::head_of(std::size_t queue) {
    const auto place = place_of(queue);
    const auto row = simulated_.row(table, place.partition(), place.sort_key());
    if (!row) return {};
    return {.exists = true,
            .version = find_integer(*row, "v").value_or(0),
            .tail = find_integer(*row, "tail").value_or(0),
            .passed = find_integer(*row, "passed").value_or(0),
            .expires = row->contains("ttl")};
}

// ---- steps -------------------------------------------------------------------------------------------------

bool queue_world::go_on_while(const std::function<bool()>& condition, time_point limit) {
    while (condition()) {
        if (now() >= limit) return false;
        director_.before_step();
        if (!simulated_.step()) return !condition();
        check_users();
        throw_broken();
    }
    return true;
}

void queue_world::throw_broken() const {
    if (judge_.broken()) throw violation(*judge_.broken());
    if (broken_) throw violation(*broken_);
}

void queue_world::go_on_until(time_point when) {
    go_on_while([] { return true; }, when);
}

void queue_world::check_users() {
    const bool exclusive = !recipe_.breaks_assumptions && !recipe_.loses_rows;
    std::array<unsigned, 8> valid_in_queue{};
    for (const auto& each : sites_) {
        bool valid_here = false;
        bool invalid_here = false;
        for (const auto& someone : each->users()) {
            for (const auto& held : someone->turns()) {
                if (held.handle == 0) continue;
                const auto* ticket = judge_.find(held.queue, held.turn.ticket());
                const bool valid = held.turn.valid();
                if (ticket != nullptr && !ticket->direct) (valid ? valid_here : invalid_here) = true;
                const auto now = each->clock_now();
                if (!valid) someone->note_invalid(held.handle, now);
                if (recipe_.breaks_tokens) continue;  // turns cannot be told apart by their tickets
                if (valid) {
                    if (now >= each->bound_of(held)) fail("P4: a turn is valid beyond its deadline");
                    if (held.told_lost) fail("P4: a turn is valid after its loss was told");
                    if (!exclusive) continue;
                    if (++valid_in_queue[held.queue] > 1) fail("P1: two valid turns");
                    const bool passed = judge_.head(held.queue).passed >= held.turn.ticket();
                    if (passed) fail("Q1: a valid turn was passed over");
                    if (ticket != nullptr && ticket->state == judge::ticket::row::buried) {
                        fail("Q1: a valid turn was buried");
                    }
                } else if (!held.told_lost && !each->machine().paused()) {
                    constexpr std::chrono::milliseconds tick(1);
                    const auto since = std::max(*held.invalid_since, each->undisturbed_since());
                    if (now > since + tick) fail("P4: the loss of a turn was not told in time");
                }
            }
        }
        if (valid_here && invalid_here && exclusive) fail("S1: of one session some turns are valid and some are not");
    }
}

// ---- phases ------------------------------------------------------------------------------------------------

void queue_world::play() {
    director_.begin();
    const auto length =
        run_.choices.between("length of the safety phase", static_cast<std::uint64_t>(recipe_.shortest.count()),
                             static_cast<std::uint64_t>(recipe_.longest.count()));
    go_on_until(now() + std::chrono::seconds(length));
    if (recipe_.weeks_go_by) {
        let_weeks_go_by();
        go_on_until(now() + recipe_.shortest);
    }
    begin_calm();
    serve_everyone();
    crash_a_holder();
    stop_everyone();
    check_orphans();
    serve_a_newcomer();
    close_everything();
    run_.census.lived += static_cast<std::int64_t>(queue_count_) * now().time_since_epoch();
}

void queue_world::begin_calm() {
    sky_.calm();
    director_.calm();
    calm_ = true;
}

void queue_world::serve_everyone() {
    std::vector<std::pair<std::weak_ptr<user>, std::uint64_t>> waiting;
    for (const auto& each : sites_) {
        for (const auto& someone : each->users()) waiting.emplace_back(someone, someone->grants());
    }
    const auto unserved = [&] {
        return std::any_of(waiting.begin(), waiting.end(), [](const auto& each) {
            const auto someone = each.first.lock();
            return someone && someone->now() != user::doing::gone && someone->grants() == each.second;
        });
    };
    // Leases of the dead, claims of those who never wrote themselves down, and everybody else's turns.
    const auto limit = now() + 3 * lease_ + std::chrono::seconds(60 + 15 * longest_line()) + recipe_.longest_mishap;
    if (!go_on_while(unserved, limit)) fail("Q3: somebody never has a turn though all is well");
    throw_broken();
}

// Where the dead stand one behind the other, only those find out who wait far behind, and they look rarely: up to once
// a second for each ticket before them, every second time at the rows, and each of the dead must be seen twice.
std::int64_t queue_world::longest_line() const {
    std::int64_t longest = 0;
    for (std::size_t queue = 0; queue < queue_count_; ++queue) {
        std::int64_t line = 0;
        auto [number, ticket] = judge_.after(queue, judge_.head(queue).passed);
        for (; ticket != nullptr; std::tie(number, ticket) = judge_.after(queue, number)) ++line;
        longest = std::max(longest, line);
    }
    return longest;
}

std::chrono::nanoseconds queue_world::take_over_bound() const {
    // The lease by a slow watcher's clock, two looks at the session, two polls, and the requests between.
    const auto lease = std::chrono::nanoseconds(lease_) / (1'000'000 - recipe_.drift_ppm) * 1'000'000;
    const auto look = std::max<std::chrono::nanoseconds>(lease_ / 8, std::chrono::seconds(1));
    // Whoever is next looks often only once it knows that: until then it sleeps as long as one far behind.
    return std::chrono::milliseconds(3500) + lease + 2 * look + std::chrono::milliseconds(2400) * longest_line();
}

site* queue_world::someone_to_die(std::size_t& queue, std::int64_t& ticket) {
    for (const auto& each : sites_) {
        for (const auto& someone : each->users()) {
            for (const auto& held : someone->turns()) {
                if (held.handle == 0 || !held.turn.valid()) continue;
                queue = held.queue;
                ticket = held.turn.ticket();
                const auto [number, next] = judge_.after(queue, ticket);
                if (next == nullptr || next->state != judge::ticket::row::live) continue;
                const bool by_another = std::any_of(sites_.begin(), sites_.end(), [&, of = next](const auto& other) {
                    return other != each && other->live() && other->session()->id() == of->session;
                });
                if (by_another) return each.get();
            }
        }
    }
    return nullptr;
}

void queue_world::crash_a_holder() {
    if (run_.choices.choose("crash in the calm", 2) == 0) return;
    std::size_t queue = 0;
    std::int64_t ticket = 0;
    site* victim = nullptr;
    const auto nobody = [&] {
        victim = someone_to_die(queue, ticket);
        return victim == nullptr;
    };
    if (!go_on_while(nobody, now() + std::chrono::seconds(5))) return;
    const auto session = victim->session()->id();
    run_.trace.add(now(), victim->name(), static_cast<std::uint64_t>(ticket),
                   [&] { return "Crash in ticket " + std::to_string(ticket) + " of queue " + std::to_string(queue); });
    victim->crash(false, std::chrono::seconds(20) + 3 * lease_);
    run_.census.hit("holder crashed in the calm");
    const auto crashed_at = now();
    const auto blocked = [&] { return judge_.head(queue).passed < ticket; };
    // Heartbeats of it that are still under way begin its lease anew.
    const auto bound = take_over_bound();
    const auto overdue = [&] { return now() > std::max(judge_.last_beat(session), crashed_at) + bound; };
    go_on_while([&] { return blocked() && !overdue(); }, time_point::max());
    if (blocked()) fail("Q4: a dead process's turn was not passed over in time");
    throw_broken();
}

void queue_world::stop_everyone() {
    stopping_ = true;
    for (const auto& each : sites_) {
        for (const auto& someone : each->users()) {
            if (someone->now() == user::doing::waiting) someone->interrupt();
        }
    }
    const auto somebody_lives = [&] {
        return std::any_of(sites_.begin(), sites_.end(), [](const auto& each) { return each->frames != 0; });
    };
    if (!go_on_while(somebody_lives, now() + std::chrono::minutes(2))) fail("P5: a user's call does not end");
    throw_broken();
}

void queue_world::check_orphans() {
    go_on_until(now() + std::chrono::seconds(8));
    for (const auto& each : sites_) {
        if (!each->live()) continue;
        for (std::size_t queue = 0; queue < queue_count_ && !recipe_.loses_rows; ++queue) {
            auto [number, ticket] = judge_.after(queue, judge_.head(queue).passed);
            for (; ticket != nullptr; std::tie(number, ticket) = judge_.after(queue, number)) {
                const bool stands =
                    ticket->state == judge::ticket::row::live && ticket->session == each->session()->id();
                if (stands) fail("P7: " + each->name() + " stands in a queue though nobody there waits");
            }
        }
        const auto counters = each->session()->counters();
        if (counters.settling != 0) fail("P7: " + each->name() + " counts something unsettled");
        if (counters.waiting != 0) fail("P7: " + each->name() + " counts somebody as waiting");
        if (counters.leases_held != 0) fail("P7: " + each->name() + " counts a turn as held");
    }
    throw_broken();
}

// What all that happened has left behind keeps nobody waiting for longer than a claim and the leases of the dead.
void queue_world::serve_a_newcomer() {
    const auto host = std::find_if(sites_.begin(), sites_.end(), [](const auto& each) { return each->live(); });
    if (host == sites_.end()) return;
    std::vector<queue_turn> turns(queue_count_);
    for (std::size_t queue = 0; queue < queue_count_; ++queue) {
        const enter_options patient{.wait = std::chrono::minutes(5)};
        (*host)->queue_of(queue).enter(patient,
                                       [&turns, queue](error_code, queue_turn got) { turns[queue] = std::move(got); });
    }
    const auto unserved = [&] {
        return std::any_of(turns.begin(), turns.end(), [](const auto& each) { return !each; });
    };
    const auto limit = now() + 2 * lease_ + std::chrono::seconds(15 + 15 * longest_line());
    if (!go_on_while(unserved, limit)) {
        fail("P7: something left behind keeps a newcomer waiting");
    }
    throw_broken();
    turns.clear();
    check_orphans();
}

void queue_world::close_everything() {
    auto& census = run_.census;
    for (const auto& each : sites_) {
        if (auto* session = each->session()) {
            const auto counters = session->counters();
            census.hit("jeopardy", counters.jeopardies);
            census.hit("handed over in the process", counters.hand_offs);
            census.hit("unknown write applied", counters.unknown_applied);
            census.hit("unknown write void", counters.unknown_void);
        }
    }
    end_programs();
    // Late copies arrive within six minutes; then nothing at all may be left to happen.
    const auto limit = now() + std::chrono::minutes(7);
    while (now() < limit && simulated_.step()) {
    }
    if (simulated_.step()) fail("R1: something goes on after everything was closed");
    throw_broken();
}

}  // namespace dynalease::simulation::queues
