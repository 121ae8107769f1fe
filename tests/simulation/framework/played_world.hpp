// What every world has, whatever primitive is tried in it: faults, processes, and steps between which
// everything is checked.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/idle_costs.hpp"
#include "simulation/framework/nemesis.hpp"
#include "simulation/framework/network_faults.hpp"
#include "simulation/framework/request_text.hpp"
#include "simulation/framework/scenario_config.hpp"
#include "simulation/framework/world_run.hpp"

#include <dynalease/testing/world.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation {

class process;

class played_world {
public:
    played_world(const played_world&) = delete;
    played_world& operator=(const played_world&) = delete;
    virtual ~played_world() = default;

    // ---- for its parts ----
    world_run& run() noexcept { return run_; }
    testing::tape& choices() noexcept { return run_.choices; }
    testing::world& simulated() noexcept { return simulated_; }
    network_faults& network() noexcept { return *network_; }
    time_point now() const noexcept { return simulated_.now(); }
    bool calm() const noexcept { return calm_; }
    bool stopping() const noexcept { return stopping_; }
    std::uint64_t next_number() noexcept { return ++numbers_; }

    /// May be called anywhere; the world ends after the step that is under way.
    void fail(const char* promise, const std::string& what) { fail(std::string(promise) + ": " + what); }
    void fail(const std::string& promise_and_what);

protected:
    explicit played_world(world_run& run) : run_(run), simulated_(run.choices) {}
    /// Draws what will befall the world. Before its processes are made.
    /// @param to_store what the faults of the store do there.
    void set_up(
        const scenario_config& made_of, std::size_t nodes,
        std::function<void(nemesis_fault)> to_store = [](nemesis_fault) {});
    void add(process& one);

    /// What must hold between any two steps.
    virtual void check_step() {}
    /// What the checkers found; empty: nothing.
    virtual const std::optional<std::string>& broken_promise() const = 0;

    // ---- steps ----
    /// False: it still holds at the limit.
    bool go_on_while(const std::function<bool()>& condition, time_point limit);
    void go_on_until(time_point when);
    void throw_broken() const;

    // ---- phases ----
    void begin_faults() { nemesis_->begin(); }
    /// For as long as is drawn.
    void live_through_faults(const scenario_config& made_of);
    void end_faults();
    void begin_calm();
    /// Late copies of requests arrive within six minutes.
    void let_last_copies_land();
    /// Whoever waits is told to stop. @param promise what is broken when a call does not end.
    void stop_everyone(const char* promise);
    /// Programs that had stopped may begin anew.
    void go_on_living() noexcept { stopping_ = false; }
    /// What `look` finds to be left behind, of what nobody wants any more; empty: nothing. What only a copy of a
    /// request that landed late has brought about is given the time in which it is audited.
    std::string left_behind(const std::function<std::string()>& look);
    /// Nobody counts anything as under way.
    void expect_resolved();
    /// Nobody wants anything. @param looks one for each row that was ever wanted; see `idle_costs`
    template <class Process>
    void expect_idle(const std::vector<std::unique_ptr<Process>>& processes, std::chrono::nanoseconds lease,
                     std::uint64_t looks) {
        const idle_costs idle(processes);
        go_on_until(now() + 8 * lease);
        if (const auto more = idle.excess(looks); !more.empty()) fail("S2", more);
        throw_broken();
    }
    void close_programs();
    /// Everything has ended: nothing at all may be left to happen.
    void expect_stillness();

private:
    world_run& run_;
    testing::world simulated_;
    std::optional<network_faults> network_;
    std::optional<nemesis> nemesis_;
    std::vector<process*> processes_;
    std::uint64_t numbers_ = 0;
    bool calm_ = false;
    bool stopping_ = false;
    std::optional<std::string> broken_;
};

/// For a table of scenarios. @tparam Config a function that says what the world is made of
template <class World, auto Config>
void play(world_run& run) {
    World(run, Config()).play();
}

}  // namespace dynalease::simulation
