// What becomes of a guard that is handed to the verb that ends it.
// SPDX-License-Identifier: BSL-1.0
#include "support/till.hpp"

#include <catch2/catch.hpp>

#include <new>
#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

enum class last_verb { update_and_release, erase, release };

struct locked_till : till_world {
    locked_till() { run(*this, a, take(lock_in(a), mine)); }

    /// Only calls it: nothing of the process runs before `wait`.
    void call(last_verb which, update_expression change = add("amount", 5)) {
        const auto told = [this](error_code code, const auto&...) { ends.push_back(code); };
        if (which == last_verb::update_and_release) mine.update_and_release(std::move(change), told);
        if (which == last_verb::erase) mine.erase(told);
        if (which == last_verb::release) mine.release(told);
    }
    void wait() { scheduler.run_for(1s); }

    node a{*this, 1};
    item_guard mine;
    std::vector<error_code> ends;
};

std::int64_t amount_after(last_verb which) {
    return which == last_verb::update_and_release ? 5 : which == last_verb::erase ? -1 : 0;
}

}  // namespace

TEST_CASE("a guard is invalid from the call of its last verb on") {
    const auto which = GENERATE(last_verb::update_and_release, last_verb::erase, last_verb::release);
    locked_till in;
    REQUIRE(in.mine.held());
    in.call(which);
    CHECK_FALSE(in.mine.held());
    CHECK(in.mine.state() == guard_state::released);
    CHECK_THROWS_AS(in.mine.fence(), error);
    in.wait();
    CHECK(in.ends == std::vector<error_code>{{}});
    CHECK_FALSE(in.mine.held());
    CHECK(in.amount() == amount_after(which));
    CHECK(in.unlocked());
}

TEST_CASE("a last verb does its work though its guard ends right after the call") {
    const auto which = GENERATE(last_verb::update_and_release, last_verb::erase, last_verb::release);
    locked_till in;
    in.call(which);
    in.mine = {};
    in.wait();
    CHECK(in.ends == std::vector<error_code>{{}});
    CHECK(in.amount() == amount_after(which));
    CHECK(in.unlocked());
    CHECK(in.a.session->counters().leases_held == 0);
}

TEST_CASE("the last verb that was called first is the only one") {
    const auto first = GENERATE(last_verb::update_and_release, last_verb::erase, last_verb::release);
    const auto second = GENERATE(last_verb::update_and_release, last_verb::erase, last_verb::release);
    locked_till in;
    in.call(first);
    in.call(second);
    in.wait();
    REQUIRE(in.ends.size() == 2);
    CHECK(std::ranges::count(in.ends, error_code()) == 1);
    CHECK(std::ranges::count(in.ends, make_error_code(errc::not_held)) == 1);
    CHECK(in.amount() == amount_after(first));
    CHECK(in.unlocked());
}

TEST_CASE("a last verb that is refused before anything is sent leaves its guard as it was") {
    locked_till in;
    in.call(last_verb::update_and_release, set("_lockW", "mine"));
    in.wait();
    CHECK(in.ends == std::vector<error_code>{errc::reserved_name});
    CHECK(in.mine.held());
    CHECK_FALSE(in.unlocked());
    in.call(last_verb::update_and_release);
    in.wait();
    CHECK(in.amount() == 5);
    CHECK(in.unlocked());
}

TEST_CASE("a last verb that is refused gives back what its guard, which has ended, does not want any more") {
    locked_till in;
    in.call(last_verb::update_and_release, set("_lockW", "mine"));
    in.mine = {};
    in.wait();
    CHECK(in.ends == std::vector<error_code>{errc::reserved_name});
    CHECK(in.amount() == 0);
    CHECK(in.unlocked());
    CHECK(in.a.session->counters().leases_held == 0);
}

TEST_CASE("a last verb that finds no memory leaves no item locked") {
    const auto which = GENERATE(last_verb::update_and_release, last_verb::erase);
    const bool together = GENERATE(false, true);
    locked_till in;
    bool failed = false;
    in.a.network->set_plan([&](const any_request&, const call_options&) {
        if (!std::exchange(failed, true)) throw std::bad_alloc();
        return testing::fault{};
    });
    if (together) {
        std::vector<item_commit> parts(1);
        parts[0].guard = std::move(in.mine);
        parts[0].erase = which == last_verb::erase;
        if (!parts[0].erase) parts[0].change = add("amount", 5);
        commit_all(std::move(parts), [](error_code) {});
    } else {
        in.call(which);
    }
    CHECK_THROWS_AS(in.wait(), std::bad_alloc);
    in.wait();
    CHECK(in.unlocked());
    CHECK(in.amount() == 0);
    CHECK(in.a.session->counters().leases_held == 0);
}
