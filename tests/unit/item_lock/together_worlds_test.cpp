// Money goes from till to till under faults, drift and pauses: none is lost, none is made, and writers are alone.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

struct clerk {
    node* in;
    std::vector<item_guard> guards{};
    bool stop = false;
    std::size_t rounds = 0;
};

std::vector<item_demand> some_tills(node& in, bool& reads_one) {
    auto& random = *in.environment.random;
    auto wanted = every_till(in);
    std::ranges::rotate(wanted, wanted.begin() + static_cast<std::ptrdiff_t>(random.below(3)));
    if (random.below(2) == 0) wanted.pop_back();
    reads_one = random.below(3) == 0;
    if (reads_one) wanted.back().shared = true;
    return wanted;
}

/// From the first to the second, or nothing.
std::vector<item_commit> transfer(std::vector<item_guard> guards) {
    std::vector<item_commit> parts;
    for (std::size_t i = 0; i < guards.size(); ++i) {
        auto& part = parts.emplace_back();
        const bool pays = guards.size() > 2 || guards[1].exclusive();
        if (pays && i < 2 && guards[1].exclusive()) part.change = add("amount", i == 0 ? -1 : 1);
        part.guard = std::move(guards[i]);
    }
    return parts;
}

asio::awaitable<void> keep_busy(clerk& self) {
    auto& random = *self.in->environment.random;
    while (!self.stop) {
        bool reads_one = false;
        auto wanted = some_tills(*self.in, reads_one);
        const acquire_all_options how{.wait = std::chrono::milliseconds(random.below(15'000)),
                                      .one_by_one = random.below(4) == 0};
        auto got = co_await acquire_all(std::move(wanted), how, as_tuple);
        self.guards = std::get<1>(std::move(got));
        if (!self.guards.empty()) {
            ++self.rounds;
            co_await sleep(*self.in, std::chrono::milliseconds(random.below(700)));
            if (random.below(5) != 0) {
                auto parts = transfer(std::exchange(self.guards, {}));
                auto token = as_tuple;
                co_await commit_all(std::move(parts), token);
            }
            self.guards.clear();
        }
        co_await sleep(*self.in, std::chrono::milliseconds(random.below(500)));
    }
}

void check_alone(const std::vector<std::unique_ptr<clerk>>& clerks) {
    for (const auto* which : all_tills) {
        std::size_t writers = 0;
        std::size_t readers = 0;
        for (const auto& each : clerks) {
            for (const auto& guard : each->guards) {
                if (guard.name() == std::string("tills/") + which && guard.held()) {
                    ++(guard.exclusive() ? writers : readers);
                }
            }
        }
        if (writers > 1 || (writers == 1 && readers > 0)) throw std::runtime_error("a writer is not alone");
    }
}

std::size_t one_joint_world(std::uint64_t seed) {
    tills_world w(seed);
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<std::unique_ptr<clerk>> clerks;
    std::vector<std::unique_ptr<running>> at_work;
    for (std::uint64_t i = 0; i < 3; ++i) {
        const testing::virtual_clock_options clock{.offset = std::chrono::hours(i),
                                                   .drift_ppm = static_cast<std::int64_t>((seed + i) % 3) * 900 - 900};
        nodes.push_back(std::make_unique<node>(w, seed * 31 + i, clock,
                                               session_options{.table = table, .lease = 6s, .heartbeat = 1500ms}));
        nodes.back()->network->set_plan(testing::seeded_faults(seed * 77 + i, {.lose_request = 0.04,
                                                                               .lose_answer = 0.06,
                                                                               .apply_twice = 0.04,
                                                                               .throttle = 0.03,
                                                                               .server_error = 0.04,
                                                                               .delay = 0.15}));
        // Two of one process, to meet each other in its fronts.
        for (int each = 0; each < 2; ++each) clerks.push_back(std::make_unique<clerk>(clerk{nodes.back().get()}));
    }
    for (auto& c : clerks) at_work.push_back(std::make_unique<running>(w, *c->in, keep_busy(*c)));
    const auto until = [&](std::chrono::nanoseconds time) {
        const auto end = w.scheduler.now() + time;
        while (w.scheduler.now() < end && w.scheduler.step()) check_alone(clerks);
    };
    until(50s);
    nodes[seed % 3]->process->pause();
    until(20s);
    nodes[seed % 3]->process->resume();
    until(30s);
    for (auto& n : nodes) n->network->set_plan({});
    until(20s);
    for (auto& c : clerks) c->stop = true;
    for (auto& r : at_work) r->wait(5min);
    // Copies that the network has held back for minutes change nothing any more.
    w.scheduler.run_for(6min);
    if (w.amount("north") + w.amount("south") + w.amount("west") != 0) throw std::runtime_error("a transfer is torn");
    std::size_t rounds = 0;
    for (const auto& c : clerks) rounds += c->rounds;
    for (const auto& n : nodes) {
        const auto counters = n->session->counters();
        if (counters.resolving != 0) throw std::runtime_error("something does not resolve");
        if (n->session->state() != session_state::live) continue;
        if (counters.leases_held != 0) throw std::runtime_error("something is still held");
        for (const auto* which : all_tills) {
            const auto stored = w.stored(which);
            for (const auto* name : {"_lockW", "_lockI"}) {
                const auto* text = find_string(stored, name);
                if (text && text->starts_with(n->session->id())) throw std::runtime_error("an orphan stays behind");
            }
        }
    }
    return rounds;
}

}  // namespace

TEST_CASE("under faults, drift and pauses transfers between several items are never torn, and writers are alone",
          "[long]") {
    constexpr std::uint64_t worlds = 40;
    std::size_t rounds = 0;
    for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
        INFO("seed " << seed);
        REQUIRE_NOTHROW(rounds += one_joint_world(seed));
    }
    CHECK(rounds > worlds * 10);
}
