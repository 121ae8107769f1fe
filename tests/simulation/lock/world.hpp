// A world of processes that want the same locks, and everything that is checked while they have their way.
#pragma once

#include "simulation/framework/director.hpp"
#include "simulation/framework/weather.hpp"
#include "simulation/framework/world_run.hpp"
#include "simulation/lock/history.hpp"
#include "simulation/lock/judge.hpp"
#include "simulation/lock/recipe.hpp"

#include <dynalease/testing/world.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::locks {

class site;
class user;

inline constexpr const char* table = "coordination";

/// Something outside DynamoDB that the lock protects: it refuses tokens below the highest it has seen.
struct outside_resource {
    std::int64_t highest = 0;
    bool accepts(std::int64_t token) {
        if (token < highest) return false;
        highest = token;
        return true;
    }
};

class lock_world {
public:
    /// @param kept null, or where all that is judged is written down.
    lock_world(world_run& run, const recipe& ingredients, history* kept = nullptr);
    ~lock_world();
    lock_world(const lock_world&) = delete;
    lock_world& operator=(const lock_world&) = delete;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    world_run& run() noexcept { return run_; }
    testing::tape& choices() noexcept { return run_.choices; }
    const recipe& made_of() const noexcept { return recipe_; }
    testing::world& simulated() noexcept { return simulated_; }
    weather& sky() noexcept { return sky_; }
    judge& judged() noexcept { return judge_; }
    time_point now() const noexcept { return simulated_.now(); }
    std::size_t locks() const noexcept { return lock_count_; }
    outside_resource& resource(std::size_t lock) { return resources_[lock]; }
    std::chrono::milliseconds lease() const noexcept { return lease_; }
    bool calm() const noexcept { return calm_; }
    bool stopping() const noexcept { return stopping_; }
    std::uint64_t next_number() noexcept { return ++numbers_; }
    director& mishaps() noexcept { return director_; }

    /// Judges what happened, and tells it.
    void tell(const std::string& node, decltype(event::what) what);
    /// May be called anywhere; the world ends after the step that is under way.
    void fail(const std::string& promise_and_what);
    void fail(const char* promise, const std::string& what) { fail(std::string(promise) + ": " + what); }
    /// The row of a lock as the store has it now.
    row_state row_of(std::size_t lock);
    static std::string lock_name(std::size_t lock) { return "x" + std::to_string(lock); }

private:
    void go_on_until(time_point when);
    bool go_on_while(const std::function<bool()>& condition, time_point limit);
    void throw_broken() const;
    void check_users();
    void begin_calm();
    void serve_everyone();
    void crash_a_holder();
    void stop_everyone();
    void check_orphans();
    void check_idle_costs();
    void close_everything();
    void let_days_go_by();
    void disturb_store(mishap kind);
    void tell_replaced();
    void end_programs();
    std::chrono::nanoseconds take_over_bound() const;

    world_run& run_;
    const recipe recipe_;
    history* const kept_;
    testing::world simulated_;
    const std::size_t node_count_;
    const std::size_t lock_count_;
    const std::chrono::milliseconds lease_;
    weather sky_;
    judge judge_;
    director director_;
    std::vector<outside_resource> resources_;
    std::vector<item> backup_;
    std::vector<std::unique_ptr<site>> sites_;
    std::uint64_t numbers_ = 0;
    bool calm_ = false;
    bool stopping_ = false;
    std::optional<std::string> broken_;
};

}  // namespace dynalease::simulation::locks
