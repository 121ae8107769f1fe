// Many who wait for one item.
#include "support/processor_time.hpp"
#include "tills.hpp"

#include <catch2/catch.hpp>

#include <memory>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> take_in_time(node& in, bool reads, std::chrono::nanoseconds wait, std::size_t& ended) {
    const item_acquire_options how{.wait = wait};
    auto target = lock_in(in);
    std::tuple<error_code, item_guard> done;
    if (reads) {
        done = co_await target.acquire_shared(how, as_tuple);
    } else {
        done = co_await target.acquire(how, as_tuple);
    }
    if (std::get<0>(done) == errc::wait_timeout) ++ended;
}

}  // namespace

TEST_CASE("waiters for an item that end together cost as much each, however many they are") {
    const bool reads = GENERATE(false, true);
    const auto end_together = [&](std::size_t waiting) {
        return processor_seconds([&] {
            till_world w;
            node a(w);
            item_guard held;
            run(w, a, take(lock_in(a), held));
            std::size_t ended = 0;
            std::vector<std::unique_ptr<running>> waits;
            for (std::size_t i = 0; i < waiting; ++i) {
                waits.push_back(std::make_unique<running>(w, a, take_in_time(a, reads, 5s, ended)));
            }
            w.scheduler.run_for(6s);
            REQUIRE(ended == waiting);
        });
    };
    // Were each to look at all the others, it would be 16 times.
    CHECK(end_together(12'000) < 8 * end_together(3'000));
}
