// Processes that find no place in a lock's line.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include "lock/protocol/lock_row.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// One holds the lock, others fill its line, and so many more have come too late for that.
struct crowd : world {
    explicit crowd(std::size_t outside) : holder(*this, 1) {
        run(*this, holder, take(holder, "x", held));
        for (std::size_t i = 0; i < protocol::line_capacity + outside; ++i) {
            waiting.push_back(std::make_unique<waiter>(*this, i + 2));
            scheduler.run_for(50ms);
        }
        scheduler.run_for(10min);
    }

    struct waiter {
        waiter(world& where, std::size_t seed) : in(where, seed), stands(where, in, take(in, "x", guard)) {}
        lock_guard guard;
        node in;
        running stands;
    };
    waiter& last() { return *waiting.back(); }
    /// Who has the lock, in so much time; null: nobody.
    waiter* serve(std::chrono::nanoseconds time) {
        for (const auto end = scheduler.now() + time; scheduler.now() < end; scheduler.run_for(100ms)) {
            const auto found = std::ranges::find_if(waiting, [](const auto& each) { return each->guard.held(); });
            if (found != waiting.end()) return found->get();
        }
        return nullptr;
    }
    /// The holder, and all who wait but the last.
    void others_die() {
        holder.crash();
        for (const auto& each : waiting) {
            if (each != waiting.back()) each->in.crash();
        }
    }

    node holder;
    lock_guard held;
    std::vector<std::unique_ptr<waiter>> waiting;
};

}  // namespace

TEST_CASE("who stands outside a full line has the lock within a minute and a lease after all in it have died") {
    crowd w(1);
    w.others_die();
    CHECK_NOTHROW(w.last().stands.wait(70s));
    CHECK(w.last().guard.held());
}

TEST_CASE("who stands outside a full line finds a lock that all in it have given up within half a minute") {
    crowd w(2);
    run(w, w.holder, give_back(w.held));
    for (std::size_t served = 0; served < protocol::line_capacity; ++served) {
        auto* now = w.serve(10s);
        REQUIRE(now);
        run(w, now->in, give_back(now->guard));
    }
    CHECK(w.serve(31s));
}

TEST_CASE("who stands outside a full line looks at the row and its holder, each four times a minute at most") {
    crowd w(1);
    w.last().in.network->clear_log();
    w.scheduler.run_for(10min);
    const auto& sent = w.last().in.network->log();
    const auto reads = std::ranges::count_if(sent, [](const auto& each) { return each->operation == "GetItem"; });
    CHECK(reads >= 40);
    CHECK(reads <= 80);
    CHECK(std::ranges::none_of(
        sent, [](const auto& each) { return each->operation == "UpdateItem" && each->key.starts_with("lock#"); }));
}
