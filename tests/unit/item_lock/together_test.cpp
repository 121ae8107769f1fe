// Several items at once: all or none, and nobody waits in a circle.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

std::size_t transactions_of(const node& in) {
    return static_cast<std::size_t>(std::ranges::count_if(
        in.network->log(), [](const auto& entry) { return entry->operation == "TransactWriteItems"; }));
}

}  // namespace

TEST_CASE("several items are locked by one transaction and one read, under one token, with the items in hand") {
    tills_world w;
    node a(w);
    std::vector<item_guard> guards;
    run(w, a, take_all(every_till(a), guards));
    REQUIRE(guards.size() == 3);
    CHECK(all_valid(guards));
    CHECK(transactions_of(a) == 1);
    CHECK(a.network->log().size() == 3);  // the session's own row among them
    for (std::size_t i = 0; i < guards.size(); ++i) {
        CHECK(guards[i].exclusive());
        CHECK(guards[i].fencing_token() == guards[0].fencing_token());
        CHECK(*find_string(guards[i].item(), "id") == all_tills[i]);
        run(w, a, add_to(guards[i], 5));
    }
    CHECK(w.all_hold(5));
    for (auto& guard : guards) run(w, a, give_back(guard));
    CHECK(w.all_unlocked());
    CHECK(a.session->counters().leases_held == 0);
}

TEST_CASE("whoever waits for several items holds none of them") {
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    node c(w, 3);
    item_guard south;
    item_guard north;
    std::vector<item_guard> guards;
    run(w, a, take(lock_of(a, "south"), south));
    running waits(w, b, take_all(every_till(b), guards));
    w.scheduler.run_for(3s);
    CHECK_FALSE(waits.done());
    run(w, c, take(lock_of(c, "north"), north, {.wait = 0s}));
    CHECK(north.held());
    run(w, a, give_back(south));
    w.scheduler.run_for(3s);
    CHECK_FALSE(waits.done());
    const auto token = north.fencing_token();
    run(w, c, give_back(north));
    waits.wait(5s);
    CHECK(all_valid(guards));
    CHECK(guards[0].fencing_token() > token);
}

TEST_CASE("an item that is in use in this process is waited for like any other") {
    tills_world w;
    node a(w);
    item_guard south;
    std::vector<item_guard> guards;
    run(w, a, take(lock_of(a, "south"), south));
    running waits(w, a, take_all(every_till(a), guards));
    w.scheduler.run_for(2s);
    CHECK_FALSE(waits.done());
    CHECK(w.unlocked("north"));
    item_guard tried;
    run(w, a, try_take(lock_of(a, "north"), tried));
    CHECK(tried);
    run(w, a, give_back(tried));
    run(w, a, give_back(south));
    waits.wait(3s);
    CHECK(all_valid(guards));
    CHECK(a.session->counters().resolving == 0);
}

TEST_CASE("those who want the same items in any order all get them, all at once or one by one") {
    for (const bool one_by_one : {false, true}) {
        tills_world w;
        std::vector<std::unique_ptr<node>> nodes;
        std::vector<std::unique_ptr<running>> at_work;
        for (std::uint64_t i = 0; i < 4; ++i) nodes.push_back(std::make_unique<node>(w, i + 1));
        for (auto& n : nodes) {
            at_work.push_back(std::make_unique<running>(w, *n, [](node& in, bool in_order) -> asio::awaitable<void> {
                for (int round = 0; round < 5; ++round) {
                    auto wanted = every_till(in);
                    const auto turn = static_cast<std::ptrdiff_t>(in.environment.random->below(3));
                    std::ranges::rotate(wanted, wanted.begin() + turn);
                    auto guards = co_await acquire_all(std::move(wanted), {.wait = {}, .one_by_one = in_order});
                    auto parts = add_to_each(std::move(guards), 1);
                    co_await commit_all(std::move(parts));
                }
            }(*n, one_by_one)));
        }
        for (auto& r : at_work) r->wait(10min);
        CHECK(w.all_hold(20));
        CHECK(w.all_unlocked());
    }
}

TEST_CASE("of several items one is missing: it is named, and none is locked") {
    tills_world w;
    node a(w);
    for (const bool one_by_one : {false, true}) {
        auto wanted = every_till(a);
        wanted.push_back({lock_of(a, "void")});
        std::string named;
        std::optional<error_code> code;
        diagnostics details;
        std::vector<item_guard> guards;
        try {
            run(w, a, take_all(wanted, guards, {.wait = {}, .one_by_one = one_by_one}));
        } catch (const dynalease::error& e) {
            code = e.code();
            named = e.diagnostics().to_string();
        }
        REQUIRE(code);
        CHECK(*code == errc::missing);
        CHECK(named.find("tills/void") != std::string::npos);
        w.scheduler.run_for(2s);
        CHECK(w.all_unlocked());
        CHECK(w.stored("void").empty());
    }
}

