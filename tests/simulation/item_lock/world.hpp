// A world of processes that lock the same items and save them, and everything that is checked meanwhile.
#pragma once

#include "simulation/framework/director.hpp"
#include "simulation/framework/weather.hpp"
#include "simulation/framework/world_run.hpp"
#include "simulation/item_lock/history.hpp"
#include "simulation/item_lock/judge.hpp"
#include "simulation/item_lock/recipe.hpp"
#include "simulation/versioned/ledger.hpp"

#include <dynalease/testing/world.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::item_locks {

class site;

class item_world {
public:
    static constexpr const char* coordination = "coordination";

    /// @param kept null, or where all that is judged of locks is written down.
    item_world(world_run& run, const recipe& ingredients, history* kept = nullptr);
    ~item_world();
    item_world(const item_world&) = delete;
    item_world& operator=(const item_world&) = delete;

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
    std::chrono::milliseconds lease() const noexcept { return lease_; }
    bool calm() const noexcept { return calm_; }
    bool stopping() const noexcept { return stopping_; }
    std::uint64_t next_handle() noexcept { return ++handles_; }
    versions::ledger& ledger() noexcept { return ledger_; }

    void tell(const std::string& node, decltype(event::what) what);
    /// A request of that session has changed the item; `number` is of the user's write in it, if there is one.
    void lock_written_by(const std::string& node, const std::string& session, std::int64_t number, std::size_t index);
    /// Its row may say that it is over. @param key as networks log it
    void look_at_session(const std::string& node, const std::string& key);
    void fail(const char* promise, const std::string& what);

private:
    void go_on_until(time_point when);
    bool go_on_while(const std::function<bool()>& condition, time_point limit);
    void throw_broken() const;
    void check_guards();
    void make_item(std::size_t index);
    void arm_rebirth();
    void begin_calm();
    void serve_everyone();
    void stop_everyone();
    void check_orphans();
    void close_everything();
    lock_state lock_of(std::size_t index);

    world_run& run_;
    const recipe recipe_;
    history* const kept_;
    testing::world simulated_;
    const std::size_t node_count_;
    const std::size_t item_count_;
    const std::chrono::milliseconds lease_;
    weather sky_;
    versions::ledger ledger_;
    judge judge_;
    director director_;
    std::vector<std::unique_ptr<site>> sites_;
    std::uint64_t handles_ = 0;
    bool calm_ = false;
    bool stopping_ = false;
    std::optional<std::string> broken_;
};

}  // namespace dynalease::simulation::item_locks
