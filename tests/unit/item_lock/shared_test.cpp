// Many readers, one writer: who waits for whom.
// SPDX-License-Identifier: BSL-1.0
#include "support/processor_time.hpp"
#include "support/till.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("readers share the item; those of one process share one entry and one write") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    item_lock here{*a.session, till()};
    item_guard one;
    item_guard two;
    item_guard other;
    run(w, a, share(here, one));
    run(w, a, share(here, two));
    CHECK(a.requests("north") == 1);
    run(w, b, share(item_lock{*b.session, till()}, other));
    CHECK(one.held());
    CHECK(two.held());
    CHECK(other.held());
    CHECK_FALSE(one.exclusive());
    run(w, a, give_back(one));
    CHECK(a.requests("north") == 1);
    CHECK(two.held());
    run(w, a, give_back(two));
    CHECK(a.requests("north") == 2);
    run(w, b, give_back(other));
    CHECK(w.unlocked());
}

TEST_CASE("a writer waits for the readers, and lets no further ones in") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    node c(w, 3);
    item_guard reader;
    item_guard writer;
    item_guard late;
    run(w, a, share(item_lock{*a.session, till()}, reader));
    running waits(w, b, take(item_lock{*b.session, till()}, writer));
    w.scheduler.run_for(2s);
    CHECK_FALSE(waits.done());
    running comes_late(w, c, share(item_lock{*c.session, till()}, late));
    w.scheduler.run_for(5s);
    CHECK_FALSE(comes_late.done());
    run(w, a, give_back(reader));
    waits.wait(2s);
    CHECK(writer.held());
    w.scheduler.run_for(2s);
    CHECK_FALSE(comes_late.done());
    run(w, b, give_back(writer));
    comes_late.wait(3s);
    CHECK(late.held());
}

TEST_CASE("readers of dead processes are taken away by the writer that waits for them") {
    till_world w;
    node dead(w, 1);
    node b(w, 2);
    item_guard reader;
    item_guard writer;
    run(w, dead, share(item_lock{*dead.session, till()}, reader));
    dead.process->pause();
    running waits(w, b, take(item_lock{*b.session, till()}, writer));
    waits.wait(30s);
    CHECK(writer.held());
    dead.process->resume();
    w.scheduler.run_for(1s);
    CHECK_FALSE(reader.held());
    reader = {};
}

TEST_CASE("a reader's guard writes nothing, and a writer may become a reader") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    item_lock here{*a.session, till()};
    item_guard guard;
    run(w, a, share(here, guard));
    error_code code;
    run(w, a, code_of(add_to(guard, 1), code));
    CHECK(code == errc::not_exclusive);
    CHECK(guard.held());
    run(w, a, give_back(guard));

    run(w, a, take(here, guard));
    run(w, a, [](item_guard& mine) -> asio::awaitable<void> { co_await mine.downgrade(); }(guard));
    CHECK(guard.held());
    CHECK_FALSE(guard.exclusive());
    item_guard other;
    run(w, b, share(item_lock{*b.session, till()}, other), 3s);
    CHECK(other.held());
    run(w, a, give_back(guard));
    run(w, b, give_back(other));
    CHECK(w.unlocked());
}

TEST_CASE("no more readers than allowed") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    const item_lock_options one_reader{.most_readers = 1};
    item_guard first;
    item_guard second;
    run(w, a, share(item_lock{*a.session, till(), one_reader}, first));
    error_code code;
    run(w, b, code_of(share(item_lock{*b.session, till(), one_reader}, second, {.wait = 1s}), code));
    CHECK(code == errc::wait_timeout);
    run(w, a, give_back(first));
    run(w, b, share(item_lock{*b.session, till(), one_reader}, second), 3s);
    CHECK(second.held());
}

TEST_CASE("readers of one process cost the processor as much each when they end, however many they are", "[effort]") {
    till_world w;
    node a(w, 1);
    const item_lock here{*a.session, till()};
    const auto seconds_for = [&](std::size_t count) {
        return processor_seconds([&] {
            std::vector<item_guard> readers(count);
            const auto share_all = [&]() -> asio::awaitable<void> {
                for (auto& each : readers) each = co_await here.acquire_shared();
            };
            run(w, a, share_all());
            while (!readers.empty()) readers.pop_back();
            w.scheduler.run_for(1s);
        });
    };
    const auto few = seconds_for(3000);
    CHECK(seconds_for(12000) < 9 * few);
    CHECK(w.unlocked());
}
