// Small worlds in which a session closes while work goes on under it.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/directed.hpp"
#include "simulation/framework/primitive.hpp"
#include "simulation/lock/stage.hpp"

#include <dynalease/lock/with_lock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <tuple>

namespace dynalease::simulation::locks {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::fault;

constexpr std::array names{"x", "y"};
constexpr auto tolerance = 20ms;  // clocks and steps

/// What one does under a lock, and what became of it. Once cancelled it takes its time to tidy up.
struct piece {
    testing::node* in = nullptr;
    std::chrono::nanoseconds takes{};
    std::chrono::nanoseconds tidies{};
    std::optional<time_point> began{};
    bool runs = false;
    bool cancelled = false;
};

asio::awaitable<void> carry_out(testing::world& where, piece& of) {
    of.began = where.now();
    of.runs = true;
    const auto clock = of.in->environment().clock;
    const auto waited = co_await clock->async_wait_until(clock->now() + of.takes, asio::as_tuple(asio::deferred));
    of.cancelled = static_cast<bool>(std::get<0>(waited));
    if (of.cancelled) {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await clock->async_wait_until(clock->now() + of.tidies, asio::as_tuple(asio::deferred));
    }
    of.runs = false;
}

asio::awaitable<void> work(stage& on, dynalease::lock target, piece& of) {
    const auto body = [&where = on.world, &of](lock_guard&) { return carry_out(where, of); };
    try {
        co_await with_lock(std::move(target), body);
    } catch (const error&) {  // closed before it began, or too long before it ended
    }
}

std::chrono::milliseconds up_to(testing::tape& choices, const char* label, std::chrono::milliseconds longest) {
    return std::chrono::milliseconds(choices.choose(label, static_cast<std::uint64_t>(longest.count()) + 1));
}

/// Answers are lost now and then, and requests take their time.
testing::fault_plan bad_network(testing::tape& choices) {
    return [&choices](const any_request&, const call_options&) {
        const bool lost = choices.choose("an answer is lost", 25) == 1;
        const auto way = up_to(choices, "how long a request travels", 30ms);
        return fault{.what = lost ? fault::kind::lose_answer : fault::kind::pass, .before = way, .after = way};
    };
}

/// What its session held others may take, once they have seen that it is dead.
bool was_dead(stage& on) {
    const auto row = on.world.row("coordination", "session#" + on.a.session->id());
    const auto* state = row ? find_string(*row, "state") : nullptr;
    return state && *state == "dead";
}

/// Two processes work under the same locks, and the session of one of them closes.
void closing_under_work(stage& on, world_run& run) {
    auto& choices = run.choices;
    std::array<piece, 2> mine;
    std::array<piece, 2> theirs;
    for (auto* who : {&on.a, &on.b}) {
        on.hold(*who);
        who->guard = {};
        on.run_for(1s);
        who->machine.network().set_plan(bad_network(choices));
    }
    const auto begin = [&](stage::actor& who, piece& of, const char* name) {
        of.in = &who.machine;
        of.takes = up_to(choices, "how long work takes", 6s);
        of.tidies = up_to(choices, "how long it tidies up", 2s);
        asio::co_spawn(who.machine.environment().executor, work(on, dynalease::lock(*who.session, name), of),
                       on.handler(ignore));
    };
    for (std::size_t i = 0; i < names.size(); ++i) begin(on.a, mine[i], names[i]);
    on.run_for(up_to(choices, "when the others come", 1s));
    for (std::size_t i = 0; i < names.size(); ++i) begin(on.b, theirs[i], names[i]);
    on.run_for(up_to(choices, "when it closes", 3s));

    const close_options how{.timeout = 500ms + up_to(choices, "how long it may close", 8s)};
    const auto closing = on.world.now();
    std::optional<time_point> closed;
    on.a.session->close(how, on.handler([&](error_code, const close_report&) { closed = on.world.now(); }));
    const auto goes_on = [&] {
        const auto runs = [](const auto& each) { return each.runs; };
        return !closed || std::ranges::any_of(mine, runs) || std::ranges::any_of(theirs, runs);
    };
    while (goes_on() && on.broken().empty() && on.world.now() < closing + 1min && on.step()) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            const bool together = mine[i].runs && theirs[i].runs;
            if (together && !was_dead(on)) on.fail("C1: a lock was given away under the work of who closed");
        }
    }
    if (!closed || *closed > closing + how.timeout + tolerance) on.fail("C2: a session closes for too long");
    for (const auto& each : mine) {
        if (!each.began || !each.cancelled || on.a.session->counters().lives_lost > 0) continue;
        const auto end = *each.began + each.takes;
        if (end + tolerance < closing + how.timeout / 2) on.fail("C3: work was cancelled that had the time to end");
        if (*each.began > closing + tolerance) on.fail("C4: work began under a session that had closed");
    }
    on.run_for(20s);
}

const contribution closing_worlds{{
    .name = "lock",
    .scenarios = {{"closing-under-work", 1, play_directed<closing_under_work>}},
}};

}  // namespace

}  // namespace dynalease::simulation::locks
