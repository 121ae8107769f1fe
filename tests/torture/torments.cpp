// Each torment makes good what it did before it ends.
// SPDX-License-Identifier: BSL-1.0
#include "torture/torments.hpp"

#include "torture/settings.hpp"

#include "support/at_once.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace torture {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {
constexpr std::size_t kinds_of_torment = 6;
constexpr std::chrono::milliseconds length_of_storm = 15s;
}  // namespace

torments::torments(asio::any_io_executor executor, store& storage, std::deque<link>& links, crew& victims,
                   witness& tell, std::uint64_t seed, std::chrono::milliseconds quiet)
    : executor_(std::move(executor)),
      store_(storage),
      links_(links),
      workers_(victims),
      tell_(tell),
      seed_(seed),
      quiet_(quiet),
      chance_(seed, "lulls") {}

asio::awaitable<void> torments::run(std::chrono::milliseconds time) {
    const auto end = steady::now() + time;
    while (steady::now() < end) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady::now());
        // Shorter only in a short run, which is a look at whether everything works.
        const auto calm = std::min(quiet_, left * 3 / 4);
        const bool last = left < length_of_storm + 2 * calm;
        co_await storm(last ? end - calm : steady::now() + length_of_storm);
        co_await lull(last ? end : steady::now() + calm);
    }
}

asio::awaitable<void> torments::storm(time_point end) {
    ++storms_;
    co_await support::at_once(kinds_of_torment, kinds_of_torment,
                              [this, end](std::size_t kind) { return torment(kind, end); });
    for (std::size_t i = 0; i < workers_.size(); ++i) workers_.resume(i);
    for (auto& each : links_) each.conditions().calm();
}

asio::awaitable<void> torments::lull(time_point end) {
    const auto victim = chance_.below(workers_.size());
    const bool holds = co_await workers_.halt(victim);
    workers_.kill(victim);
    if (!holds) workers_.start(victim);
    co_await sleep(std::chrono::ceil<std::chrono::milliseconds>(end - steady::now()));
    if (!workers_.runs(victim)) workers_.start(victim);
}

asio::awaitable<void> torments::torment(std::size_t kind, time_point end) {
    switch (kind) {
        case 0:
            return kill_workers(end);
        case 1:
            return stop_workers(end);
        case 2:
            return cut_links(end);
        case 3:
            return trouble_store(end);
        case 4:
            return starve_workers(end);
        default:
            return change_weather(end);
    }
}

asio::awaitable<void> torments::kill_workers(time_point end) {
    dice chance(seed_ + storms_, "kills");
    for (;;) {
        co_await sleep(chance.between(1s, 5s), end);
        const auto victim = chance.below(workers_.size());
        const bool at_the_worst_moment = chance.chance(500);
        const auto absent = chance.between(0ms, 2 * lease);
        if (steady::now() >= end) co_return;
        if (workers_.runs(victim) && at_the_worst_moment) co_await workers_.halt(victim);
        workers_.kill(victim);
        co_await sleep(absent, end);
        workers_.start(victim);
    }
}

asio::awaitable<void> torments::stop_workers(time_point end) {
    dice chance(seed_ + storms_, "stops");
    for (;;) {
        co_await sleep(chance.between(500ms, 3s), end);
        const auto victim = chance.below(workers_.size());
        const bool at_the_worst_moment = chance.chance(600);
        const auto still = chance.chance(300) ? chance.between(50ms, lease) : chance.between(lease * 6 / 5, 5 * lease);
        if (steady::now() >= end) co_return;
        if (!workers_.runs(victim)) continue;
        const auto generation = workers_.generation(victim);
        if (at_the_worst_moment) {
            const bool halted = co_await workers_.halt(victim);
            if (!halted) continue;
        }
        workers_.stop(victim);
        co_await sleep(still, end);
        if (workers_.generation(victim) == generation) workers_.resume(victim);
    }
}

asio::awaitable<void> torments::cut_links(time_point end) {
    dice chance(seed_ + storms_, "cuts");
    for (;;) {
        co_await sleep(chance.between(1s, 5s), end);
        const auto victim = chance.below(links_.size());
        const bool one_way = chance.chance(400);
        const auto length = chance.between(lease / 5, 3 * lease);
        if (steady::now() >= end) co_return;
        const auto begun = boot_time();
        links_[victim].set(one_way ? link::passage::answers_lost : link::passage::nothing_passes);
        co_await sleep(length, end);
        links_[victim].set(link::passage::open);
        tell_.report({.kind = what::cut, .at = begun, .until = boot_time(), .who = std::to_string(victim)});
    }
}

asio::awaitable<void> torments::trouble_store(time_point end) {
    dice chance(seed_ + storms_, "store");
    for (;;) {
        co_await sleep(chance.between(2s, 6s), end);
        const auto kind = tables_spared_ ? 1 + chance.below(2) : chance.below(3);
        const auto length = chance.between(lease / 5, 2 * lease);
        if (steady::now() >= end) co_return;
        if (kind == 0) {
            co_await lose_table();
            continue;
        }
        const auto begun = boot_time();
        if (kind == 1) store_.stop();
        if (kind == 2) std::for_each(links_.begin(), links_.end(), [](link& each) { each.refuse(); });
        co_await sleep(length, end);
        if (kind == 1) store_.resume();
        if (kind == 2) std::for_each(links_.begin(), links_.end(), [](link& each) { each.listen(); });
        tell_.report({.kind = what::outage, .at = begun, .until = boot_time()});
    }
}

asio::awaitable<void> torments::lose_table() {
    const auto begun = boot_time();
    store_.kill();
    co_await store_.start();
    tell_.report({.kind = what::table_lost, .at = begun, .until = boot_time()});
}

asio::awaitable<void> torments::starve_workers(time_point end) {
    dice chance(seed_ + storms_, "starvation");
    const std::vector<std::string> command{support::own_path(), "burn", "8"};
    for (;;) {
        co_await sleep(chance.between(4s, 9s), end);
        const auto length = chance.between(lease / 2, 2 * lease);
        if (steady::now() >= end) co_return;
        const auto begun = boot_time();
        workers_.renice(19);
        {
            const support::child_process burner(command);
            co_await sleep(length, end);
        }
        workers_.renice(0);  // without the right to, they stay nice until they are killed
        tell_.report({.kind = what::starved, .at = begun, .until = boot_time()});
    }
}

asio::awaitable<void> torments::change_weather(time_point end) {
    dice chance(seed_ + storms_, "weather");
    while (steady::now() < end) {
        for (auto& each : links_) {
            if (chance.chance(500)) each.conditions().turn();
        }
        co_await sleep(chance.between(1s, 4s), end);
    }
}

asio::awaitable<void> torments::sleep(std::chrono::milliseconds time, time_point end) {
    asio::steady_timer timer(executor_, std::min(end, steady::now() + time));
    co_await timer.async_wait(asio::deferred);
}

}  // namespace torture
