// The phases of a world, and the steps between which everything is checked.
#include "simulation/item_lock/world.hpp"

#include "simulation/item_lock/site.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dynalease::simulation::item_locks {

namespace {

director_options mishaps_of(const recipe& made_of) {
    return {.allowed = made_of.mishaps,
            .presence = made_of.mishap_presence,
            .interval = made_of.mishap_interval,
            .longest = made_of.longest_mishap,
            .drift_ppm = made_of.drift_ppm,
            .wall_error = made_of.wall_error};
}

}  // namespace

item_world::item_world(world_run& run, const recipe& ingredients, history* kept)
    : run_(run),
      recipe_(ingredients),
      kept_(kept),
      simulated_(run.choices),
      node_count_(run.choices.between("nodes", recipe_.fewest_nodes, recipe_.most_nodes)),
      item_count_(run.choices.between("items", 1, recipe_.most_items)),
      lease_(recipe_.leases[run.choices.choose("lease", recipe_.leases.size())]),
      sky_(run, simulated_, recipe_.weather, node_count_),
      ledger_(simulated_, item_count_,
              [this](const std::string& node, const versions::event& happened) {
                  run_.trace.add(now(), node, happened.what.index(), [&] { return versions::text_of(happened); });
              }),
      judge_(item_count_),
      director_(run, simulated_, sky_, mishaps_of(recipe_)) {
    simulated_.create_table(coordination);
    for (std::size_t i = 0; i < item_count_; ++i) make_item(i);
    if (sky_.present(request_fault_kind::stale_read)) simulated_.keep_previous_rows();
    for (std::size_t i = 0; i < node_count_; ++i) {
        sites_.push_back(std::make_unique<site>(*this, i));
        auto& added = *sites_.back();
        director_.add({.name = added.name(), .machine = added.machine(), .crash = [&added](bool, clock::duration down) {
                           added.crash(down);
                       }});
    }
}

item_world::~item_world() = default;

void item_world::tell(const std::string& node, decltype(event::what) what) {
    event happened{.at = now(), .what = std::move(what)};
    judge_.see(happened);
    const auto kind = happened.what.index();
    run_.trace.add(now(), node, 100 + kind, [&] {
        constexpr std::array names{
            "Lock", "Replaced: lock", "Over: session", "Granted to user", "Released by user", "Guarded write begun"};
        std::string text = names[kind];
        if (const auto* seen = std::get_if<lock_written>(&happened.what)) {
            const auto& lock = seen->after;
            text += " item " + std::to_string(seen->item) + " W " + lock.writer.session + "/" +
                    std::to_string(lock.writer.attempt) + " R " + std::to_string(lock.readers.size()) + " I " +
                    lock.intent.session + " F " + std::to_string(lock.floor);
        }
        if (const auto* given = std::get_if<guard_given>(&happened.what)) {
            text += " " + std::to_string(given->handle) + " token " + std::to_string(given->token);
        }
        return text;
    });
    if (kept_) kept_->push_back(std::move(happened));
}

void item_world::fail(const char* promise, const std::string& what) {
    if (!broken_) broken_ = std::string(promise) + ": " + what;
}

// ---- steps -------------------------------------------------------------------------------------------------

bool item_world::go_on_while(const std::function<bool()>& condition, time_point limit) {
    while (condition()) {
        if (now() >= limit) return false;
        director_.before_step();
        if (!simulated_.step()) return !condition();
        check_guards();
        throw_broken();
    }
    return true;
}

void item_world::throw_broken() const {
    if (judge_.broken()) throw violation(*judge_.broken());
    const auto& judged = ledger_.judged().broken();
    if (judged) throw violation(*judged);
    if (broken_) throw violation(*broken_);
}

void item_world::go_on_until(time_point when) {
    go_on_while([] { return true; }, when);
}

void item_world::check_guards() {
    if (recipe_.reborn) return;  // who removes an item that others lock lets two have it
    std::array<unsigned, 8> writers{};
    std::array<unsigned, 8> readers{};
    for (const auto& each : sites_) {
        for (const auto& someone : each->users()) {
            const auto* guard = someone->held();
            if (guard == nullptr || !guard->valid()) continue;
            ++(guard->exclusive() ? writers : readers)[someone->target()];
        }
    }
    for (std::size_t i = 0; i < item_count_; ++i) {
        if (writers[i] > 1 || (writers[i] == 1 && readers[i] != 0)) fail("P1", "a valid writer's guard is not alone");
    }
}

