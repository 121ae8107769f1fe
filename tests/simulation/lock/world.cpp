// The phases of a world, and the steps between which everything is checked.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/world.hpp"

#include "simulation/framework/service_owed.hpp"
#include "simulation/lock/process.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace dynalease::simulation::locks {

lock_world::lock_world(world_run& run, const scenario_config& config, history* kept)
    : played_world(run),
      config_(config),
      kept_(kept),
      node_count_(run.choices.between("nodes", config_.fewest_nodes, config_.most_nodes)),
      lock_count_(run.choices.between("locks", 1, config_.most_locks)),
      lease_(config_.leases[run.choices.choose("lease", config_.leases.size())]),
      checker_({.locks = lock_count_, .drift_ppm = config_.drift_ppm, .exclusion_waived = config_.breaks_assumptions}),
      table_faults_(*this),
      resources_(lock_count_) {
    set_up(config_, node_count_, [this](nemesis_fault kind) { disturb_store(kind); });
    simulated().create_table(coordination);
    for (std::size_t i = 0; i < node_count_; ++i) add(*processes_.emplace_back(std::make_unique<process>(*this, i)));
}

lock_world::~lock_world() = default;

void lock_world::tell(const std::string& node, decltype(event::what) what) {
    event happened{.at = now(), .what = std::move(what)};
    checker_.see(happened);
    const auto kind = happened.what.index();
    run().trace.add(now(), node, kind, [&] {
        constexpr std::array names{"Written: lock row", "Replaced: lock row",     "beat",
                                   "Over: session",     "Disturbed: sessions",    "Granted to user",
                                   "Released by user",  "Write outside accepted", "Fenced transaction",
                                   "Shown: lock row",   "Revoked: session"};
        std::string text = names[kind];
        if (const auto* written = std::get_if<lock_written>(&happened.what)) {
            const auto& row = written->after;
            text += " x" + std::to_string(written->lock) + " holder " + (row.holder.empty() ? "-" : row.holder) + "/" +
                    std::to_string(row.attempt) + " token " + std::to_string(row.token) + " floor " +
                    std::to_string(row.floor) + " line " + std::to_string(row.line.size());
        }
        if (const auto* given = std::get_if<guard_given>(&happened.what)) text += " " + std::to_string(given->token);
        if (const auto* ended = std::get_if<session_ended>(&happened.what)) text += " " + ended->session;
        if (const auto* ended = std::get_if<session_revoked>(&happened.what)) text += " " + ended->session;
        return text;
    });
    if (kept_) kept_->push_back(std::move(happened));
}

row_state lock_world::row_of(std::size_t lock) {
    const auto row = simulated().row(coordination, "lock#" + lock_name(lock));
    row_state shown;
    if (!row) return shown;
    shown.exists = true;
    shown.version = find_integer(*row, "v").value_or(0);
    if (const auto* holder = find_string(*row, "holder")) shown.holder = *holder;
    shown.attempt = find_integer(*row, "attempt").value_or(0);
    shown.token = find_integer(*row, "token").value_or(0);
    shown.floor = find_integer(*row, "floor").value_or(0);
    shown.expires = row->contains("ttl");
    if (const auto* line = find(*row, "line")) {
        for (const auto& each : *line->get_if<attribute_list>()) shown.line.push_back(*each.get_if<std::string>());
    }
    return shown;
}

// ---- steps -------------------------------------------------------------------------------------------------

void lock_world::check_step() {
    std::array<unsigned, 8> valid_of_lock{};
    for (const auto& each : processes_) {
        std::map<std::string_view, std::pair<bool, bool>> of_session;  // whether one is valid, and one is not
        for (const auto& someone : each->users()) {
            const auto* guard = someone->held();
            if (guard == nullptr) continue;
            const bool valid = guard->held();
            auto& [valid_here, invalid_here] = of_session[someone->session()];
            (valid ? valid_here : invalid_here) = true;
            if (valid_here && invalid_here) fail("S1", "of one session some guards are valid and some are not");
            const auto now = each->clock_now();
            const auto* believed = each->watch(someone->session());
            if (valid) {
                if (!believed->may_believe(now)) fail("P4", "a guard is valid beyond its deadline");
                if (++valid_of_lock[someone->lock()] > 1 && !config_.breaks_assumptions) fail("P1", "two valid guards");
                if (someone->told_lost()) fail("P4", "a guard is valid after its loss was told");
            } else if (!someone->told_lost() && !each->machine().paused()) {
                constexpr std::chrono::milliseconds tick(1);
                const auto since = std::max(believed->deadline(), each->undisturbed_since());
                if (now > since + tick) fail("P4", "the loss of a guard was not told in time");
            }
        }
    }
}

