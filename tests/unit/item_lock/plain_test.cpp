// Sessions without a row: each lock is kept alive by itself.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <dynalease/lock.hpp>
#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

/// One reads the item, for a writer and a reader of other processes that come later.
struct read_till : till_world {
    read_till() { run(*this, *a, share(lock_in(*a), reader)); }

    const std::unique_ptr<node> a = plain_node(*this, 1);
    const std::unique_ptr<node> b = plain_node(*this, 2);
    const std::unique_ptr<node> c = plain_node(*this, 3);
    item_guard reader;
    item_guard writer;
    item_guard late;
};

}  // namespace

TEST_CASE("a plain session writes nothing of its own: lock and release are two writes in all") {
    till_world w;
    const auto a = plain_node(w, 1);
    CHECK(a->session->state() == session_state::live);
    item_guard guard;
    run(w, *a, take(lock_in(*a), guard));
    CHECK(guard.held());
    CHECK(find_string(w.stored(), "_lockW")->starts_with(a->session->id()));
    run(w, *a, give_back(guard));
    CHECK(a->network->log().size() == 2);
    CHECK(w.unlocked());
    CHECK(a->session->counters().leases_held == 0);
}

TEST_CASE("a plain lock is renewed by one write every third of its lease, and stays ours") {
    plain_till w;
    const auto b = plain_node(w, 2);
    item_guard theirs;
    running waits(w, *b, take(lock_in(*b), theirs));
    w.a->network->clear_log();
    const auto end = w.scheduler.now() + 60s;
    while (w.scheduler.now() < end && w.scheduler.step()) REQUIRE(w.mine.held());
    CHECK(w.a->network->log().size() >= 29);
    CHECK(w.a->network->log().size() <= 31);
    CHECK(*find_integer(w.stored(), "version") == 7);
    CHECK_FALSE(waits.done());
    const auto token = w.mine.fencing_token();
    run(w, *w.a, give_back(w.mine));
    waits.wait(2s);
    CHECK(theirs.fencing_token() > token);
}

TEST_CASE("a caller's own write renews a plain lock as well as any") {
    plain_till w;
    w.a->network->clear_log();
    for (int i = 0; i < 30; ++i) {
        run(w, *w.a, add_to(w.mine, 1));
        w.scheduler.run_for(1500ms);
    }
    CHECK(w.a->network->log().size() == 30);
    CHECK(w.mine.held());
    CHECK(w.amount() == 30);
}

TEST_CASE("a caller's write waits for a renewal under way, and both are done") {
    plain_till w;
    w.a->network->set_plan([&](const any_request& request, const call_options& how) {
        testing::fault slow{};
        if (is_write(request) && how.lane == lane::heartbeat) slow.after = 300ms;
        return slow;
    });
    w.a->network->clear_log();
    while (w.a->network->log().empty()) w.scheduler.step();
    run(w, *w.a, add_to(w.mine, 5));
    CHECK(w.amount() == 5);
    CHECK(w.a->network->log().size() == 2);
    CHECK(w.mine.held());
}

TEST_CASE("a plain writer that waits for a reader keeps further ones out for as long as it waits") {
    read_till w;
    running waits(w, *w.b, take(lock_in(*w.b), w.writer));
    w.scheduler.run_for(1s);
    running comes_late(w, *w.c, share(lock_in(*w.c), w.late));
    w.scheduler.run_for(40s);
    CHECK_FALSE(waits.done());
    CHECK_FALSE(comes_late.done());
    run(w, *w.a, give_back(w.reader));
    waits.wait(2s);
    CHECK_FALSE(w.late);
    run(w, *w.b, give_back(w.writer));
    comes_late.wait(2s);
}

TEST_CASE("the intent of a plain writer lives as long as it waits, however rarely its lock is to be looked at") {
    read_till w;
    // Its looks and its writes come a little late.
    w.b->network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{.before = 100ms, .after = 100ms}; });
    const item_lock rarely{*w.b->session, till(), {.poll_interval = 20s, .longest_poll_interval = 20s}};
    const running waits(w, *w.b, take(rarely, w.writer));
    while (!w.stored().contains("_lockI")) REQUIRE(w.scheduler.step());
    const running comes_late(w, *w.c, share(lock_in(*w.c), w.late));
    w.scheduler.run_for(40s);
    CHECK_FALSE(waits.done());
    CHECK_FALSE(comes_late.done());
}

TEST_CASE("readers with plain sessions are renewed too, by an entry that succeeds the last one") {
    till_world w;
    const auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    item_guard one;
    item_guard two;
    item_guard writer;
    run(w, *a, share(lock_in(*a), one));
    run(w, *a, share(lock_in(*a), two));
    run(w, *b, share(lock_in(*b), writer));
    running waits(w, *b, give_back(writer));
    waits.wait();
    running wants(w, *b, take(lock_in(*b), writer));
    const auto end = w.scheduler.now() + 40s;
    while (w.scheduler.now() < end && w.scheduler.step()) {
        REQUIRE(one.held());
        REQUIRE(two.held());
    }
    CHECK_FALSE(wants.done());
    CHECK(w.stored().at("_lockR").get_if<string_set>()->size() == 1);
    // The fence names the entry that stands there now.
    const auto fence = one.fence();
    CHECK(*w.stored().at("_lockR").get_if<string_set>()->begin() == *fence.values.at(":reader").get_if<std::string>());
    run(w, *a, give_back(one));
    run(w, *a, give_back(two));
    wants.wait(2s);
    CHECK(writer.held());
    run(w, *b, give_back(writer));
    CHECK(w.unlocked());
}