TEST_CASE("a dead holder of one item is waited for and taken over, with all the others") {
    tills_world w;
    auto dead = std::make_unique<node>(w, 1);
    node b(w, 2);
    item_guard south;
    run(w, *dead, take(lock_of(*dead, "south"), south));
    south = {};
    dead->crash();
    std::vector<item_guard> guards;
    run(w, b, take_all(every_till(b), guards), 1min);
    CHECK(all_valid(guards));
}

TEST_CASE("readers that overlap for ever do not keep out whoever wants several items to write") {
    tills_world w;
    node b(w, 9);
    std::vector<std::unique_ptr<node>> readers;
    std::vector<std::unique_ptr<running>> at_work;
    bool stop = false;
    for (std::uint64_t i = 0; i < 3; ++i) {
        readers.push_back(std::make_unique<node>(w, i + 1));
        at_work.push_back(
            std::make_unique<running>(w, *readers.back(), [](node& in, const bool& enough) -> asio::awaitable<void> {
                while (!enough) {
                    auto lock = lock_of(in, "south");
                    auto guard = co_await lock.acquire_shared();
                    co_await sleep(in, 2s);
                    co_await guard.release();
                }
            }(*readers.back(), stop)));
        w.scheduler.run_for(700ms);
    }
    std::vector<item_guard> guards;
    run(w, b, take_all(every_till(b), guards), 1min);
    CHECK(all_valid(guards));
    for (auto& guard : guards) run(w, b, give_back(guard));
    stop = true;
    for (auto& r : at_work) r->wait(1min);
}

TEST_CASE("readers of several items let others read, and writers in when they are gone") {
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    std::vector<item_guard> here;
    std::vector<item_guard> again;
    std::vector<item_guard> there;
    std::vector<item_guard> writer;
    run(w, a, take_all(every_till(a, true), here));
    CHECK_FALSE(here[0].exclusive());
    run(w, b, take_all(every_till(b, true), there), 2s);
    // Readers of one process share its entries, which takes them one by one.
    run(w, a, take_all(every_till(a, true), again), 5s);
    CHECK(all_valid(again));
    error_code code;
    run(w, b, code_of(take_all(every_till(b), writer, {.wait = 0s}), code));
    CHECK(code == errc::wait_timeout);
    for (auto* guards : {&here, &again}) {
        for (auto& guard : *guards) run(w, a, give_back(guard));
    }
    for (auto& guard : there) run(w, b, give_back(guard));
    run(w, b, take_all(every_till(b), writer), 5s);
    CHECK(all_valid(writer));
}

TEST_CASE("a wait for several items ends in time, and locks nothing") {
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    item_guard south;
    run(w, a, take(lock_of(a, "south"), south));
    for (const bool one_by_one : {false, true}) {
        for (const auto wait : {0s, 2s}) {
            std::vector<item_guard> guards;
            error_code code;
            const auto begun = w.scheduler.now();
            run(w, b, code_of(take_all(every_till(b), guards, {.wait = wait, .one_by_one = one_by_one}), code));
            CHECK(code == errc::wait_timeout);
            CHECK(w.scheduler.now() - begun <= wait + 1s);
            w.scheduler.run_for(1s);
            CHECK(w.unlocked("north"));
            CHECK(w.unlocked("west"));
        }
    }
}

TEST_CASE("what cannot be locked together is refused before anything is sent") {
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    std::vector<item_guard> guards;
    error_code code;
    std::vector<item_demand> twice{{lock_of(a, "north")}, {lock_of(a, "south")}, {lock_of(a, "north")}};
    diagnostics why;
    run(w, a, [&]() -> asio::awaitable<void> {
        auto done = co_await acquire_all(twice, {}, why, asio::as_tuple(asio::deferred));
        code = std::get<0>(done);
    }());
    CHECK(code == errc::duplicate_item);
    CHECK(why.message == "entries 0 and 2 are one item");
    std::vector<item_demand> strangers{{lock_of(a, "north")}, {lock_of(b, "south")}};
    code = {};
    run(w, a, code_of(take_all(strangers, guards), code));
    CHECK(code == errc::invalid_option);
    code = {};
    run(w, a, code_of(take_all({}, guards), code));
    CHECK(code == errc::invalid_option);
    CHECK(a.network->log().empty());
}

TEST_CASE("more items than one transaction takes are locked one by one") {
    tills_world w;
    node a(w);
    std::vector<item_demand> wanted;
    for (int i = 0; i < 101; ++i) {
        const auto id = std::to_string(i);
        w.put({{"id", id}, {"amount", 0}});
        wanted.push_back({lock_of(a, id.c_str())});
    }
    std::vector<item_guard> guards;
    run(w, a, take_all(wanted, guards));
    CHECK(guards.size() == 101);
    CHECK(all_valid(guards));
    CHECK(transactions_of(a) == 0);
}
