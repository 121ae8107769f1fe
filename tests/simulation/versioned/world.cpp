// The phases of a world, and the steps between which everything is checked.
#include "simulation/versioned/world.hpp"

#include "simulation/versioned/site.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::versions {

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

version_world::version_world(world_run& run, const recipe& ingredients, history* kept)
    : run_(run),
      recipe_(ingredients),
      kept_(kept),
      simulated_(run.choices),
      node_count_(run.choices.between("nodes", recipe_.fewest_nodes, recipe_.most_nodes)),
      item_count_(run.choices.between("items", 1, recipe_.most_items)),
      sky_(run, simulated_, recipe_.weather, node_count_),
      ledger_(simulated_, item_count_, [this](const auto& node, event happened) { hear(node, std::move(happened)); }),
      director_(run, simulated_, sky_, mishaps_of(recipe_)) {
    if (sky_.present(request_fault_kind::stale_read)) simulated_.keep_previous_rows();
    for (std::size_t i = 0; i < node_count_; ++i) {
        sites_.push_back(std::make_unique<site>(*this, i));
        auto& added = *sites_.back();
        director_.add({.name = added.name(), .machine = added.machine(), .crash = [&added](bool, clock::duration down) {
                           added.crash(down);
                       }});
    }
}

version_world::~version_world() = default;

void version_world::hear(const std::string& node, event happened) {
    run_.trace.add(now(), node, happened.what.index(), [&] { return text_of(happened); });
    if (kept_) kept_->push_back(std::move(happened));
}

void version_world::fail(const char* promise, const std::string& what) {
    if (!broken_) broken_ = std::string(promise) + ": " + what;
}

// ---- steps -------------------------------------------------------------------------------------------------

bool version_world::go_on_while(const std::function<bool()>& condition, time_point limit) {
    while (condition()) {
        if (now() >= limit) return false;
        director_.before_step();
        if (!simulated_.step()) return !condition();
        throw_broken();
    }
    return true;
}

void version_world::throw_broken() const {
    const auto& judged = ledger_.judged().broken();
    if (judged) throw violation(*judged);
    if (broken_) throw violation(*broken_);
}

void version_world::go_on_until(time_point when) {
    go_on_while([] { return true; }, when);
}

// ---- phases ------------------------------------------------------------------------------------------------

void version_world::play() {
    director_.begin();
    arm_strangers();
    const auto length =
        run_.choices.between("length of the safety phase", static_cast<std::uint64_t>(recipe_.shortest.count()),
                             static_cast<std::uint64_t>(recipe_.longest.count()));
    go_on_until(now() + std::chrono::seconds(length));
    if (recipe_.hours_go_by) {
        let_hours_go_by();
        go_on_until(now() + recipe_.shortest);
    }
    begin_calm();
    serve_everyone();
    close_everything();
    run_.census.lived += static_cast<std::int64_t>(item_count_) * now().time_since_epoch();
}

void version_world::begin_calm() {
    sky_.calm();
    director_.calm();
    calm_ = true;
}

void version_world::serve_everyone() {
    const auto unserved = [&] {
        return std::any_of(sites_.begin(), sites_.end(),
                           [](const auto& each) { return each->user() != nullptr && !each->user()->served(); });
    };
    // Waits of before the calm, locks of others, and everybody else's turns.
    if (!go_on_while(unserved, now() + std::chrono::seconds(90))) {
        fail("O3", "an update never succeeds though all is well");
    }
    throw_broken();
}

void version_world::end_calls() {
    stopping_ = true;
    for (const auto& each : sites_) {
        if (each->user() != nullptr) each->user()->interrupt();
    }
    const auto somebody_lives = [&] {
        return std::any_of(sites_.begin(), sites_.end(), [](const auto& each) { return each->frames != 0; });
    };
    if (!go_on_while(somebody_lives, now() + std::chrono::minutes(2))) fail("R1", "a caller's write does not end");
    // The last copies of requests arrive within six minutes.
    const auto last_copies = now() + std::chrono::minutes(7);
    while (now() < last_copies && simulated_.step()) throw_broken();
    throw_broken();
}

void version_world::let_hours_go_by() {
    sky_.calm();
    director_.calm();
    end_calls();
    simulated_.scheduler().advance(std::chrono::hours(run_.choices.between("hours go by", 1, 12)));
    for (std::size_t i = 0; i < item_count_; ++i) {
        const auto before = ledger_.now(i);
        ledger_.look_again(i);
        if (ledger_.now(i) != before) run_.census.fault("ttl_deletion");
    }
    stopping_ = false;
    arm_strangers();
    for (const auto& each : sites_) each->reopen();
}

void version_world::close_everything() {
    end_calls();
    ledger_.conclude();
    if (simulated_.step()) fail("R1", "something goes on after everything was closed");
    throw_broken();
}

}  // namespace dynalease::simulation::versions
