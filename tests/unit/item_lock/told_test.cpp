// Callers of one process share its requests: none is told what an item was before it asked, or before its own write.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <optional>
#include <utility>

using namespace dynalease;
using namespace dynalease::tests;
using testing::fault;
using fault_kind = testing::fault::kind;

namespace {

struct two_processes : tills_world {
    two_processes() {
        item_guard warm;
        run(*this, a, take(lock_in(a), warm));
        run(*this, a, give_back(warm));
    }
    void step_until(const std::function<bool()>& condition) {
        while (!condition()) REQUIRE(scheduler.step());
    }

    node a{*this, 1};
    node b{*this, 2};
    item_guard others;
};

bool writes_a_till(const any_request& request) {
    const auto* update = std::get_if<update_item_request>(&request);
    return update && update->table_name == "tills";
}

asio::awaitable<void> try_share(item_lock target, item_guard& into) {
    into = co_await target.try_acquire_shared();
}

}  // namespace

TEST_CASE("an item that was made or mended before the call is locked, whatever it was when others asked") {
    const bool missing = GENERATE(true, false);
    two_processes w;
    if (missing) {
        w.apply(delete_item_request{.table_name = "tills", .key = till().key});
    } else {
        w.put({{"id", "north"}, {"version", 7}, {"_lockF", "not ours"}});
    }
    w.a.network->set_plan(testing::scripted_faults({fault{.after = 200ms}}));
    item_guard guard;
    error_code early;
    error_code late;
    running first(w, w.a, code_of(take(lock_in(w.a), guard), early));
    w.scheduler.run_for(100ms);
    w.put({{"id", "north"}, {"amount", 0}, {"version", 1}});
    running second(w, w.a, code_of(take(lock_in(w.a), guard), late));
    first.wait();
    second.wait();
    CHECK(early == (missing ? errc::missing : errc::corrupt_row));
    CHECK_FALSE(late);
    CHECK(guard.held());
}

TEST_CASE("a try is not told who had the item before it") {
    const bool joins = GENERATE(false, true);
    two_processes w;
    item_guard mine;
    if (joins) {
        // The writer that waits for this reader lets no other join.
        run(w, w.a, share(lock_in(w.a), mine));
        running waits(w, w.b, take(lock_in(w.b), w.others, {.wait = 2500ms}));
        w.scheduler.run_for(2s);
        w.a.network->set_plan([](const any_request& request, const call_options&) {
            return std::holds_alternative<get_item_request>(request) ? fault{.after = 900ms} : fault{};
        });
        error_code code;
        item_guard second;
        run(w, w.a, code_of(share(lock_in(w.a), second, {.wait = 50ms}), code));
        CHECK_THROWS(waits.wait());
    } else {
        run(w, w.b, take(lock_in(w.b), w.others));
        w.a.network->set_plan(testing::scripted_faults({fault{.after = 200ms}}));
        error_code code;
        run(w, w.a, code_of(take(lock_in(w.a), mine, {.wait = 50ms}), code));
        run(w, w.b, give_back(w.others));
    }
    item_guard guard;
    run(w, w.a, joins ? try_share(lock_in(w.a), guard) : try_take(lock_in(w.a), guard));
    CHECK(guard.held());
}

TEST_CASE("a try that others refuse is in doubt while a copy of it may still land") {
    const bool waits_no_time = GENERATE(false, true);
    two_processes w;
    run(w, w.b, take(lock_in(w.b), w.others));
    w.scheduler.run_for(1s);  // so that the token of the try is above that of the holder
    bool lost = false;
    w.a.network->set_plan([&](const any_request& request, const call_options&) {
        const bool loses = writes_a_till(request) && !std::exchange(lost, true);
        return fault{loses ? fault_kind::lose_request : fault_kind::pass};
    });
    item_guard guard;
    error_code code;
    auto trying = waits_no_time ? take(lock_in(w.a), guard, {.wait = 0s}) : try_take(lock_in(w.a), guard);
    run(w, w.a, code_of(std::move(trying), code));
    CHECK(lost);
    CHECK(code == errc::in_doubt);
    run(w, w.b, give_back(w.others));
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}

