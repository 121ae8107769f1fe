// What those who wait are told of their place in line.
// SPDX-License-Identifier: BSL-1.0
#include "queue_callers.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// All that one caller is told.
struct told_places {
    enter_options options() {
        return {.on_place = [this](const queue_place& place) { places.push_back(place); }};
    }
    std::vector<std::int64_t> before() const {
        std::vector<std::int64_t> out;
        for (const auto& each : places) out.push_back(each.before);
        return out;
    }
    std::vector<queue_place> places{};
};

using counts = std::vector<std::int64_t>;

void let_enter(world& w, node& in, queue_turn& into, enter_options options = {}) {
    const running unwatched(w, in, enter(queue{*in.session, "x"}, into, std::move(options)));
}

/// A queue whose turn the first of two processes has.
struct busy_queue {
    explicit busy_queue(session_options of_b = {.table = table}) : b(w, 2, {}, std::move(of_b)) {
        run(w, a, enter(queue{*a.session, "x"}, first));
    }
    world w;
    node a{w, 1};
    node b;
    queue_turn first;
    queue_turn second;
};

}  // namespace

TEST_CASE("who waits is told of the ticket, and of each turn before it that ends") {
    busy_queue given;
    auto& [w, a, b, first, second] = given;
    node c(w, 3);
    queue_turn third;
    told_places of_second;
    told_places of_third;
    let_enter(w, b, second, of_second.options());
    w.scheduler.run_for(2s);
    let_enter(w, c, third, of_third.options());
    w.scheduler.run_for(2s);
    CHECK(of_second.before() == counts{1});
    CHECK(of_third.before() == counts{2});

    run(w, a, leave(first));
    w.scheduler.run_for(10s);
    REQUIRE(second);
    CHECK(of_second.before() == counts{1});
    CHECK(of_third.before() == counts{2, 1});
    run(w, b, leave(second));
    w.scheduler.run_for(10s);
    REQUIRE(third);
    CHECK(of_third.before() == counts{2, 1});
    CHECK(of_second.places.back().ticket == second.fencing_token());
    for (const auto& each : of_third.places) CHECK(each.ticket == third.fencing_token());
}

TEST_CASE("places are told without a request, and nobody is who did not ask") {
    const auto requests = [](bool asks) {
        busy_queue given;
        auto& [w, a, b, first, second] = given;
        told_places told;
        let_enter(w, b, second, asks ? told.options() : enter_options{});
        w.scheduler.run_for(20s);
        CHECK(told.places.size() == (asks ? 1 : 0));
        return sent(b);
    };
    CHECK(requests(true) == requests(false));
}

TEST_CASE("a crowd of one process is told once a second at most, and of the nearest place then") {
    constexpr std::size_t callers = 100;
    busy_queue given;
    auto& [w, a, b, first, second] = given;
    std::vector<queue_turn> turns(callers);
    std::vector<told_places> told(callers);
    for (std::size_t i = 0; i < callers; ++i) {
        let_enter(w, b, turns[i], told[i].options());
    }
    w.scheduler.run_for(10s);
    for (std::size_t i = 0; i < callers; ++i) {
        REQUIRE(told[i].places.size() == 1);
        CHECK(told[i].before() == counts{static_cast<std::int64_t>(i) + 1});
    }
    // Twenty turns a second.
    run(w, a, leave(first));
    const auto began = w.scheduler.now();
    for (std::size_t i = 0; i + 1 < callers; ++i) {
        while (!turns[i]) w.scheduler.run_for(10ms);
        w.scheduler.run_for(40ms);
        run(w, b, leave(turns[i]));
    }
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(w.scheduler.now() - began).count();
    CHECK(told.back().places.size() <= static_cast<std::size_t>(seconds) + 3);
    CHECK(told.back().places.size() > 3);
    CHECK(std::ranges::is_sorted(told.back().before(), std::ranges::greater{}));
}

