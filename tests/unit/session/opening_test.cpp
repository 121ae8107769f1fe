// What callers are told while their session opens in vain.
// SPDX-License-Identifier: BSL-1.0
#include "support/lock_steps.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <optional>
#include <utility>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

fault refused_at_the_door() {
    return {.what = kind::fail, .answer = failure(errc::unreachable)};
}
testing::fault_plan all_meet(const fault& fate) {
    return [fate](const any_request&, const call_options&) { return fate; };
}

asio::awaitable<void> tell(lock target, acquire_options options, std::optional<error>& told) {
    try {
        auto guard = co_await target.acquire(std::move(options));
        co_await guard.release();
    } catch (const error& e) {
        told = e;
    }
}
asio::awaitable<void> tell(node& in, std::optional<std::chrono::nanoseconds> wait, std::optional<error>& told) {
    const acquire_options options{.wait = wait};
    lock target{*in.session, "x"};
    co_await tell(target, options, told);
}

}  // namespace

// ---- what is told ------------------------------------------------------------------------------------------

TEST_CASE("who opens a session by a write without an answer is not told that nobody could be reached") {
    world w;
    node a(w);
    a.network->set_plan(all_meet({kind::lose_answer}));
    std::optional<error> told;
    run(w, a, tell(a, std::nullopt, told));
    REQUIRE(told);
    CHECK(told->code() == errc::timeout);
    CHECK(told->code() == condition::unreachable);
    CHECK(told->diagnostics().message.find("the session could not be opened") != std::string::npos);
    CHECK(told->diagnostics().message.find("nothing was asked for yet of what the call wants") != std::string::npos);
    CHECK(told->diagnostics().advice.find("read the item") == std::string::npos);
    CHECK(told->diagnostics().attempts == 2);
}

TEST_CASE("who comes while a session opens in vain is told of the requests since then") {
    world w;
    node a(w);
    std::size_t sent = 0;
    a.network->set_plan([&sent](const any_request&, const call_options&) {
        ++sent;
        return refused_at_the_door();
    });
    std::optional<error> first;
    std::optional<error> second;
    running waits(w, a, tell(a, 20s, first));
    w.scheduler.run_for(9s);
    REQUIRE(sent >= 5);
    const auto before = sent;
    run(w, a, tell(a, 5s, second));
    const auto since = sent - before;
    waits.wait();
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->diagnostics().attempts == sent);
    CHECK(second->diagnostics().attempts == since);
    CHECK(second->code() == errc::unreachable);
}

TEST_CASE("a wait that ends before the request that opens its session is answered is told of that") {
    world w;
    node a(w);
    a.network->set_plan(all_meet({.before = 10s}));
    std::optional<error> told;
    run(w, a, tell(a, 500ms, told));
    REQUIRE(told);
    CHECK(told->code() == errc::timeout);
    CHECK(told->code() == condition::unreachable);
    CHECK(told->diagnostics().attempts == 0);
}
