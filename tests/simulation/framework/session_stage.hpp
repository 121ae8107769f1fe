// A stage of three processes with a session each, for primitives whose grants hang on one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/machine.hpp"
#include "simulation/framework/request_text.hpp"
#include "simulation/framework/stage.hpp"

#include <dynalease/session.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace dynalease::simulation {

using namespace std::chrono_literals;

/// One of them; a primitive adds what it has in its hands.
struct session_actor {
    session_actor(testing::world& where, std::uint64_t seed, std::int64_t drift_ppm)
        : machine(where, machine_on_stage(seed, drift_ppm)) {
        session.emplace(machine.database(), session_options{.table = coordination, .lease = 3s, .heartbeat = 1s});
    }
    bool live() const {
        const bool ends = !session || machine.crashed();
        return !ends && session->state() == session_state::live;
    }

    testing::node machine;
    std::optional<dynalease::session> session;
};

/// Process `a` does what is disturbed; `b` is the other one, if the operation needs one. `c` comes at the end, to see
/// whether what they wanted can be had.
template <class Actor>
class session_stage : public stage {
public:
    Actor a{(world.create_table(coordination), world), 1, 900};
    Actor b{world, 2, -900};
    Actor c{world, 3, 0};

    std::vector<testing::node*> nodes() override { return {&a.machine, &b.machine, &c.machine}; }

protected:
    void check_counters(const Actor& who) {
        if (!who.session || who.machine.crashed()) return;
        const auto counters = who.session->counters();
        if (counters.resolving != 0) fail("P7: something does not resolve");
        if (counters.waiting != 0) fail("P7: somebody is counted as waiting");
        if (counters.leases_held != 0) fail("P7: a lease is counted as held");
    }
    void close_all() {
        for (auto* who : {&a, &b, &c}) {
            if (!who->session || who->machine.crashed()) continue;
            who->session->close({}, handler(ignore));
        }
        run_for(7s);
        check_handlers();
        for (auto* who : {&a, &b, &c}) who->session.reset();
        check_still(5s);
    }
};

}  // namespace dynalease::simulation
