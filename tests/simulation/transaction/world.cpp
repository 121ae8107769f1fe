// The phases of a world of transactions.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/world.hpp"

#include "simulation/transaction/process.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::transfers {

namespace {

constexpr std::size_t most_known = 12;

void keep(auto& all, auto one) {
    all.push_back(std::move(one));
    if (all.size() > most_known) all.pop_front();
}

}  // namespace

transfer_world::transfer_world(world_run& run, const scenario_config& config, history* kept)
    : played_world(run),
      config_(config),
      kept_(kept),
      node_count_(run.choices.between("nodes", config_.fewest_nodes, config_.most_nodes)),
      item_history_(simulated(), config_.accounts, config_.tokens,
                    [this](const auto& node, event happened) { hear(node, std::move(happened)); }) {
    set_up(config_, node_count_);
    for (std::size_t i = 0; i < node_count_; ++i) add(*processes_.emplace_back(std::make_unique<process>(*this, i)));
}

transfer_world::~transfer_world() = default;

void transfer_world::know(known_id id) {
    keep(ids_, std::move(id));
}

void transfer_world::share(const wish& what) {
    keep(shared_, what);
}

void transfer_world::hear(const std::string& node, event happened) {
    run().trace.add(now(), node, happened.what.index(), [&] { return text_of(happened); });
    if (kept_) kept_->push_back(std::move(happened));
}

// ---- phases ------------------------------------------------------------------------------------------------

void transfer_world::play() {
    begin_faults();
    live_through_faults(config_);
    begin_calm();
    serve_everyone();
    stop_everyone("R1");
    let_last_copies_land();
    close_programs();
    tidy_up();
    expect_stillness();
    run().coverage.lived += static_cast<std::int64_t>(item_history_.items()) * now().time_since_epoch();
}

void transfer_world::serve_everyone() {
    const auto unserved = [&] {
        return std::any_of(processes_.begin(), processes_.end(), [](const auto& each) {
            return each->only_user() != nullptr && !each->only_user()->served();
        });
    };
    // Waits of before the calm, and everybody else's wishes.
    if (!go_on_while(unserved, now() + std::chrono::seconds(120))) {
        fail("B6", "a transaction never succeeds though all is well");
    }
    throw_broken();
}

void transfer_world::tidy_up() {
    auto& first = *processes_.front();
    first.tidy_up();
    go_on_while([&] { return first.frames == 0; }, now() + std::chrono::minutes(1));
    if (!go_on_while([&] { return first.frames != 0; }, now() + std::chrono::minutes(90))) {
        fail("B5", "a sweep does not end");
    }
    throw_broken();
    // What is done for others in the background.
    let_last_copies_land();
    item_history_.conclude();
    throw_broken();
}

}  // namespace dynalease::simulation::transfers
