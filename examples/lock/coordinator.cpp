// Traffic, a kill -9, a SIGSTOP past the lease, ten thousand leases, and the check. Each step waits for an event.
// SPDX-License-Identifier: BSL-1.0
#include "lock/coordinator.hpp"

#include "lock/crew.hpp"
#include "lock/lease_holder.hpp"
#include "lock/ledger.hpp"
#include "lock/report.hpp"
#include "lock/screen.hpp"
#include "lock/settings.hpp"
#include "support/json_line.hpp"
#include "support/local_server.hpp"
#include "support/run_awaitable.hpp"

#include <dynalease/client.hpp>
#include <dynalease/coordination_table.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/read_until.hpp>

#include <unistd.h>

#include <algorithm>
#include <optional>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace demo {
namespace {

constexpr auto quiet = asio::as_tuple(asio::deferred);
constexpr std::size_t killed_worker = 2;
constexpr std::size_t stopped_worker = 4;

std::vector<std::string> worker_names() {
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= workers; ++i) names.push_back("worker-" + std::to_string(i));
    return names;
}

class coordinator {
public:
    coordinator() : client_(io_.get_executor(), support::local_client_options(server_.endpoint())) {}

    int run() {
        if (support::run(io_, client_.get_executor(), play()) == 0) return nothing_lost_ ? 0 : 1;
        support::json_line().add("demo", "lock").add("ok", false).print();
        return 1;
    }

private:
    asio::awaitable<void> play();
    asio::awaitable<void> draw();
    asio::awaitable<void> transfers(crew& all, std::uint64_t more);
    asio::awaitable<void> kill_one(crew& all);
    asio::awaitable<void> stop_one(crew& all);
    asio::awaitable<void> dwell(crew& all, std::size_t worker);
    asio::awaitable<void> finish(crew& all);
    asio::awaitable<void> hold_many(scene& state);

    void narrate(scene& state, std::string text) { state.narrate(std::move(text), steady::now()); }

    support::local_server server_;
    asio::io_context io_{1};
    dynalease::client client_;
    std::optional<crew> crew_;  // outlives the coroutines that hear it
    screen screen_;
    const scene* shown_ = nullptr;
    std::string lease_line_;
    interludes times_;
    holding leases_;
    bool nothing_lost_ = false;
};

asio::awaitable<void> coordinator::play() {
    co_await dynalease::create_table(client_, std::string(table));
    const ledger accounts(client_);
    co_await accounts.open_accounts();
    auto& all = crew_.emplace(client_.get_executor(), server_.endpoint(), worker_names());
    shown_ = &all.state();
    asio::co_spawn(client_.get_executor(), draw(), [](std::exception_ptr) {});
    narrate(all.state(), "workers start, against dynalease-local at " + server_.endpoint());

    co_await transfers(all, 40);
    co_await kill_one(all);
    co_await transfers(all, 20);
    co_await stop_one(all);
    co_await transfers(all, 20);
    co_await finish(all);
    co_await hold_many(all.state());

    const auto final_accounts = co_await accounts.snapshot();
    screen_.show(all.state(), lease_line_);
    shown_ = nullptr;
    nothing_lost_ = report(all.state(), times_, leases_, final_accounts);
    client_.close();
}

asio::awaitable<void> coordinator::draw() {
    asio::steady_timer timer(client_.get_executor());
    while (shown_) {
        screen_.show(*shown_, lease_line_);
        timer.expires_after(100ms);
        co_await timer.async_wait(quiet);
    }
}

asio::awaitable<void> coordinator::transfers(crew& all, std::uint64_t more) {
    const auto enough = all.state().transfers() + more;
    co_await all.until([&all, enough] { return all.state().transfers() >= enough; }, 15s, "transfers");
}

/// Makes a worker stand between reading two accounts and writing them, with somebody waiting behind it.
asio::awaitable<void> coordinator::dwell(crew& all, std::size_t worker) {
    all.process(worker).tell("dwell");
    auto& state = all.state();
    co_await all.until([&state, worker] { return state.somebody_waits_behind(worker); }, 10s, "contention");
}

asio::awaitable<void> coordinator::kill_one(crew& all) {
    co_await dwell(all, killed_worker);
    auto& victim = all.state().worker(killed_worker);
    const auto killed = steady::now();
    all.process(killed_worker).kill();
    victim.state = "killed";
    const auto held = victim.dwelling_on.first + " and " + victim.dwelling_on.second;
    narrate(all.state(), victim.name + " killed by kill -9 while it holds " + held);

    co_await all.until([&victim] { return victim.taken_over.has_value(); }, 10s, "take-over after the kill");
    times_.takeover = *victim.taken_over - killed;
    const auto after = std::chrono::duration_cast<std::chrono::milliseconds>(times_.takeover).count();
    narrate(all.state(), "another holds one of them " + std::to_string(after) + " ms after the kill");
}

asio::awaitable<void> coordinator::stop_one(crew& all) {
    co_await dwell(all, stopped_worker);
    auto& sleeper = all.state().worker(stopped_worker);
    auto& process = all.process(stopped_worker);
    const auto stopped = steady::now();
    process.stop();
    sleeper.state = "stopped";
    const auto held = sleeper.dwelling_on.first + " and " + sleeper.dwelling_on.second;
    narrate(all.state(), sleeper.name + " stopped by SIGSTOP: has read " + held + ", not yet written");
    process.tell("go");  // it will find this in its pipe when it wakes, and write what it read long ago

    co_await all.until([&sleeper] { return sleeper.overwritten; }, 10s, "write by another worker");
    narrate(all.state(), "its lease ran out, and another has written one of them");
    const auto refusals = all.state().refusals();
    const auto lost = all.state().sessions_lost();
    times_.stopped = steady::now() - stopped;
    sleeper.state = "working";
    process.resume();
    narrate(all.state(), sleeper.name + " continues where it stood");
    co_await all.until(
        [&state = all.state(), refusals, lost] { return state.refusals() > refusals && state.sessions_lost() > lost; },
        10s, "refusal by the fence");
}

asio::awaitable<void> coordinator::finish(crew& all) {
    for (std::size_t i = 0; i < workers; ++i) all.process(i).tell("end");
    const auto over = [&all] {
        const auto& views = all.state().workers();
        return std::all_of(views.begin(), views.end(), [](const worker_view& worker) { return worker.ended; });
    };
    co_await all.until(over, 15s, "end of the workers");
    narrate(all.state(), "workers end; " + std::to_string(all.state().transfers()) + " transfers");
}

asio::awaitable<void> coordinator::hold_many(scene& state) {
    narrate(state, "one process takes " + std::to_string(many_leases) + " leases on one thread");
    support::child_process holder({support::own_path(), "leases", server_.endpoint(), std::to_string(many_leases)});
    asio::posix::stream_descriptor voice(client_.get_executor(), ::dup(holder.output()));
    std::string buffer;
    for (;;) {
        const auto [code, size] = co_await asio::async_read_until(voice, asio::dynamic_buffer(buffer), '\n', quiet);
        if (code) break;
        const auto line = buffer.substr(0, size - 1);
        buffer.erase(0, size);
        if (const auto measured = parse_holding(line)) {
            leases_ = *measured;
        } else {
            lease_line_ = line;
        }
    }
    if (holder.wait() != 0) throw std::runtime_error("the process that holds many leases failed");
    narrate(state, "it held " + std::to_string(leases_.leases) + " leases and released them all");
    lease_line_.clear();
}

}  // namespace

int run_coordinator() {
    coordinator script;
    return script.run();
}

}  // namespace demo