// ---- phases ------------------------------------------------------------------------------------------------

void item_world::play() {
    director_.begin();
    if (recipe_.reborn) arm_rebirth();
    const auto length =
        run_.choices.between("length of the safety phase", static_cast<std::uint64_t>(recipe_.shortest.count()),
                             static_cast<std::uint64_t>(recipe_.longest.count()));
    go_on_until(now() + std::chrono::seconds(length));
    begin_calm();
    serve_everyone();
    stop_everyone();
    check_orphans();
    close_everything();
    run_.census.lived += static_cast<std::int64_t>(item_count_) * now().time_since_epoch();
}

void item_world::begin_calm() {
    sky_.calm();
    director_.calm();
    calm_ = true;
}

void item_world::serve_everyone() {
    std::vector<std::pair<std::weak_ptr<user>, std::uint64_t>> waiting;
    for (const auto& each : sites_) {
        for (const auto& someone : each->users()) {
            // Savers stand in nobody's line, and take no lock from the dead: nothing is promised to them here.
            if (!someone->saves()) waiting.emplace_back(someone, someone->served());
        }
    }
    const auto unserved = [&] {
        return std::any_of(waiting.begin(), waiting.end(), [](const auto& each) {
            const auto someone = each.first.lock();
            return someone && !someone->gone() && someone->served() == each.second;
        });
    };
    // Leases of the dead, and everybody else's turns; between processes there is no order among writers.
    const auto limit = now() + 3 * lease_ + std::chrono::minutes(5) + recipe_.longest_mishap;
    if (!go_on_while(unserved, limit)) {
        for (const auto& [each, served] : waiting) {
            const auto someone = each.lock();
            if (!someone || someone->gone() || someone->served() != served) continue;
            fail("P6", "a locker of item " + std::to_string(someone->target()) + " in " + someone->at().name() +
                           " is never served though all is well");
        }
    }
    throw_broken();
}

void item_world::stop_everyone() {
    stopping_ = true;
    for (const auto& each : sites_) {
        for (const auto& someone : each->users()) {
            if (someone->waits()) someone->interrupt();
        }
    }
    const auto somebody_lives = [&] {
        return std::any_of(sites_.begin(), sites_.end(), [](const auto& each) { return each->frames != 0; });
    };
    if (!go_on_while(somebody_lives, now() + std::chrono::minutes(2))) fail("P5", "a user's call does not end");
    throw_broken();
}

void item_world::check_orphans() {
    go_on_until(now() + std::chrono::seconds(8));
    const auto orphan = [&]() -> std::string {
        for (std::size_t i = 0; i < item_count_; ++i) {
            const auto lock = lock_of(i);
            for (const auto& each : sites_) {
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
    const auto under_way = [&] {
        return std::any_of(sites_.begin(), sites_.end(),
                           [](const auto& each) { return each->machine().network().in_flight() != 0; });
    };
    auto found = orphan();
    // A copy that only the network made may land late; then the audit finds it, eleven minutes after it was sent.
    const bool copies = sky_.present(request_fault_kind::twice) || sky_.present(request_fault_kind::late);
    if ((copies && !found.empty()) || (under_way() && run_.choices.choose("audit", 4) == 1)) {
        go_on_until(now() + std::chrono::minutes(13));
        found = orphan();
        run_.census.hit("audit waited for");
    }
    if (!found.empty()) fail("P7", found);
    for (const auto& each : sites_) {
        if (!each->live()) continue;
        const auto counters = each->session()->counters();
        if (counters.settling != 0 || counters.waiting != 0 || counters.leases_held != 0)
            fail("P7", each->name() + " counts something unsettled, waiting or held");
    }
    throw_broken();
}

void item_world::close_everything() {
    for (const auto& each : sites_) each->close();
    const auto closing = [&] {
        return std::any_of(sites_.begin(), sites_.end(), [](const auto& each) { return !each->closed(); });
    };
    if (!go_on_while(closing, now() + std::chrono::minutes(1))) fail("R1", "a session does not close");
    for (const auto& each : sites_) each->shut();
    const auto limit = now() + std::chrono::minutes(7);
    while (now() < limit && simulated_.step()) throw_broken();
    if (simulated_.step()) fail("R1", "something goes on after everything was closed");
    throw_broken();
}

}  // namespace dynalease::simulation::item_locks
