// Tables that go back to a backup under those who use queues.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue_stops.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <tuple>
#include <vector>

namespace dynalease::tests {

/// The rows of the sessions stay as they are, which would end with their next heartbeats: what the queues themselves
/// see.
inline void restore_queues(world& w, const std::vector<item>& backup) {
    const auto is_of_session = [](const item& row) { return find_string(row, "pk")->starts_with("session#"); };
    auto rows = w.simulated.image(table);
    std::erase_if(rows, [&](const item& row) { return !is_of_session(row); });
    std::ranges::copy_if(backup, std::back_inserter(rows), [&](const item& row) { return !is_of_session(row); });
    w.simulated.restore(table, rows);
}

inline asio::awaitable<void> turns_over(queue target, int count) {
    for (int i = 0; i < count; ++i) {
        auto turn = co_await target.enter();
        co_await turn.leave();
    }
}

/// Four processes that know the queue, and a backup of it when it was free.
struct backed_up {
    backed_up() {
        for (auto* each : {&a, &b, &c, &d}) run(w, *each, turns_over(queue{*each->session, "x"}, 1));
        w.scheduler.run_for(5s);
        backup = w.simulated.image(table);
    }
    void restore() { restore_queues(w, backup); }
    queue in(node& of) { return {*of.session, "x"}; }

    world w;
    node a{w, 1};
    node b{w, 2};
    node c{w, 3};
    node d{w, 4};
    decltype(w.simulated.image(table)) backup;
};

/// The turn of c lasts while d waits behind it for that time, and d has the next.
inline void another_waits_behind(backed_up& past, queue_turn& present, std::chrono::milliseconds time) {
    auto& [w, a, b, c, d, backup] = past;
    queue_turn next;
    running behind(w, d, enter(past.in(d), next));
    w.scheduler.run_for(time);
    CHECK(present.held());
    CHECK_FALSE(next);
    run(w, c, leave(present));
    behind.wait(5s);
    run(w, d, leave(next));
}

inline asio::awaitable<void> wait_in_vain(std::vector<queue> queues, std::chrono::nanoseconds patience) {
    const enter_options briefly{.wait = patience};
    error_code code;
    if (queues.size() == 1) {
        code = std::get<0>(co_await queues.front().enter(briefly, asio::as_tuple(asio::deferred)));
    } else {
        code = std::get<0>(co_await enter_all(queues, briefly, asio::as_tuple(asio::deferred)));
    }
    CHECK(code == errc::wait_timeout);
}

}  // namespace dynalease::tests