TEST_CASE("a wait for others that is rejected is in doubt while the transaction before it may land") {
    two_processes w;
    run(w, w.b, take(lock_of(w.b, "south"), w.others));
    std::size_t copies = 0;
    w.a.network->set_plan([&](const any_request& request, const call_options&) {
        const auto* look = std::get_if<get_item_request>(&request);
        if (look && look->table_name == "tills") {
            return fault{.what = fault_kind::fail, .answer = failure(errc::access_denied)};
        }
        const bool together = std::holds_alternative<transact_write_items_request>(request);
        const bool loses = writes_a_till(request) || (together && ++copies == 1);
        return fault{loses ? fault_kind::lose_request : fault_kind::pass};
    });
    std::vector<item_guard> guards;
    error_code code;
    run(w, w.a, code_of(take_all(every_till(w.a), guards), code));
    CHECK(copies == 2);
    CHECK(code == errc::in_doubt);
    reconnect(w.a);
    run(w, w.b, give_back(w.others));
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}

TEST_CASE("whoever goes on one by one is in doubt while the transaction before it may land") {
    two_processes w;
    std::size_t copies = 0;
    std::size_t looks = 0;
    bool closing = false;
    w.a.network->set_plan([&](const any_request& request, const call_options&) {
        const auto* look = std::get_if<get_item_request>(&request);
        if (look && look->table_name == "tills") ++looks;
        if (copies == 3 && writes_a_till(request)) closing = true;
        const bool together = std::holds_alternative<transact_write_items_request>(request);
        const bool loses = closing || (together && ++copies == 2);
        return fault{loses ? fault_kind::lose_request : fault_kind::pass};
    });
    // Refused once, and by a reader at each of three looks.
    run(w, w.b, share(lock_of(w.b, "south"), w.others));
    asio::cancellation_signal signal;
    std::optional<error_code> code;
    acquire_all(
        every_till(w.a), acquire_all_options{},
        asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, const std::vector<item_guard>&) { code = ec; }));
    w.step_until([&] { return looks == 3; });
    run(w, w.b, give_back(w.others));
    w.step_until([&] { return copies == 2; });
    run(w, w.b, take(lock_of(w.b, "south"), w.others));
    w.step_until([&] { return closing; });
    w.scheduler.run_for(10ms);
    CHECK(copies == 3);
    signal.emit(asio::cancellation_type::total);
    w.scheduler.run_for(10ms);
    REQUIRE(code);
    CHECK(*code == errc::in_doubt);
    reconnect(w.a);
    run(w, w.b, give_back(w.others));
    w.scheduler.run_for(15s);
    CHECK(w.all_unlocked());
}

TEST_CASE("each claim or release without an answer is counted by what became of it, and no write under the lock") {
    two_processes w;
    const auto counted = [&] { return w.a.session->counters(); };
    bool loses = false;
    w.a.network->set_plan([&](const any_request& request, const call_options&) {
        return fault{writes_a_till(request) && std::exchange(loses, false) ? fault_kind::lose_answer
                                                                           : fault_kind::pass};
    });
    item_guard first;
    run(w, w.a, take(lock_in(w.a), first));
    loses = true;
    run(w, w.a, add_to(first, 1));
    CHECK(counted().unknown_writes == 0);

    // Its hand-over lands, and then nobody is there any more.
    item_guard second;
    error_code code;
    running waits(w, w.a, code_of(take(lock_in(w.a), second, {.wait = 500ms}), code));
    w.scheduler.run_for(1ms);
    loses = true;
    first = {};
    waits.wait(1s);
    CHECK(code == errc::in_doubt);
    w.scheduler.run_for(5s);
    CHECK(w.all_unlocked());
    CHECK(counted().unknown_writes == 1);
    CHECK(counted().unknown_applied == 1);
}
