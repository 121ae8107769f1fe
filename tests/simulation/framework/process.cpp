// A process begins, dies and begins again.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/process.hpp"

#include "simulation/framework/machine.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace dynalease::simulation {

process::process(played_world& where, const scenario_config& made_of, std::size_t index)
    : where_(where),
      index_(index),
      name_("n" + std::to_string(index)),
      machine_(where.simulated(), draw_machine(where.choices(), made_of.drift_ppm, made_of.wall_error)),
      demand_(
          made_of.demand, [&where] { return where.now(); },
          [this](const std::string& what) { where_.fail(what + ", by " + name_); }) {
    where.run().coverage.fault("drift");
}

void process::open() {
    machine_.network().set_plan(plan());
    watch_network();
    machine_.network().keep_log(false);
    ++lives_;
    begin();
}

void process::watch_network() {
    demand_.look_for(observer());
    machine_.network().set_observer(&demand_);
}

void process::spawn(boost::asio::awaitable<void> life) {
    boost::asio::co_spawn(machine_.environment().executor, std::move(life), [](std::exception_ptr thrown) {
        if (thrown) std::rethrow_exception(thrown);
    });
}

void process::crash(bool, clock::duration down) {
    let_go();
    machine_.crash();
    // What the network knows of the former program's requests concerns nobody any more.
    watch_network();
    drop();
    if (frames != 0) where_.fail("R1", std::to_string(frames) + " coroutines survived a crash");
    reopen_after(down);
}

void process::reopen_after(clock::duration time) {
    where_.simulated().scheduler().add_timer(where_.now() + time, [this, life = lives_] {
        if (life == lives_ && !where_.stopping()) reopen();
    });
}

void process::reopen() {
    if (machine_.crashed()) machine_.restart(draw_seed(where_.choices()));
    let_go();
    drop();
    open();
}

}  // namespace dynalease::simulation
