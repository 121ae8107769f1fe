// Worlds that end at any step, and single faults at any request. Faults in swarms are the simulator's.
#include "support/world.hpp"

#include <boost/asio/as_tuple.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

constexpr auto as_tuple = asio::as_tuple(asio::deferred);

asio::awaitable<void> some_work(node& in, lock_guard& kept) {
    lock target{*in.session, "x"};
    auto guard = co_await target.acquire();
    co_await guard.release(as_tuple);
    auto again = co_await target.try_acquire(as_tuple);
    kept = std::get<1>(std::move(again));
    co_await sleep(in, 5s);
    co_await in.session->close({}, as_tuple);
}

asio::awaitable<void> other_work(node& in) {
    lock target{*in.session, "x"};
    auto got = co_await target.acquire({.wait = 3s}, as_tuple);
    co_await sleep(in, 1s);
}

}  // namespace

TEST_CASE("a world may be destroyed at any step") {
    bool finished = false;
    for (std::size_t steps = 0; !finished; ++steps) {
        world w;
        node a(w, 1);
        node b(w, 2);
        lock_guard kept;
        running first(w, a, some_work(a, kept));
        running second(w, b, other_work(b));
        for (std::size_t i = 0; i < steps && !finished; ++i)
            finished = !w.scheduler.step() || (first.done() && second.done());
        kept = {};
        a.crash();
        b.crash();
        w.scheduler.run_for(1s);
    }
    SUCCEED();
}

TEST_CASE("whichever request gets no answer, the lock is taken once and given back") {
    using kind = testing::fault::kind;
    for (const auto what : {kind::lose_request, kind::lose_answer, kind::apply_twice, kind::apply_then_fail}) {
        for (std::size_t faulty = 0; faulty < 6; ++faulty) {
            INFO("fault " << static_cast<int>(what) << " at request " << faulty);
            world w;
            node a(w);
            std::vector<testing::fault> fates(faulty);
            testing::fault fate{what};
            fate.copy = 100ms;
            fate.answer = failure(errc::server_error, outcome::unknown);
            fates.push_back(fate);
            a.network->set_plan(testing::scripted_faults(fates));
            lock_guard guard;
            running work(w, a, some_work(a, guard));
            w.scheduler.run_for(1min);
            CHECK(work.done());
            CHECK_FALSE(find(w.row("lock#x"), "holder"));
            CHECK(a.session->counters().settling == 0);
        }
    }
}
