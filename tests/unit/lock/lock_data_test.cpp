// Whose data stands in a lock's row: that of whoever holds it, whatever became of those before.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"
#include "support/refused_data.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using kind = testing::fault::kind;

namespace {

acquire_options with(std::string text, std::optional<std::chrono::nanoseconds> wait = {}) {
    acquire_options options{.wait = wait};
    options.data.emplace("who", std::move(text));
    return options;
}

item data_of(world& where) {
    return *find(where.row("lock#x"), "data")->get_if<attribute_map>();
}

}  // namespace

TEST_CASE("what one caller may not write fails nobody who comes after") {
    for (const bool large : {true, false}) {
        world w;
        node a(w);
        lock target{*a.session, "x"};
        lock_guard guard;
        run(w, a, take(target, guard));
        guard = {};
        acquire_options bad;
        // What the library sees at once, and what the service alone does.
        a.network->set_plan(refusing_data());
        bad.data.emplace(large ? "big" : refused_member, std::string(large ? 500'000 : 1, 'x'));
        error_code told;
        run(w, a, take_told(target, bad, guard, told));
        CHECK(told == (large ? errc::item_too_large : errc::validation));
        for (int i = 0; i < 3; ++i) {
            run(w, a, take_told(target, {}, guard, told), 1s);
            CHECK_FALSE(told);
            CHECK(guard.held());
            guard = {};
        }
    }
}

TEST_CASE("one caller's bad data fails none of those who wait with it") {
    world w;
    node a(w);
    lock target{*a.session, "x"};
    lock_guard held;
    run(w, a, take(target, held));
    acquire_options bad;
    a.network->set_plan(refusing_data());
    bad.data.emplace(refused_member, "x");
    std::vector<error_code> told(4);
    std::vector<lock_guard> guards(4);
    std::vector<std::unique_ptr<running>> waits;
    for (std::size_t i = 0; i < 4; ++i) {
        auto options = i % 2 == 0 ? bad : with(std::to_string(i));
        waits.push_back(std::make_unique<running>(w, a, take_told(target, std::move(options), guards[i], told[i])));
    }
    w.scheduler.run_for(1ms);
    held = {};
    for (std::size_t i = 0; i < 4; ++i) {
        waits[i]->wait(1s);
        if (i % 2 == 0) {
            CHECK(told[i] == errc::validation);
            continue;
        }
        CHECK_FALSE(told[i]);
        CHECK(data_of(w) == with(std::to_string(i)).data);
        guards[i] = {};
    }
}

TEST_CASE("who comes after one that left during a hand-over gets the lock with its own data") {
    // The hand-over was throttled, or landed without an answer.
    for (const auto& fate : {throttling(), testing::fault{.what = kind::lose_answer}}) {
        world w;
        node a(w);
        lock target{*a.session, "x"};
        lock_guard held;
        lock_guard left;
        lock_guard guard;
        error_code told;
        run(w, a, take(target, held));
        running leaves(w, a, take_told(target, with("left", 40ms), left, told));
        w.scheduler.run_for(1ms);
        a.network->set_plan(lock_writes_meet({fate}));
        held = {};
        w.scheduler.run_for(30ms);
        running comes(w, a, take(target, guard, with("came")));
        comes.wait(5s);
        CHECK(leaves.done());
        CHECK_FALSE(left);
        CHECK(guard.held());
        CHECK(data_of(w) == with("came").data);
    }
}

TEST_CASE("who comes after one whose take landed unheard gets the lock with its own data") {
    world w;
    node a(w);
    lock target{*a.session, "x"};
    lock_guard other;
    lock_guard left;
    lock_guard guard;
    error_code told;
    run(w, a, take(a, "other", other));
    a.network->set_plan(lock_writes_meet({{.what = kind::lose_answer}}));
    running leaves(w, a, take_told(target, with("left", 500ms), left, told));
    w.scheduler.run_for(100ms);
    running comes(w, a, take(target, guard, with("came")));
    comes.wait(5s);
    CHECK(told);
    CHECK_FALSE(left);
    CHECK(guard.held());
    CHECK(data_of(w) == with("came").data);
}

TEST_CASE("who stays when the first leaves during a take gets the lock with its own data") {
    world w;
    node a(w);
    lock target{*a.session, "x"};
    lock_guard other;
    lock_guard left;
    lock_guard guard;
    error_code told;
    run(w, a, take(a, "other", other));
    a.network->set_plan(latency(50ms));
    running leaves(w, a, take_told(target, with("left", 20ms), left, told));
    running comes(w, a, take(target, guard, with("came")));
    comes.wait(5s);
    CHECK(told);
    CHECK(guard.held());
    CHECK(data_of(w) == with("came").data);
}