TEST_CASE("a reader whose process meant to write before is not taken for its own old intent") {
    till_world w;
    const auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    const auto c = plain_node(w, 3);
    item_guard first;
    item_guard none;
    item_guard reader;
    item_guard writer;
    run(w, *a, share(lock_in(*a), first));
    error_code code;
    running gives_up(w, *b, code_of(take(lock_in(*b), none, {.wait = 5s}), code));
    w.scheduler.run_for(100ms);
    running reads(w, *b, share(lock_in(*b), reader));
    running writes(w, *c, take(lock_in(*c), writer));
    gives_up.wait(6s);
    reads.wait(2s);
    run(w, *a, give_back(first));
    const auto end = w.scheduler.now() + 20s;
    while (w.scheduler.now() < end && w.scheduler.step()) REQUIRE(reader.held());
    CHECK_FALSE(writes.done());
    run(w, *b, give_back(reader));
    writes.wait(2s);
}

TEST_CASE("without renewal a plain lock lasts a lease from the last write under it") {
    plain_till w({.lease = 6s, .renew = false});
    w.scheduler.run_for(4s);
    run(w, *w.a, add_to(w.mine, 1));
    w.scheduler.run_for(5s);
    CHECK(w.mine.state() == guard_state::held);
    w.scheduler.run_for(1s);
    CHECK(w.mine.state() == guard_state::lost);
    w.scheduler.run_for(1s);
    CHECK(w.unlocked());
    CHECK(w.a->session->counters().heartbeats_sent == 0);
}

TEST_CASE("each renewal of a plain session's lock counts as a heartbeat, and each of its answers") {
    till_world w;
    const auto a = plain_node(w, 1);
    item_guard guard;
    run(w, *a, take(lock_in(*a), guard));
    const auto before = a->requests("north");
    w.scheduler.run_for(20s);
    const auto renewals = a->requests("north") - before;
    CHECK(guard.held());
    CHECK(renewals > 3);
    CHECK(a->session->counters().heartbeats_sent == renewals);
    CHECK(a->session->counters().heartbeats_acknowledged == renewals);
}

TEST_CASE("several items are taken, kept and committed together under a plain session") {
    till_world w;
    w.put({{"id", "south"}, {"amount", 0}, {"version", 7}});
    const auto a = plain_node(w, 1);
    std::vector<item_guard> guards;
    std::vector<item_demand> wanted;
    for (const auto* which : {"north", "south"}) wanted.push_back({item_lock{*a->session, till(which)}, false});
    run(w, *a, take_all(std::move(wanted), guards));
    w.scheduler.run_for(1min);
    REQUIRE(guards.size() == 2);
    CHECK(guards[0].held());
    CHECK(guards[1].held());
    std::vector<item_commit> parts;
    for (auto& guard : guards) parts.push_back({.guard = std::move(guard), .change = add("amount", 3)});
    run(w, *a, commit(std::move(parts)));
    CHECK(w.amount("north") == 3);
    CHECK(w.amount("south") == 3);
    CHECK(w.unlocked("north"));
    CHECK(w.unlocked("south"));
}

TEST_CASE("closing a plain session gives its items back, and nothing goes on") {
    plain_till w;
    const auto close = [](session& closing) -> asio::awaitable<void> {
        auto report = co_await closing.close();
        CHECK(report.released == 1);
        CHECK(report.failed.empty());
    };
    run(w, *w.a, close(*w.a->session));
    CHECK(w.mine.state() == guard_state::released);
    CHECK(w.unlocked());
    while (w.scheduler.step()) {
    }
    CHECK(w.a->network->log().size() == 2);
    item_guard again;
    error_code code;
    run(w, *w.a, code_of(take(lock_in(*w.a), again), code));
    CHECK(code == errc::session_closed);
}

TEST_CASE("a lock or a queue needs a session with a row, and says so") {
    world w;
    const auto a = plain_node(w, 1);
    for (const bool queues : {false, true}) {
        try {
            if (queues) {
                const dynalease::queue made{*a->session, "entity"};
            } else {
                const dynalease::lock made{*a->session, "name"};
            }
            FAIL("it was made");
        } catch (const dynalease::error& e) {
            CHECK(e.code() == errc::invalid_option);
            CHECK(e.diagnostics().message.find("plain session") != std::string::npos);
        }
    }
    for (const auto lease : {std::chrono::milliseconds(999), std::chrono::milliseconds(1h + 1ms)}) {
        CHECK_THROWS_AS(session(database(a->network), plain_session_options{.lease = lease}), dynalease::error);
    }
}
