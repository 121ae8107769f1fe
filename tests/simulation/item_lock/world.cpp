// The phases of a world, and the steps between which everything is checked.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/item_lock/world.hpp"

#include "simulation/framework/service_owed.hpp"
#include "simulation/item_lock/process.hpp"

#include <array>
#include <utility>

namespace dynalease::simulation::item_locks {

item_world::item_world(world_run& run, const scenario_config& config, history* kept)
    : played_world(run),
      config_(config),
      kept_(kept),
      node_count_(run.choices.between("nodes", config_.fewest_nodes, config_.most_nodes)),
      item_count_(run.choices.between("items", 1, config_.most_items)),
      lease_(config_.leases[run.choices.choose("lease", config_.leases.size())]),
      item_history_(simulated(), item_count_,
                    [this](const std::string& node, const versions::event& happened) {
                        this->run().trace.add(now(), node, happened.what.index(),
                                              [&] { return versions::text_of(happened); });
                    }),
      checker_(item_count_, config_.plain ? std::optional(plain_bounds{lease_, config_.drift_ppm}) : std::nullopt,
               config_.most_readers),
      standing_(item_count_),
      writer_texts_(item_count_) {
    simulated().create_table(coordination);
    for (std::size_t i = 0; i < item_count_; ++i) make_item(i);
    set_up(config_, node_count_);
    for (std::size_t i = 0; i < node_count_; ++i) add(*processes_.emplace_back(std::make_unique<process>(*this, i)));
}

item_world::~item_world() = default;

void item_world::tell(const std::string& node, decltype(event::what) what) {
    event happened{.at = now(), .what = std::move(what)};
    checker_.see(happened);
    if (const auto* seen = std::get_if<lock_written>(&happened.what)) note_standing(seen->item, seen->after);
    if (const auto* seen = std::get_if<lock_replaced>(&happened.what)) note_standing(seen->item, seen->after);
    const auto kind = happened.what.index();
    run().trace.add(now(), node, 100 + kind, [&] {
        constexpr std::array names{"Lock",
                                   "Replaced: lock",
                                   "Over: session",
                                   "Granted to user",
                                   "Released by user",
                                   "Guarded write begun",
                                   "Lock tested",
                                   "Kept alive",
                                   "Beat"};
        std::string text = names[kind];
        if (const auto* seen = std::get_if<lock_written>(&happened.what)) {
            const auto& lock = seen->after;
            text += " item " + std::to_string(seen->item) + " W " + lock.writer.session + "/" +
                    std::to_string(lock.writer.attempt) + " R " + std::to_string(lock.readers.size()) + " I " +
                    lock.intent.session + " F " + std::to_string(lock.floor);
        }
        if (const auto* anew = std::get_if<lock_replaced>(&happened.what)) {
            text += " of item " + std::to_string(anew->item) + (anew->after.exists ? ", born" : ", removed");
        }
        if (const auto* given = std::get_if<guard_given>(&happened.what)) {
            text += " " + std::to_string(given->handle) + " of item " + std::to_string(given->item) + " token " +
                    std::to_string(given->token);
        }
        return text;
    });
    if (kept_) kept_->push_back(std::move(happened));
}

void item_world::note_standing(std::size_t index, const lock_state& after) {
    const bool free = after.exists && after.writer == claimant() && after.readers.empty() && after.intent == claimant();
    auto& since = standing_[index];
    since.there_since = after.exists ? std::min(since.there_since, now()) : time_point::max();
    since.free_since = free ? std::min(since.free_since, now()) : time_point::max();
    if (after.floor > since.floor) since.raised_at = now();
    since.floor = after.floor;
    const bool same = since.writer == after.writer && since.readers == after.readers;
    if (same) return;
    since.writer = after.writer;
    since.readers = after.readers;
    since.held_since = now();
}

bool item_world::silent_since(std::size_t index, time_point then, time_point began) const {
    if (standing_[index].held_since > began) return false;
    const auto& lock = checker_.state(index);
    auto holders = lock.readers;
    if (lock.writer != claimant()) holders.insert(lock.writer);
    const bool held = !holders.empty() && lock.intent == claimant();
    return held && std::ranges::all_of(holders, [&](const auto& who) { return checker_.last_sign(index, who) < then; });
}

const std::optional<std::string>& item_world::broken_promise() const {
    return checker_.broken() ? checker_.broken() : item_history_.checked().broken();
}

void item_world::check_step() {
    std::array<unsigned, 8> writers{};
    std::array<unsigned, 8> readers{};
    for (const auto& each : processes_) {
        for (const auto& someone : each->users()) {
            for (auto& each_held : someone->hands()) {
                if (each_held.handle == 0) continue;
                const bool valid = each_held.guard.held();
                check_belief(*each, each_held, valid);
                if (!valid) continue;
                ++(each_held.guard.exclusive() ? writers : readers)[each_held.item];
            }
        }
    }
    // Who removes an item that others lock lets two have it, and so does a clock that stops.
    if (config_.reborn || config_.breaks_assumptions) return;
    for (std::size_t i = 0; i < item_count_; ++i) {
        if (writers[i] > 1 || (writers[i] == 1 && readers[i] != 0)) fail("P1", "a valid writer's guard is not alone");
    }
}

/// What a user may take for true of its guard, and what it must be told.
void item_world::check_belief(process& at, user::holding& in, bool valid) {
    const auto now_there = at.clock_now();
    if (valid) {
        if (in.told_lost) fail("P4", "a guard is valid after its loss was told");
        if (in.invalid_since) fail("P5", "a guard that was invalid is valid again");
        const auto* believed = at.watch(in.session);
        if (!config_.plain && believed && !believed->may_believe(now_there)) {
            fail("P4", "a guard is valid beyond its session's deadline");
        }
        const auto grant = checker_.grant_of(in.session, in.item, in.guard.fencing_token());
        if (!config_.plain || config_.reborn || config_.breaks_assumptions || !grant) return;
        // Whoever watches sees its text after it was written, and waits a whole lease by a clock that may run fast.
        const auto lease = std::chrono::nanoseconds(lease_) / (1'000'000 + config_.drift_ppm) * 1'000'000;
        const auto last = checker_.last_sign(in.item, *grant);
        if (last != time_point() && now() > last + lease) {
            fail("P4", "a plain guard is valid though others may take the item by now");
        }
        return;
    }
    if (!in.invalid_since) in.invalid_since = now_there;
    constexpr std::chrono::milliseconds tick(2);
    const auto since = std::max(*in.invalid_since, at.undisturbed_since());
    const bool runs = !at.machine().paused() && !at.machine().crashed();
    if (runs && !in.told_lost && now_there > since + tick) fail("P4", "the loss of a guard was not told in time");
}

// ---- phases ------------------------------------------------------------------------------------------------

void item_world::play() {
    begin_faults();
    if (config_.reborn) arm_rebirth();
    live_through_faults(config_);
    begin_calm();
    serve_everyone();
    crash_a_holder();
    stop_everyone("P5");
    check_orphans();
    expect_idle(processes_, lease_, item_count_);
    close_programs();
    expect_stillness();
    item_history_.conclude();
    throw_broken();
    run().coverage.lived += static_cast<std::int64_t>(item_count_) * now().time_since_epoch();
}

void item_world::serve_everyone() {
    service_owed<user> owed;
    for (const auto& each : processes_) {
        for (const auto& someone : each->users()) {
            // Savers stand in nobody's line, and take no lock from the dead: nothing is promised to them here.
            if (!someone->saves()) owed.add(someone);
        }
    }
    // Leases of the dead, and everybody else's turns; between processes there is no order among writers.
    auto limit = now() + 3 * lease_ + std::chrono::minutes(5) + config_.nemesis.longest;
    // A copy from a former life may stand in an item until it is looked for.
    if (config_.reborn || config_.erasures != 0) limit += std::chrono::minutes(13);
    if (!go_on_while([&] { return owed.to_whom() != nullptr; }, limit)) {
        const auto someone = owed.to_whom();
        const auto wanted = someone->wants_several() ? "several items" : "item " + std::to_string(someone->target());
        fail("P6", "a locker of " + wanted + " in " + someone->at().name() + " is never served though all is well");
    }
    throw_broken();
}

std::chrono::nanoseconds item_world::take_over_bound(std::size_t item) const {
    // The lease by a slow watcher's clock, two looks at the session or the item, the requests, and the spread of looks.
    const auto lease = std::chrono::nanoseconds(lease_) / (1'000'000 - config_.drift_ppm) * 1'000'000;
    const auto look = std::max<std::chrono::nanoseconds>(lease_ / 8, std::min<std::chrono::nanoseconds>(1s, lease_));
    // Nobody passes an intent, and a call of its writer that began before the calm may still be without an answer: four
    // attempts of a second each, and the pauses between them.
    const auto& intent = checker_.state(item).intent;
    const bool intended = !intent.session.empty() && !checker_.over(intent.session);
    return 500ms + lease + 2 * look + 2s + 2 * 1200ms + (intended ? 8s : 0s);
}

/// A writer dies while another process waits for its item alone.
void item_world::crash_a_holder() {
    if (config_.reborn || choices().choose("crash in the calm", 2) == 0) return;
    process* victim = nullptr;
    claimant holder;
    std::size_t index = 0;
    const auto nobody = [&] {
        for (const auto& each : processes_) {
            for (const auto& someone : each->users()) {
                if (!each->live() || someone->wants_several() || someone->saves() || someone->hands().empty()) continue;
                const auto& held = someone->hands().front();
                if (held.handle == 0 || !held.guard.held()) continue;
                const auto grant = checker_.grant_of(held.session, held.item, held.guard.fencing_token());
                if (!grant || checker_.state(held.item).writer != *grant) continue;
                const bool wanted = std::ranges::any_of(processes_, [&](const auto& other) {
                    return other != each && other->live() &&
                           std::ranges::any_of(other->users(), [&](const auto& waiter) {
                               return waiter->waits() && !waiter->saves() && !waiter->wants_several() &&
                                      waiter->target() == held.item;
                           });
                });
                if (!wanted) continue;
                victim = each.get();
                holder = *grant;
                index = held.item;
                return false;
            }
        }
        return true;
    };
    if (!go_on_while(nobody, now() + 5s) || !victim) return;
    victim->crash(false, 20s + 3 * lease_);
    run().coverage.hit("holder crashed in the calm");
    const auto crashed_at = now();
    const auto still_held = [&] { return checker_.state(index).writer == holder; };
    const auto last_sign = [&] { return std::max(crashed_at, checker_.last_sign(index, holder)); };
    if (!go_on_while([&] { return still_held() && now() <= last_sign() + take_over_bound(index); }, now() + 1h)) return;
    if (still_held()) fail("P6", "a dead process's item was not taken over in time");
    throw_broken();
}

void item_world::check_orphans() {
    go_on_until(now() + std::chrono::seconds(8));
    const auto orphan = [&]() -> std::string {
        for (std::size_t i = 0; i < item_count_; ++i) {
            const auto lock = lock_of(i);
            for (const auto& each : processes_) {
                if (!each->live()) continue;
                const auto& id = each->session()->id();
                if (lock.writer.session == id) return each->name() + " locks an item that nobody there has";
                if (lock.intent.session == id) return each->name() + " intends to lock an item that nobody there wants";
                for (const auto& reader : lock.readers) {
                    if (reader.session == id) return each->name() + " reads an item that nobody there has";
                }
            }
        }
        return {};
    };
    const auto found = left_behind(orphan);
    if (!found.empty()) fail("P7", found);
    expect_resolved();
}

}  // namespace dynalease::simulation::item_locks
