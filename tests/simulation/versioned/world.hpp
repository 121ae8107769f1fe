// A world of processes that write the same items, and everything that is checked while they have their way.
#pragma once

#include "simulation/framework/director.hpp"
#include "simulation/framework/weather.hpp"
#include "simulation/framework/world_run.hpp"
#include "simulation/versioned/ledger.hpp"
#include "simulation/versioned/recipe.hpp"

#include <dynalease/testing/world.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::versions {

class site;

class version_world {
public:
    /// @param kept null, or where all that is judged is written down.
    version_world(world_run& run, const recipe& ingredients, history* kept = nullptr);
    ~version_world();
    version_world(const version_world&) = delete;
    version_world& operator=(const version_world&) = delete;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    world_run& run() noexcept { return run_; }
    testing::tape& choices() noexcept { return run_.choices; }
    const recipe& made_of() const noexcept { return recipe_; }
    testing::world& simulated() noexcept { return simulated_; }
    weather& sky() noexcept { return sky_; }
    time_point now() const noexcept { return simulated_.now(); }
    std::size_t items() const noexcept { return item_count_; }
    bool calm() const noexcept { return calm_; }
    bool stopping() const noexcept { return stopping_; }
    versions::ledger& ledger() noexcept { return ledger_; }
    void fail(const char* promise, const std::string& what);

private:
    void go_on_until(time_point when);
    bool go_on_while(const std::function<bool()>& condition, time_point limit);
    void throw_broken() const;
    void hear(const std::string& node, event happened);
    void arm_strangers();
    void write_as_stranger(std::size_t index);
    void lock_for_a_while(std::size_t index);
    void begin_calm();
    void end_calls();
    void let_hours_go_by();
    void serve_everyone();
    void close_everything();

    world_run& run_;
    const recipe recipe_;
    history* const kept_;
    testing::world simulated_;
    const std::size_t node_count_;
    const std::size_t item_count_;
    weather sky_;
    versions::ledger ledger_;
    director director_;
    std::vector<std::unique_ptr<site>> sites_;
    bool calm_ = false;
    bool stopping_ = false;
    std::optional<std::string> broken_;
};

}  // namespace dynalease::simulation::versions
