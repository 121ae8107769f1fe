// What the pessimistic lock of the articles on concurrency control does, and what it leaves open.
// SPDX-License-Identifier: BSL-1.0
#include "support/till.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

item without_lock(item stored) {
    std::erase_if(stored, [](const auto& attribute) { return attribute.first.starts_with("_lock"); });
    return stored;
}

}  // namespace

TEST_CASE("no item is created on release, though it was removed meanwhile") {
    till_world w;
    node a(w);
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till()}, guard));
    w.apply(delete_item_request{.table_name = "tills", .key = till().key});
    error_code code;
    run(w, a, code_of(give_back(guard), code));
    CHECK(code == errc::lock_lost);
    CHECK(w.stored().empty());
}

TEST_CASE("a second acquire fails, and does not free the first") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    item_guard first;
    run(w, a, take(item_lock{*a.session, till()}, first));
    for (auto* in : {&a, &b}) {
        item_guard second;
        error_code code;
        run(w, *in, code_of(take(item_lock{*in->session, till()}, second, {.wait = 0s}), code));
        CHECK(code == errc::wait_timeout);
        CHECK_FALSE(w.unlocked());
        CHECK(first.held());
    }
    run(w, a, add_to(first, 1));
    CHECK(w.amount() == 1);
}

TEST_CASE("the item is freed at the end of the block, and by an exception") {
    till_world w;
    node a(w);
    for (const bool throws : {false, true}) {
        auto block = [](node& in, bool throwing) -> asio::awaitable<void> {
            item_lock lock{*in.session, till()};
            auto guard = co_await lock.acquire();
            if (throwing) throw std::domain_error("no money");
        };
        if (throws) {
            CHECK_THROWS_AS(run(w, a, block(a, throws)), std::domain_error);
        } else {
            run(w, a, block(a, throws));
        }
        w.scheduler.run_for(1s);
        CHECK(w.unlocked());
    }
}

TEST_CASE("locking and releasing change the lock's own attributes, and no others") {
    till_world w;
    node a(w);
    const auto before = w.stored();
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till()}, guard));
    CHECK(w.stored().contains("_lockW"));
    CHECK(without_lock(w.stored()) == before);
    run(w, a, give_back(guard));
    CHECK_FALSE(w.stored().contains("_lockW"));
    CHECK(without_lock(w.stored()) == before);
}

TEST_CASE("the names of the lock's attributes are configurable, and locks of other names are others") {
    till_world w;
    node a(w);
    node b(w, 2);
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till(), {.prefix = "held"}}, guard));
    CHECK(w.stored().contains("heldW"));
    CHECK(w.stored().contains("heldF"));
    CHECK(w.unlocked());
    item_guard other;
    run(w, b, take(item_lock{*b.session, till()}, other), 1s);
    CHECK(other.held());
    run(w, a, give_back(guard));
    CHECK_FALSE(w.stored().contains("heldW"));
}

TEST_CASE("a live holder is never displaced, a dead one not before its lease is over, and then it is") {
    till_world w;
    auto a = std::make_unique<node>(w, 1);
    node b(w, 2);
    item_guard held;
    run(w, *a, take(item_lock{*a->session, till()}, held));
    item_guard next;
    running waits(w, b, take(item_lock{*b.session, till()}, next));
    w.scheduler.run_for(10min);
    CHECK_FALSE(waits.done());
    CHECK(held.held());
    a->process->pause();
    const auto died = w.scheduler.now();
    while (held.held() && !waits.done()) w.scheduler.run_for(50ms);
    CHECK_FALSE(waits.done());
    CHECK(w.scheduler.now() - died >= 5s);  // the lease is 10 s, renewed every 2.5 s
    waits.wait(15s);
    CHECK(next.held());
}

TEST_CASE("tables with a partition key alone, and with a sort key too") {
    till_world w;
    node a(w);
    w.apply(create_table_request{.table_name = "desks",
                                 .key = {.hash = {.name = "branch"}, .range = key_attribute{.name = "desk"}}});
    for (const auto* desk : {"one", "two"}) {
        w.apply(put_item_request{.table_name = "desks", .new_item = {{"branch", "north"}, {"desk", desk}}});
    }
    item_guard first;
    item_guard second;
    run(w, a, take(item_lock{*a.session, {"desks", {{"branch", "north"}, {"desk", "one"}}}}, first));
    run(w, a, take(item_lock{*a.session, {"desks", {{"branch", "north"}, {"desk", "two"}}}}, second), 1s);
    CHECK(second.held());
    run(w, a, give_back(first));
    CHECK(second.held());
    error_code code;
    item_guard missing;
    run(w, a, code_of(take(item_lock{*a.session, {"desks", {{"branch", "north"}, {"desk", "six"}}}}, missing), code));
    CHECK(code == errc::missing);
}