// ---- phases ------------------------------------------------------------------------------------------------

void lock_world::play() {
    begin_faults();
    live_through_faults(config_);
    if (config_.days_go_by) {
        let_days_go_by();
        go_on_until(now() + config_.shortest);
    }
    begin_calm();
    serve_everyone();
    crash_a_holder();
    stop_everyone("P5");
    check_orphans();
    expect_idle(processes_, lease_, lock_count_);
    note_counters();
    close_programs();
    expect_stillness();
    run().coverage.lived += static_cast<std::int64_t>(lock_count_) * now().time_since_epoch();
}

void lock_world::serve_everyone() {
    service_owed<user> owed;
    for (const auto& each : processes_) {
        for (const auto& someone : each->users()) owed.add(someone);
    }
    // Leases of the dead, rows of the absent in the line, and everybody else's turns.
    const auto limit = now() + 3 * lease_ + config_.patience + config_.nemesis.longest;
    const auto unserved = [&] { return owed.to_whom() != nullptr; };
    if (!go_on_while(unserved, limit)) fail("P6", "somebody never gets the lock though all is well");
    throw_broken();
}

std::chrono::nanoseconds lock_world::take_over_bound() const {
    // The lease by a slow watcher's clock, two looks at the session, two requests, one look at the lock.
    const auto lease = std::chrono::nanoseconds(lease_) / (1'000'000 - config_.drift_ppm) * 1'000'000;
    const auto waiting = static_cast<std::int64_t>(node_count_);
    const auto look = std::max<std::chrono::nanoseconds>(
        lease_ / 8, std::min<std::chrono::nanoseconds>(std::chrono::seconds(waiting), lease_));
    return std::chrono::milliseconds(500) + lease + 2 * look + std::chrono::seconds(2) +
           std::chrono::milliseconds(125) * waiting * 2;
}

void lock_world::crash_a_holder() {
    if (choices().choose("crash in the calm", 2) == 0) return;
    process* victim = nullptr;
    std::size_t lock = 0;
    const auto somebody_holds = [&] {
        for (const auto& each : processes_) {
            for (const auto& someone : each->users()) {
                if (someone->held() == nullptr || !someone->held()->held()) continue;
                const bool wanted = std::any_of(processes_.begin(), processes_.end(), [&](const auto& other) {
                    return other != each && other->live() &&
                           std::any_of(other->users().begin(), other->users().end(), [&](const auto& waiter) {
                               return waiter->lock() == someone->lock() && waiter->now() == user::doing::waiting;
                           });
                });
                if (!wanted) continue;
                victim = each.get();
                lock = someone->lock();
                return false;
            }
        }
        return true;
    };
    if (!go_on_while(somebody_holds, now() + std::chrono::seconds(5)) || victim == nullptr) return;
    const auto session = victim->session()->id();
    victim->crash(false, std::chrono::seconds(20) + 3 * lease_);
    run().coverage.hit("holder crashed in the calm");
    const auto still_held = [&] { return checker_.row(lock).holder == session; };
    // Heartbeats of it that are still under way begin its lease anew.
    const auto crashed_at = now();
    const auto overdue = [&] { return now() > std::max(checker_.last_beat(session), crashed_at) + take_over_bound(); };
    while (still_held()) {
        if (overdue()) {
            fail("P6", "a dead process's lock was not taken over in time");
        }
        if (!go_on_while([&] { return still_held() && !overdue(); }, time_point::max())) break;
        throw_broken();
    }
}

void lock_world::check_orphans() {
    go_on_until(now() + std::chrono::seconds(8));
    const auto orphan = [&]() -> std::string {
        for (std::size_t lock = 0; lock < lock_count_; ++lock) {
            const auto row = row_of(lock);
            for (const auto& each : processes_) {
                if (!each->live()) continue;
                const auto& id = each->session()->id();
                if (row.holder == id) return each->name() + " holds a lock in the table that nobody there holds";
                if (std::find(row.line.begin(), row.line.end(), id) != row.line.end())
                    return each->name() + " stands in a line though nobody there waits";
            }
        }
        return {};
    };
    const auto found = left_behind(orphan);
    if (!found.empty() && !config_.breaks_assumptions) fail("P7", found);
    expect_resolved();
}

void lock_world::note_counters() {
    auto& coverage = run().coverage;
    for (const auto& each : processes_) {
        if (auto* session = each->session()) {
            const auto counters = session->counters();
            coverage.hit("jeopardy", counters.jeopardies);
            coverage.hit("own copy found", counters.own_copies);
            coverage.hit("unknown write applied", counters.unknown_applied);
            coverage.hit("unknown write void", counters.unknown_void);
        }
    }
}

}  // namespace dynalease::simulation::locks
