// A machine's programs come and go; its clock and its network go on.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/testing/node.hpp>
#include <dynalease/testing/seeded_random.hpp>

#include <utility>

namespace dynalease::testing {

node::node(world& where, node_options options) : world_(where), options_(std::move(options)) {
    start(options_.seed, options_.clock);
}

node::~node() = default;

void node::start(std::uint64_t seed, const virtual_clock_options& clock) {
    process_ = std::make_unique<testing::process>(world_.scheduler(), options_.dispatching);
    clock_ = std::make_shared<virtual_clock>(*process_, clock);
    environment_ = {process_->get_executor(), clock_, seeded_random(seed)};
    network_ = std::make_shared<faulty_database>(world_.scheduler(), world_.receiver(), environment_);
    database_ = network_;
    if (options_.in_front) database_ = options_.in_front(network_);
}

void node::freeze() {
    clock_->freeze();
    process_->pause();
}

void node::resume() {
    clock_->thaw();
    process_->resume();
}

void node::crash() {
    if (crashed()) return;
    wall_at_crash_ = clock_->wall();
    crashed_at_ = world_.now();
    process_->kill();
}

void node::restart(std::uint64_t seed) {
    crash();
    auto clock = options_.clock;
    // The machine's wall clock has gone on.
    clock.wall = wall_at_crash_ + std::chrono::floor<std::chrono::milliseconds>(world_.now() - crashed_at_);
    former_.push_back(std::move(process_));
    start(seed, clock);
}

}  // namespace dynalease::testing
