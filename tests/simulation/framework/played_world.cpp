// Step by step, through faults and calm.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/played_world.hpp"

#include "simulation/framework/process.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation {

void played_world::set_up(const scenario_config& made_of, std::size_t nodes,
                          std::function<void(nemesis_fault)> to_store) {
    network_.emplace(run_, simulated_, made_of.network, nodes);
    nemesis_.emplace(run_, simulated_, *network_, made_of, std::move(to_store));
    if (network_->present(request_fault_kind::stale_read)) simulated_.keep_previous_rows();
}

void played_world::add(process& one) {
    processes_.push_back(&one);
    nemesis_->add({.name = one.name(),
                   .machine = one.machine(),
                   .crash = [&one](bool same_owner, clock::duration down) { one.crash(same_owner, down); },
                   .unblocked = [&one] { one.unblocked(); },
                   .resumed = [&one] { one.resumed(); }});
}

void played_world::fail(const std::string& promise_and_what) {
    if (!broken_) broken_ = promise_and_what;
}

// ---- steps -------------------------------------------------------------------------------------------------

void played_world::throw_broken() const {
    const auto& checked = broken_promise();
    if (checked) throw violation(*checked);
    if (broken_) throw violation(*broken_);
}

/// A world whose choices were taken away may let one process run for ever, and starve what would move the time.
constexpr std::size_t most_steps_at_once = 500'000;

bool played_world::go_on_while(const std::function<bool()>& condition, time_point limit) {
    auto instant = now();
    std::size_t steps = 0;
    while (condition()) {
        if (now() >= limit) return false;
        if (std::exchange(instant, now()) != now()) steps = 0;
        if (++steps > most_steps_at_once) fail("world", "time stands still");
        nemesis_->before_step();
        if (!simulated_.step()) return !condition();
        check_step();
        throw_broken();
    }
    return true;
}

void played_world::go_on_until(time_point when) {
    go_on_while([] { return true; }, when);
}

// ---- phases ------------------------------------------------------------------------------------------------

void played_world::live_through_faults(const scenario_config& made_of) {
    const auto length =
        run_.choices.between("length of the safety phase", static_cast<std::uint64_t>(made_of.shortest.count()),
                             static_cast<std::uint64_t>(made_of.longest.count()));
    go_on_until(now() + std::chrono::seconds(length));
}

void played_world::end_faults() {
    network_->calm();
    nemesis_->calm();
}

void played_world::begin_calm() {
    end_faults();
    calm_ = true;
}

void played_world::let_last_copies_land() {
    const auto limit = now() + std::chrono::minutes(7);
    while (now() < limit && simulated_.step()) throw_broken();
    throw_broken();
}

void played_world::stop_everyone(const char* promise) {
    stopping_ = true;
    for (auto* each : processes_) each->interrupt();
    const auto somebody_lives = [&] {
        return std::any_of(processes_.begin(), processes_.end(), [](const auto* each) { return each->frames != 0; });
    };
    if (!go_on_while(somebody_lives, now() + std::chrono::minutes(2))) fail(promise, "a user's call does not end");
    throw_broken();
}

std::string played_world::left_behind(const std::function<std::string()>& look) {
    auto found = look();
    const bool copies = network_->present(request_fault_kind::twice) || network_->present(request_fault_kind::late);
    const bool under_way = std::any_of(processes_.begin(), processes_.end(),
                                       [](auto* each) { return each->machine().network().in_flight() != 0; });
    if ((copies && !found.empty()) || (under_way && run_.choices.choose("audit", 4) == 1)) {
        // A write in doubt is looked up again eleven minutes after it was sent.
        go_on_until(now() + std::chrono::minutes(13));
        found = look();
        run_.coverage.hit("audit waited for");
    }
    return found;
}

void played_world::expect_resolved() {
    for (const auto* each : processes_) {
        const auto what = each->unresolved();
        if (!what.empty()) fail("P7", each->name() + " counts " + what);
    }
    throw_broken();
}

void played_world::close_programs() {
    for (auto* each : processes_) each->close();
    const auto closing = [&] {
        return std::any_of(processes_.begin(), processes_.end(), [](const auto* each) { return !each->closed(); });
    };
    if (!go_on_while(closing, now() + std::chrono::minutes(1))) fail("R1", "a session does not close");
    for (const auto* each : processes_) {
        if (const auto what = each->told_wrongly(); !what.empty())
            fail("R1", each->name() + " is told of its closing " + what);
    }
    for (auto* each : processes_) each->shut();
    throw_broken();
}

void played_world::expect_stillness() {
    let_last_copies_land();
    if (simulated_.step()) fail("R1", "something goes on after everything was closed");
    throw_broken();
}

}  // namespace dynalease::simulation
