// How to test a service of your own: virtual time, a network that dies, a machine that crashes; no AWS, milliseconds.
//
// The service below settles accounts under a lock. The test runs it on two simulated machines, cuts one of them off
// while it holds the lock, kills the other one later, and looks at what is in the table.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>
#include <dynalease/testing/node.hpp>
#include <dynalease/testing/running.hpp>
#include <dynalease/testing/world.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using namespace dynalease::testing;

// ---- the service: it knows nothing of any test -------------------------------------------------------------

class settlement {
public:
    explicit settlement(dynalease::database database, const std::string& owner)
        : database_(std::move(database)), session_(database_, options_for(owner)) {}

    /// Settles one account after the other, whenever its lock is held: for ever, since a lost session begins anew.
    asio::awaitable<void> run() {
        dynalease::lock lock(session_, "settlement");
        for (;;) {
            auto guard = co_await lock.acquire();
            at_work_ = true;
            while (guard.held()) co_await settle_next(guard);
            at_work_ = false;
        }
    }
    bool at_work() const noexcept { return at_work_; }

private:
    static dynalease::session_options options_for(const std::string& owner) {
        dynalease::session_options options;
        options.table = "coordination";
        options.owner = owner;
        return options;
    }

    asio::awaitable<void> settle_next(const dynalease::lock_guard& guard) {
        dynalease::transact_update settle;
        settle.table_name = "coordination";
        settle.key = {{"pk", "settled"}, {"sk", "-"}};
        apply(settle, dynalease::add("count", 1));
        dynalease::transact_write_items_request request;
        request.actions = {guard.fence(), settle};  // happens only while this very grant is in force
        const auto settled = co_await database_.call(std::move(request));
        co_await dynalease::sleep(database_, settled ? 100ms : 1s);  // a steady_timer knows no simulated time
    }

    dynalease::database database_;
    dynalease::session session_;
    bool at_work_ = false;
};

// ---- the test ----------------------------------------------------------------------------------------------

void expect(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error("not so: " + what);
}

std::string holder(world& simulated) {
    const auto row = simulated.row("coordination", "lock#settlement");
    const auto* session = row ? dynalease::find_string(*row, "holder") : nullptr;
    if (session == nullptr) return "nobody";
    const auto its_row = simulated.row("coordination", "session#" + *session);
    return its_row ? *dynalease::find_string(*its_row, "owner") : "nobody";
}

std::int64_t settled(world& simulated) {
    const auto row = simulated.row("coordination", "settled");
    return row ? dynalease::find_integer(*row, "count").value_or(0) : 0;
}

/// A cable is pulled: what is sent is lost.
fault_plan dead_network() {
    return [](const dynalease::any_request&, const dynalease::call_options&) {
        return fault{.what = fault::kind::lose_request};
    };
}

void test() {
    world simulated;
    simulated.create_table("coordination");
    node first(simulated, {.seed = 1});
    node second(simulated, {.seed = 2});
    settlement on_first(first.database(), "first");
    settlement on_second(second.database(), "second");

    running work(simulated, first, on_first.run());
    simulated.run_for(1s);
    running standby(simulated, second, on_second.run());
    simulated.run_for(9s);
    expect(holder(simulated) == "first", "the first machine came first");
    const auto by_first = settled(simulated);
    expect(by_first > 50, "it is at work");

    first.network().set_plan(dead_network());
    simulated.run_for(15s);
    expect(holder(simulated) == "second", "the second machine takes over when the lease of 10 s is up");
    expect(!on_first.at_work(), "the first has noticed by itself, without a network, and has stopped");
    expect(settled(simulated) > by_first, "the second is at work");

    second.crash();
    const auto by_both = settled(simulated);
    simulated.run_for(1h);
    expect(settled(simulated) == by_both, "nobody is left to settle anything");

    first.network().set_plan({});
    simulated.run_for(1min);
    expect(holder(simulated) == "first", "the first goes on when it has a network again: its session has begun anew");
    expect(settled(simulated) > by_both, "it is at work again");
}

int main() {
    try {
        test();
        std::cout << "an hour and some seconds went by; everything was as it should be\n";
    } catch (const std::exception& why) {
        std::cerr << why.what() << '\n';
        return 1;
    }
}
