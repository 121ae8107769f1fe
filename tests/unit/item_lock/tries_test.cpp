// Tries, and waits of no time: told soon, whatever the service does.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using testing::fault;
using fault_kind = testing::fault::kind;

namespace {

bool about_tills(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    const auto* read = std::get_if<get_item_request>(&request);
    return (update && update->table_name == "tills") || (read && read->table_name == "tills") ||
           std::holds_alternative<transact_write_items_request>(request) ||
           std::holds_alternative<batch_get_item_request>(request);
}

/// What the service does to all requests about the items from now on.
enum class service { throttles, is_silent, finds_conflicts, is_silent_to_writes };

void disturb(node& a, service what) {
    a.network->set_plan([what](const any_request& request, const call_options&) {
        if (!about_tills(request)) return fault{};
        const bool reads = std::holds_alternative<get_item_request>(request) ||
                           std::holds_alternative<batch_get_item_request>(request);
        if (what == service::is_silent) return fault{fault_kind::lose_request};
        if (what == service::is_silent_to_writes) return reads ? fault{} : fault{fault_kind::lose_request};
        if (what == service::throttles) return fault{.what = fault_kind::fail, .answer = failure(errc::throttled)};
        if (reads) return fault{};
        fault refused{.what = fault_kind::fail, .answer = failure(errc::transaction_conflict)};
        if (const auto* all = std::get_if<transact_write_items_request>(&request)) {
            refused.answer = failure(errc::transaction_canceled);
            refused.answer.reasons.resize(all->actions.size());
            refused.answer.reasons.front().code = "TransactionConflict";
        }
        return refused;
    });
}

}  // namespace

TEST_CASE("a try and a wait of no time end soon, and say why") {
    const auto [what, expected] =
        GENERATE(Catch::Generators::table<service, errc>({{service::throttles, errc::throttled},
                                                          {service::is_silent, errc::in_doubt},
                                                          {service::is_silent_to_writes, errc::in_doubt},
                                                          {service::finds_conflicts, errc::transaction_conflict}}));
    tills_world w;
    node a(w);
    item_guard warm;
    run(w, a, take(lock_in(a), warm));
    run(w, a, give_back(warm));
    disturb(a, what);
    INFO("service " << static_cast<int>(what));
    const auto begun = w.scheduler.now();
    error_code code;
    item_guard guard;
    std::vector<item_guard> guards;
    SECTION("a try") {
        run(w, a, code_of(try_take(lock_in(a), guard), code));
    }
    SECTION("one item") {
        run(w, a, code_of(take(lock_in(a), guard, {.wait = 0s}), code));
    }
    SECTION("several items") {
        run(w, a, code_of(take_all(every_till(a), guards, {.wait = 0s}), code));
    }
    SECTION("several items, one by one") {
        run(w, a, code_of(take_all(every_till(a), guards, {.wait = 0s, .one_by_one = true}), code));
    }
    CHECK(code == expected);
    CHECK(w.scheduler.now() - begun < 5s);
    reconnect(a);
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}

TEST_CASE("a wait of no time for items that cannot be read ends soon, and gives them back") {
    tills_world w;
    node a(w);
    a.network->set_plan([](const any_request& request, const call_options&) {
        const bool reads = std::holds_alternative<batch_get_item_request>(request);
        return fault{.what = reads ? fault_kind::fail : fault_kind::pass, .answer = failure(errc::throttled)};
    });
    std::vector<item_guard> guards;
    error_code code;
    run(w, a, code_of(take_all(every_till(a), guards, {.wait = 0s}), code), 1min);
    CHECK(code == errc::throttled);
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}

TEST_CASE("what a batch leaves unprocessed is asked for again with pauses, and no longer than somebody waits") {
    tills_world w;
    node a(w);
    std::size_t batches = 0;
    a.network->set_plan([&batches](const any_request& request, const call_options&) {
        const bool reads = std::holds_alternative<batch_get_item_request>(request);
        batches += reads ? 1 : 0;
        return fault{.what = reads ? fault_kind::fail : fault_kind::pass, .answer = failure(errc::throttled)};
    });
    std::vector<item_guard> guards;
    error_code code;
    SECTION("refused whole") {
        run(w, a, code_of(take_all(every_till(a), guards, {.wait = 20s}), code));
        CHECK(code == errc::throttled);
        CHECK(batches < 60);
    }
    SECTION("half of it each time") {
        a.network->set_plan([&batches](const any_request& request, const call_options&) {
            const bool reads = std::holds_alternative<batch_get_item_request>(request);
            batches += reads ? 1 : 0;
            return fault{reads ? fault_kind::partial_batch : fault_kind::pass};
        });
        run(w, a, code_of(take_all(every_till(a), guards, {.wait = 20s}), code));
        // The last one is never read by halves.
        CHECK(batches < 60);
    }
    guards.clear();
    reconnect(a);
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}

