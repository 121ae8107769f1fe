// A small world for one operation of queues that is disturbed at one point: who is in it, and what must hold.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/session_stage.hpp"

#include <dynalease/queue.hpp>
#include <dynalease/session.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::queues {

struct actor : session_actor {
    using session_actor::session_actor;

    dynalease::queue queue(std::string name = "x") { return dynalease::queue(*session, std::move(name)); }
    std::vector<dynalease::queue> both() { return {queue("x"), queue("y")}; }
    void drop_turns();

    queue_turn turn{};                ///< what it has, or got
    queue_turn second{};              ///< when two in it enter
    std::vector<queue_turn> turns{};  ///< in both queues
};

class stage final : public session_stage<actor> {
public:
    using actor = queues::actor;

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
    void serve_a_third();
    std::int64_t last_ticket(const std::string& queue);
};

}  // namespace dynalease::simulation::queues
