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

transfer_world::transfer_world(world_run& run, const recipe& ingredients, history* kept)
    : played_world(run),
      recipe_(ingredients),
      kept_(kept),
      node_count_(run.choices.between("nodes", recipe_.fewest_nodes, recipe_.most_nodes)),
      ledger_(simulated(), recipe_.accounts, recipe_.tokens,
              [this](const auto& node, event happened) { hear(node, std::move(happened)); }) {
    set_up(recipe_, node_count_);
    for (std::size_t i = 0; i < node_count_; ++i) add(*sites_.emplace_back(std::make_unique<site>(*this, i)));
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
    live_through_faults(recipe_);
    begin_calm();
    serve_everyone();
    stop_everyone("R1");
    let_last_copies_land();
    tidy_up();
    expect_stillness();
    run().census.lived += static_cast<std::int64_t>(ledger_.items()) * now().time_since_epoch();
}

void transfer_world::serve_everyone() {
    const auto unserved = [&] {
        return std::any_of(sites_.begin(), sites_.end(),
                           [](const auto& each) { return each->user() != nullptr && !each->user()->served(); });
    };
    // Waits of before the calm, and everybody else's wishes.
    if (!go_on_while(unserved, now() + std::chrono::seconds(120))) {
        fail("B6", "a transaction never succeeds though all is well");
    }
    throw_broken();
}

void transfer_world::tidy_up() {
    auto& first = *sites_.front();
    first.tidy_up();
    go_on_while([&] { return first.frames == 0; }, now() + std::chrono::minutes(1));
    if (!go_on_while([&] { return first.frames != 0; }, now() + std::chrono::minutes(90))) {
        fail("B5", "a sweep does not end");
    }
    throw_broken();
    // What is done for others in the background.
    let_last_copies_land();
    ledger_.conclude();
    throw_broken();
}

}  // namespace dynalease::simulation::transfers
