// A small world for one operation of queues that is disturbed at one point: who is in it, and what must hold.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/stage.hpp"

#include <dynalease/queue.hpp>
#include <dynalease/session.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::queues {

/// Process `a` does what is disturbed; `b` is the other one, if the operation needs one. `c` comes at the end, to see
/// whether a turn can be had in both queues, "x" and "y".
class stage final : public simulation::stage {
public:
    stage();

    struct actor {
        actor(testing::world& where, std::uint64_t seed, std::int64_t drift_ppm);

        dynalease::queue queue(std::string name = "x") { return dynalease::queue(*session, std::move(name)); }
        std::vector<dynalease::queue> both() { return {queue("x"), queue("y")}; }
        bool live() const;
        void drop_turns();

        testing::node machine;
        std::optional<dynalease::session> session;
        queue_turn turn{};                ///< what it has, or got
        queue_turn second{};              ///< when two in it enter
        std::vector<queue_turn> turns{};  ///< in both queues
    };

    actor a;
    actor b;
    actor c;

    std::vector<testing::node*> nodes() override { return {&a.machine, &b.machine, &c.machine}; }
    void destroy_handles() override;
    void conclude() override;

    // ---- settings ----
    /// The world goes on until `who` has the turn in "x".
    void hold(actor& who);
    /// ... until its session is live, and the queue known to it and free.
    void warm_up(actor& who);

private:
    void look() override;
    void check_rows(const char* when);
    void check_counters(const actor& who);
    void serve_a_third();
    void close_all();
    std::int64_t last_ticket(const std::string& queue);
};

}  // namespace dynalease::simulation::queues
