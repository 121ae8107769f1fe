// Sessions without a row in an outage: who waits without a limit is told after a lease, whatever stands in the way.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// A wait that began in an outage, or saw it begin: not over before the lease is, nor much later.
void check_that_it_ends(world& w, const running& waits, const error_code& code, condition meant) {
    w.scheduler.run_for(5s);
    CHECK_FALSE(waits.done());
    w.scheduler.run_for(4s);
    CHECK(waits.done());
    CHECK(code == meant);
}

}  // namespace

TEST_CASE("a plain session that reaches nobody says so after a lease") {
    till_world w;
    const auto a = plain_node(w, 1);
    cut_off(*a);
    item_guard mine;
    error_code code;
    const running waits(w, *a, code_of(take(lock_in(*a), mine), code));
    check_that_it_ends(w, waits, code, condition::in_doubt);
    CHECK_FALSE(mine);
}

TEST_CASE("who waits for an item of this process is told when neither hand-over nor release is answered for a lease") {
    using kind = testing::fault::kind;
    const auto lost = GENERATE(kind::lose_request, kind::lose_answer);
    const bool as_reader = GENERATE(false, true);
    plain_till w;
    item_guard next;
    error_code code;
    const running waits(w, *w.a, code_of(as_reader ? share(lock_in(*w.a), next) : take(lock_in(*w.a), next), code));
    w.run_until(1s);
    // Answered as the write that frees it is, a reader would ask for the item itself.
    w.a->network->set_plan([lost](const any_request&, const call_options&) { return testing::fault{lost}; });
    error_code given_back;
    const running gives(w, *w.a, code_of(give_back(w.mine), given_back));
    check_that_it_ends(w, waits, code, condition::in_doubt);
    CHECK(gives.done());
    CHECK(given_back == errc::in_doubt);
    reconnect(*w.a);
    w.scheduler.run_for(5s);
    CHECK_FALSE(next);
    CHECK(w.unlocked());
    run(w, *w.a, take(lock_in(*w.a), next));
    CHECK(next.held());
}

TEST_CASE("who waits while the grant of another of its process runs out is told a lease after that") {
    plain_till w;
    item_guard next;
    error_code code;
    const running waits(w, *w.a, code_of(take(lock_in(*w.a), next), code));
    cut_off(*w.a);
    w.run_until(6s);
    CHECK(w.mine.state() == guard_state::lost);
    check_that_it_ends(w, waits, code, condition::in_doubt);
    reconnect(*w.a);
    w.scheduler.run_for(5s);
    CHECK(w.unlocked());
}

TEST_CASE("a plain claim that landed late is given up when the item itself cannot be read for a lease") {
    till_world w;
    const auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    item_guard theirs;
    item_guard mine;
    run(w, *b, take(lock_in(*b), theirs));
    w.scheduler.run_for(1s);
    const auto ours = [&] {
        const auto now = w.stored();
        const auto* writer = find_string(now, "_lockW");
        return writer && writer->starts_with(a->session->id());
    };
    std::size_t writes = 0;
    std::size_t sights = 0;
    a->network->set_plan([&](const any_request& request, const call_options&) {
        testing::fault fate{};
        if (is_write(request)) {
            if (++writes == 1) fate.before = 3s;
        } else if (!ours() || ++sights > 1) {
            fate.what = testing::fault::kind::lose_request;
        }
        return fate;
    });
    error_code code;
    const running waits(w, *a, code_of(take(lock_in(*a), mine), code));
    w.scheduler.run_for(2500ms);
    run(w, *b, give_back(theirs));
    while (sights == 0) REQUIRE(w.scheduler.step());
    check_that_it_ends(w, waits, code, condition::in_doubt);
    reconnect(*a);
    w.scheduler.run_for(5s);
    CHECK_FALSE(mine);
    CHECK(w.unlocked());
    CHECK(a->session->counters().acquired == 0);
    CHECK(a->session->counters().released == 0);
}

TEST_CASE("a wait for several items under a plain session ends after a lease without answers, whatever it waits for") {
    enum class cut { everything, looks, reads, local_release };
    const auto how = GENERATE(cut::everything, cut::looks, cut::reads, cut::local_release);
    tills_world w;
    const auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    item_guard held;
    if (how == cut::looks) run(w, *b, take(lock_of(*b, "south"), held));
    if (how == cut::local_release) run(w, *a, take(lock_of(*a, "south"), held));
    a->network->set_plan([how](const any_request& request, const call_options&) {
        using kind = testing::fault::kind;
        const bool looks = std::holds_alternative<get_item_request>(request);
        const bool reads = std::holds_alternative<batch_get_item_request>(request);
        const bool passes = how == cut::looks ? !looks : how == cut::reads ? !reads : false;
        return testing::fault{passes ? kind::pass : kind::lose_request};
    });
    if (how == cut::local_release) held = {};
    std::vector<item_guard> guards;
    error_code code;
    const running waits(w, *a, code_of(take_all(every_till(*a), guards), code));
    const bool reads = how == cut::looks || how == cut::reads;
    check_that_it_ends(w, waits, code, reads ? condition::unreachable : condition::in_doubt);
    held = {};
    reconnect(*a);
    w.scheduler.run_for(10s);
    CHECK(guards.empty());
    CHECK(w.all_unlocked());
    CHECK(a->session->counters().waiting == 0);
}

TEST_CASE("a wait for several items that ends because they cannot be read lets others of its process have them") {
    tills_world w;
    const auto a = plain_node(w, 1);
    a->network->set_plan([](const any_request& request, const call_options&) {
        using kind = testing::fault::kind;
        const bool reads = std::holds_alternative<batch_get_item_request>(request);
        return testing::fault{reads ? kind::lose_request : kind::pass};
    });
    std::vector<item_guard> guards;
    item_guard one;
    error_code code;
    const running waits(w, *a, code_of(take_all(every_till(*a), guards), code));
    w.scheduler.run_for(1s);
    running also_waits(w, *a, take(lock_of(*a, "south"), one));
    also_waits.wait(12s);
    CHECK(waits.done());
    CHECK(code == condition::unreachable);
    CHECK(one.held());
}

TEST_CASE("a session with a row goes on waiting for an item while the item alone is not answered") {
    till_world w;
    node a(w);
    item_guard mine;
    item_guard next;
    run(w, a, take(lock_in(a), mine));
    running waits(w, a, take(lock_in(a), next));
    a.network->set_plan([](const any_request&, const call_options& how) {
        using kind = testing::fault::kind;
        return testing::fault{how.lane == lane::heartbeat ? kind::pass : kind::lose_request};
    });
    mine = {};
    w.scheduler.run_for(2min);
    CHECK_FALSE(waits.done());
    reconnect(a);
    waits.wait(5s);
    CHECK(next.held());
}

TEST_CASE("a short outage ends no wait under a plain session, however many there are") {
    plain_till w;
    const auto b = plain_node(w, 2);
    item_guard theirs;
    const running waits(w, *b, take(lock_in(*b), theirs));
    for (int i = 0; i < 10; ++i) {
        cut_off(*b);
        w.scheduler.run_for(4s);
        reconnect(*b);
        w.scheduler.run_for(3s);
    }
    CHECK_FALSE(waits.done());
    run(w, *w.a, give_back(w.mine));
    w.scheduler.run_for(2s);
    CHECK(theirs.held());
}
