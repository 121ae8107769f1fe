// One process of a world: a machine, and the programs that run on it one after the other.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/demand.hpp"
#include "simulation/framework/played_world.hpp"

#include <dynalease/testing/faulty_database.hpp>
#include <dynalease/testing/node.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace dynalease::simulation {

class process {
public:
    process(const process&) = delete;
    process& operator=(const process&) = delete;
    virtual ~process() = default;

    testing::node& machine() noexcept { return machine_; }
    const testing::node& machine() const noexcept { return machine_; }
    const std::string& name() const noexcept { return name_; }
    time_point clock_now() const noexcept { return machine_.environment().clock->now(); }
    /// A verb of a user of this process begins or ends.
    void act() { demand_.act(); }
    /// Coroutines of the program that stand somewhere.
    std::size_t frames = 0;

    // ---- what befalls it ----
    /// The program dies at this very step, and another begins after `down`.
    virtual void crash(bool same_owner, clock::duration down);
    /// Code of the program that kept the loop busy goes on before any handler runs.
    virtual void unblocked() {}
    /// Something kept it from running up to now.
    virtual void resumed() {}

    // ---- how it ends ----
    /// Whoever waits for something there is told to stop.
    virtual void interrupt() = 0;
    /// What its program still counts as under way; empty: nothing, as for one that counts nothing.
    virtual std::string unresolved() const { return {}; }
    /// A program that has nothing to close is closed.
    virtual void close() {}
    virtual bool closed() const { return true; }
    /// What it was told of that, and is not so; empty: nothing.
    virtual std::string told_wrongly() const { return {}; }
    /// What is left of the program goes.
    virtual void shut() {}
    /// Another program begins, where one has crashed or ended.
    void reopen();

protected:
    process(played_world& where, const scenario_config& made_of, std::size_t index);
    played_world& where() noexcept { return where_; }
    /// The first program begins.
    void open();
    void reopen_after(clock::duration time);
    /// For the life of somebody in the program.
    void spawn(boost::asio::awaitable<void> life);

    virtual testing::network_observer& observer() = 0;
    virtual testing::fault_plan plan() { return where_.network().plan(index_, machine_); }
    virtual void begin() = 0;
    /// What those in the program have in their hands is theirs no more.
    virtual void let_go() {}
    /// All that the program consists of is destroyed.
    virtual void drop() = 0;

private:
    void watch_network();

    played_world& where_;
    const std::size_t index_;
    const std::string name_;
    testing::node machine_;
    demand_checker demand_;
    std::uint64_t lives_ = 0;
};

}  // namespace dynalease::simulation
