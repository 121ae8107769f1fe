// A world of processes that enter the same queues, and everything that is checked while they have their way.
#pragma once

#include "simulation/framework/director.hpp"
#include "simulation/framework/weather.hpp"
#include "simulation/framework/world_run.hpp"
#include "simulation/queue/history.hpp"
#include "simulation/queue/judge.hpp"
#include "simulation/queue/recipe.hpp"

#include <dynalease/queue.hpp>
#include <dynalease/testing/world.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::queues {

class site;

inline constexpr const char* table = "coordination";

/// Two queues for each entity, for different reasons: they share a partition, and must not meet.
struct queue_place {
    std::string entity;
    std::string reason;
    std::string partition() const { return "queue#" + entity; }
    std::string sort_key() const { return reason + '/'; }
};
queue_place place_of(std::size_t queue);

/// Something outside DynamoDB that the queue protects: it refuses tokens below the highest it has seen.
struct outside_resource {
    std::int64_t highest = 0;
    bool accepts(std::int64_t token) {
        if (token < highest) return false;
        highest = token;
        return true;
    }
};

class queue_world {
public:
    /// @param kept null, or where all that is judged is written down.
    queue_world(world_run& run, const recipe& ingredients, history* kept = nullptr);
    ~queue_world();
    queue_world(const queue_world&) = delete;
    queue_world& operator=(const queue_world&) = delete;

    /// Faults, then calm, then the end. @throws violation
    void play();

    // ---- for its parts ----
    world_run& run() noexcept { return run_; }
    testing::tape& choices() noexcept { return run_.choices; }
    const recipe& made_of() const noexcept { return recipe_; }
    testing::world& simulated() noexcept { return simulated_; }
    weather& sky() noexcept { return sky_; }
    const judge& judged() const noexcept { return judge_; }
    time_point now() const noexcept { return simulated_.now(); }
    std::size_t queues() const noexcept { return queue_count_; }
    outside_resource& resource(std::size_t queue) { return resources_[queue]; }
    std::chrono::milliseconds lease() const noexcept { return lease_; }
    bool calm() const noexcept { return calm_; }
    bool stopping() const noexcept { return stopping_; }
    std::uint64_t next_number() noexcept { return ++numbers_; }

    /// Judges what happened, and tells it.
    void tell(const std::string& node, decltype(event::what) what);
    /// May be called anywhere; the world ends after the step that is under way.
    void fail(const std::string& promise_and_what);
    /// The head of a queue as the store has it now.
    head_state head_of(std::size_t queue);

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
    void serve_a_newcomer();
    void close_everything();
    void end_programs();
    void let_weeks_go_by();
    void disturb_store(mishap kind);
    void change_version(std::size_t queue, std::int64_t version);
    void tell_replaced();
    std::chrono::nanoseconds take_over_bound() const;
    std::int64_t longest_line() const;
    /// Whose turn another live process is next to have; null: nobody's.
    site* someone_to_die(std::size_t& queue, std::int64_t& ticket);

    world_run& run_;
    const recipe recipe_;
    history* const kept_;
    testing::world simulated_;
    const std::size_t node_count_;
    const std::size_t queue_count_;
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

}  // namespace dynalease::simulation::queues
