// One machine of a simulated world: a process, a clock and a network of its own, and what can befall them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/runtime/environment.hpp>
#include <dynalease/testing/faulty_database.hpp>
#include <dynalease/testing/process.hpp>
#include <dynalease/testing/virtual_clock.hpp>
#include <dynalease/testing/world.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)
namespace dynalease::testing {

struct node_options {
    std::uint64_t seed = 1;  ///< of its random numbers: ids and jitter
    virtual_clock_options clock{};
    testing::dispatching dispatching = testing::dispatching::posts;  ///< of its process
    /// What stands between the program and the network; empty: nothing.
    std::function<std::shared_ptr<database_backend>(std::shared_ptr<database_backend> network)> in_front{};
};

/// Give `database()` to a session, a client of yours, or whatever is to be tested; start it with `running`.
class node {
public:
    explicit node(world& where, node_options options = {});
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    ~node();

    const dynalease::environment& environment() const noexcept { return environment_; }
    dynalease::database database() const { return dynalease::database(database_); }
    faulty_database& network() noexcept { return *network_; }
    virtual_clock& clock() noexcept { return *clock_; }
    testing::process& process() noexcept { return *process_; }

    /// As SIGSTOP and SIGCONT. A suspended laptop is the same: the library's clock counts suspended time.
    void pause() noexcept { process_->pause(); }
    /// As a hypervisor that stops the machine, clocks and all.
    void freeze();
    /// Ends either.
    void resume();
    bool paused() const noexcept { return process_->paused(); }

    /// As kill -9: nothing of the program runs any more, not even what its destructors ask for. What it sent still
    /// travels. Its objects may be destroyed at any time before the node.
    void crash();
    bool crashed() const noexcept { return process_->killed(); }
    /// After a crash: an empty process on the same machine, with the same plan of faults, whose clock counts from
    /// anew. @param seed of its random numbers; that of its former life gives a clone that draws the same numbers.
    void restart(std::uint64_t seed);

private:
    void start(std::uint64_t seed, const virtual_clock_options& clock);

    world& world_;
    const node_options options_;
    std::vector<std::unique_ptr<testing::process>> former_;  ///< objects of theirs may still stand somewhere
    std::unique_ptr<testing::process> process_;
    std::shared_ptr<virtual_clock> clock_;
    dynalease::environment environment_;
    std::shared_ptr<faulty_database> network_;
    std::shared_ptr<database_backend> database_;
    wall_time wall_at_crash_{};
    time_point crashed_at_{};
};

}  // namespace dynalease::testing
#pragma GCC visibility pop