TEST_CASE("nobody is told of a place whose wait is over") {
    busy_queue given;
    auto& [w, a, b, first, second] = given;
    node c(w, 3);
    queue_turn third;
    told_places told;
    let_enter(w, b, second);
    w.scheduler.run_for(1s);
    error_code code;
    auto options = told.options();
    options.wait = 3s;
    const running unwatched(w, c, enter_code(queue{*c.session, "x"}, options, code, third));
    w.scheduler.run_for(4s);
    CHECK(code == errc::wait_timeout);
    CHECK(told.before() == counts{2});
    run(w, a, leave(first));
    w.scheduler.run_for(30s);
    CHECK(told.before() == counts{2});
}

TEST_CASE("a hook of places may enter and leave queues, and what it throws is told to the log") {
    std::string logged;
    session_options says{.table = table};
    says.log = [&](severity, std::string_view line) { logged += line; };
    busy_queue given(says);
    auto& [w, a, b, first, second] = given;
    queue_turn another;
    enter_options options;
    options.on_place = [&](const queue_place&) {
        let_enter(w, b, another);
        throw std::runtime_error("no screen");
    };
    let_enter(w, b, second, options);
    w.scheduler.run_for(2s);
    CHECK(logged.find("on_place has thrown: no screen") != std::string::npos);
    run(w, a, leave(first));
    w.scheduler.run_for(2s);
    REQUIRE(second);
    run(w, b, leave(second));
    w.scheduler.run_for(2s);
    CHECK(another);
}

TEST_CASE("a session that begins anew tells of its new ticket") {
    busy_queue given;
    auto& [w, a, b, first, second] = given;
    told_places told;
    let_enter(w, b, second, told.options());
    w.scheduler.run_for(2s);
    b.network->set_plan([](const any_request&, const call_options&) {
        return testing::fault{.what = testing::fault::kind::lose_request};
    });
    w.scheduler.run_for(15s);
    b.network->set_plan({});
    w.scheduler.run_for(15s);
    REQUIRE(told.places.size() > 1);
    CHECK(told.places.back().ticket > told.places.front().ticket);
}

TEST_CASE("on_place is refused for several queues at once") {
    world w;
    node a(w, 1);
    told_places told;
    diagnostics why;
    error_code code;
    enter_all({queue{*a.session, "x"}, queue{*a.session, "y"}}, told.options(), why,
              [&](error_code ended, const std::vector<queue_turn>&) { code = ended; });
    w.scheduler.run_for(1s);
    CHECK(code == errc::invalid_option);
    CHECK(why.message.find("on_place") != std::string::npos);
}

TEST_CASE("what is not told at once is told a second later, though nothing else happens") {
    const auto how = GENERATE(testing::dispatching::posts, testing::dispatching::runs_inline);
    world w;
    node a(w, 1, {}, {.table = table}, how);
    std::vector<queue_turn> turns(6);
    std::vector<told_places> told(6);
    std::vector<std::vector<std::chrono::nanoseconds>> times(6);
    for (std::size_t i = 0; i < turns.size(); ++i) {
        auto options = told[i].options();
        const place_hook note = options.on_place;
        options.on_place = [&, i, note](const queue_place& place) {
            note(place);
            times[i].push_back(w.scheduler.now().time_since_epoch());
        };
        let_enter(w, a, turns[i], options);
    }
    w.scheduler.run_for(2s);
    // Three turns end within half a second, and the fourth lasts.
    for (std::size_t i = 0; i < 3; ++i) {
        REQUIRE(turns[i]);
        run(w, a, leave(turns[i]));
        w.scheduler.run_for(150ms);
    }
    w.scheduler.run_for(2s);
    REQUIRE(turns[3]);
    CHECK(told[4].before().back() == 1);
    CHECK(told[5].before().back() == 2);
    for (const auto& each : times) {
        for (std::size_t i = 1; i < each.size(); ++i) CHECK(each[i] - each[i - 1] >= 1s);
    }
    const auto before = sent(a);
    w.scheduler.run_for(10min);
    CHECK(sent(a) == before);
}