TEST_CASE("a try while the item is given back in silence is told soon that nobody answers") {
    tills_world w;
    node a(w);
    item_guard held;
    item_guard guard;
    error_code code;
    run(w, a, take(lock_in(a), held));
    a.network->set_plan([](const any_request&, const call_options&) { return fault{fault_kind::lose_request}; });
    held = {};
    w.scheduler.run_for(100ms);
    const auto begun = w.scheduler.now();
    run(w, a, code_of(try_take(lock_in(a), guard), code), 5s);
    CHECK(code == errc::timeout);
    CHECK(w.scheduler.now() - begun <= 1s);
    reconnect(a);
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}

TEST_CASE("a reader's entry of the own session that nobody remembers goes though its finder has to leave, too") {
    till_world w;
    node a(w, 1);
    node b(w, 2);
    item_guard others;
    run(w, b, share(lock_in(b), others));
    item_guard mine;
    run(w, a, try_take(lock_in(a), mine));
    // As if a copy of a claim that was given up had landed, and the floor were ahead of this process's clock: the claim
    // that meets it is closed, and the next one is not even sent.
    auto haunted = w.stored();
    auto readers = *find(haunted, "_lockR")->get_if<string_set>();
    const auto ghost = std::string(a.session->id()) + ".999";
    readers.insert(ghost);
    haunted["_lockR"] = readers;
    haunted["_lockF"] = *find_integer(haunted, "_lockF") + 3'600'000;
    w.put(haunted);
    run(w, a, try_take(lock_in(a), mine));
    CHECK_FALSE(mine);
    w.scheduler.run_for(5s);
    CHECK_FALSE(find(w.stored(), "_lockR")->get_if<string_set>()->contains(ghost));
    CHECK(others.held());
    CHECK(a.session->counters().resolving == 0);
}

TEST_CASE("who waits for several items while the client backs off from a table that throttles is told that, in time") {
    const auto wait = GENERATE(500ms, 1000ms, 2000ms);
    tills_world w;
    node a(w);
    item_guard warm;
    run(w, a, take(lock_in(a), warm));
    run(w, a, give_back(warm));
    a.network->clear_log();
    a.network->set_plan([](const any_request&, const call_options&) {
        return fault{
            .what = fault_kind::fail, .answer = failure(errc::throttled, outcome::not_applied), .again = 600ms};
    });
    const auto attempts = [&] {
        unsigned sent = 0;
        for (const auto& each : a.network->log()) sent += each->lane == lane::ordinary ? each->attempts : 0;
        return sent;
    };
    error_code code;
    diagnostics details;
    run(
        w, a,
        [](std::vector<item_demand> all, std::chrono::nanoseconds how_long, error_code& out,
           diagnostics& told) -> asio::awaitable<void> {
            const acquire_all_options options{.wait = how_long};
            auto done = co_await acquire_all(std::move(all), options, told, as_tuple);
            out = std::get<0>(done);
        }(every_till(a), wait, code, details),
        wait);
    CHECK(code == errc::throttled);
    CHECK(details.attempts == attempts());
    // Nothing is sent any more for one who has gone.
    const auto sent = attempts();
    w.scheduler.run_for(1s);
    CHECK(attempts() == sent);
    a.network->set_plan({});
    w.scheduler.run_for(20s);
    CHECK(w.all_unlocked());
    CHECK(a.session->counters().unknown_writes == 0);
}

TEST_CASE("one try after another waits for nothing that the one before has begun") {
    tills_world w;
    node holder(w);
    node a(w);
    item_guard held;
    std::vector<item_guard> guards;
    item_guard warm;
    run(w, a, take(lock_of(a, "west"), warm));
    run(w, a, give_back(warm));
    run(w, holder, take(lock_in(holder), held));
    const auto begun = w.scheduler.now();
    for (int round = 0; round < 3; ++round) {
        error_code code;
        item_guard guard;
        run(w, a, code_of(take(lock_in(a), guard, {.wait = 0s}), code));
        CHECK(code == errc::wait_timeout);
        run(w, a, code_of(share(lock_in(a), guard, {.wait = 0s}), code));
        CHECK(code == errc::wait_timeout);
        run(w, a, code_of(take_all(every_till(a), guards, {.wait = 0s}), code));
        CHECK(code == errc::wait_timeout);
    }
    CHECK(w.scheduler.now() - begun < 50ms);
    run(w, holder, give_back(held));
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}
