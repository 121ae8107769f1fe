// Sessions without a row: each lock is kept alive by itself, and taken over by those who saw it stand still.
#include "till.hpp"

#include <dynalease/lock.hpp>
#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

item_lock lock_in(node& in) {
    return item_lock{*in.session, till()};
}

asio::awaitable<void> commit(std::vector<item_commit> parts) {
    co_await commit_all(std::move(parts));
}

void hide_answers(node& in) {
    in.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{testing::fault::kind::lose_request}; });
}

asio::awaitable<void> wait_until_lost(const item_guard& guard, std::optional<error_code>& told) {
    auto done = co_await guard.lost(as_tuple);
    told = std::get<0>(done);
}

}  // namespace

TEST_CASE("a plain session writes nothing of its own: lock and release are two writes in all") {
    till_world w;
    const auto a = plain_node(w, 1);
    CHECK(a->session->state() == session_state::live);
    item_guard guard;
    run(w, *a, take(lock_in(*a), guard));
    CHECK(guard.valid());
    CHECK(find_string(w.stored(), "_lockW")->starts_with(a->session->id()));
    run(w, *a, give_back(guard));
    CHECK(a->network->log().size() == 2);
    CHECK(w.unlocked());
    CHECK(a->session->counters().leases_held == 0);
}

TEST_CASE("a plain lock is renewed by one write every third of its lease, and stays ours") {
    till_world w;
    const auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    item_guard mine;
    item_guard theirs;
    run(w, *a, take(lock_in(*a), mine));
    running waits(w, *b, take(lock_in(*b), theirs));
    a->network->clear_log();
    const auto end = w.scheduler.now() + 60s;
    while (w.scheduler.now() < end && w.scheduler.step()) REQUIRE(mine.valid());
    CHECK(a->network->log().size() >= 29);
    CHECK(a->network->log().size() <= 31);
    CHECK(*find_integer(w.stored(), "version") == 7);
    CHECK_FALSE(waits.done());
    const auto token = mine.fencing_token();
    run(w, *a, give_back(mine));
    waits.wait(2s);
    CHECK(theirs.fencing_token() > token);
}

TEST_CASE("a caller's own write renews a plain lock as well as any") {
    till_world w;
    const auto a = plain_node(w, 1);
    item_guard guard;
    run(w, *a, take(lock_in(*a), guard));
    a->network->clear_log();
    for (int i = 0; i < 30; ++i) {
        run(w, *a, add_to(guard, 1));
        w.scheduler.run_for(1500ms);
    }
    CHECK(a->network->log().size() == 30);
    CHECK(guard.valid());
    CHECK(w.amount() == 30);
}

TEST_CASE("a caller's write waits for a renewal under way, and both are done") {
    till_world w;
    const auto a = plain_node(w, 1);
    item_guard guard;
    run(w, *a, take(lock_in(*a), guard));
    a->network->set_plan([&](const any_request& request, const call_options& how) {
        testing::fault slow{};
        if (is_write(request) && how.lane == lane::heartbeat) slow.after = 300ms;
        return slow;
    });
    a->network->clear_log();
    while (a->network->log().empty()) w.scheduler.step();
    run(w, *a, add_to(guard, 5));
    CHECK(w.amount() == 5);
    CHECK(a->network->log().size() == 2);
    CHECK(guard.valid());
}

TEST_CASE("a write that waits for a renewal without answer is not done, and not taken for the renewal's own step") {
    const auto how = GENERATE(0, 1, 2);
    till_world w;
    const auto a = plain_node(w, 1);
    item_guard guard;
    run(w, *a, take(lock_in(*a), guard));
    a->network->set_plan([](const any_request&, const call_options& options) {
        using kind = testing::fault::kind;
        return testing::fault{options.lane == lane::heartbeat ? kind::lose_answer : kind::pass};
    });
    a->network->clear_log();
    while (a->network->log().empty()) w.scheduler.step();
    const auto write = [&]() -> asio::awaitable<void> {
        if (how == 0) return add_to(guard, 5);
        if (how == 1) return add_and_release(guard, 5);
        std::vector<item_commit> parts(1);
        parts[0].guard = std::move(guard);
        parts[0].change = add("amount", 5);
        return commit(std::move(parts));
    };
    error_code code;
    run(w, *a, code_of(write(), code));
    CHECK(code == errc::lock_lost);
    a->network->set_plan({});
    w.scheduler.run_for(30s);
    CHECK(w.amount() == 0);
    CHECK(w.unlocked());
}

TEST_CASE("a plain writer that waits for a reader keeps further ones out for as long as it waits") {
    till_world w;
    const auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    const auto c = plain_node(w, 3);
    item_guard reader;
    item_guard writer;
    item_guard late;
    run(w, *a, share(lock_in(*a), reader));
    running waits(w, *b, take(lock_in(*b), writer));
    w.scheduler.run_for(1s);
    running comes_late(w, *c, share(lock_in(*c), late));
    w.scheduler.run_for(40s);
    CHECK_FALSE(waits.done());
    CHECK_FALSE(comes_late.done());
    run(w, *a, give_back(reader));
    waits.wait(2s);
    CHECK_FALSE(late);
    run(w, *b, give_back(writer));
    comes_late.wait(2s);
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
        REQUIRE(one.valid());
        REQUIRE(two.valid());
    }
    CHECK_FALSE(wants.done());
    CHECK(w.stored().at("_lockR").get_if<string_set>()->size() == 1);
    // The fence names the entry that stands there now.
    const auto fence = one.fence();
    CHECK(*w.stored().at("_lockR").get_if<string_set>()->begin() == *fence.values.at(":reader").get_if<std::string>());
    run(w, *a, give_back(one));
    run(w, *a, give_back(two));
    wants.wait(2s);
    CHECK(writer.valid());
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
    while (w.scheduler.now() < end && w.scheduler.step()) REQUIRE(reader.valid());
    CHECK_FALSE(writes.done());
    run(w, *b, give_back(reader));
    writes.wait(2s);
}

TEST_CASE("the item of a dead plain holder is taken over when it has stood still for a lease, and not before") {
    const bool as_reader = GENERATE(false, true);
    till_world w;
    auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    item_guard first;
    item_guard second;
    run(w, *a, as_reader ? share(lock_in(*a), first) : take(lock_in(*a), first));
    const auto token = first.fencing_token();
    first = {};
    a->crash();
    const auto seen = w.scheduler.now();
    run(w, *b, take(lock_in(*b), second), 1min);
    CHECK(w.scheduler.now() - seen >= 6s);
    CHECK(w.scheduler.now() - seen <= 6100ms);
    CHECK(second.fencing_token() > token);
    CHECK(b->session->counters().take_overs == 1);
}

TEST_CASE("tries of a plain lock take it over too, once they have seen it stand still") {
    till_world w;
    auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    item_guard first;
    item_guard second;
    const auto lock = lock_in(*b);
    run(w, *a, take(lock_in(*a), first));
    first = {};
    a->crash();
    run(w, *b, try_take(lock, second));
    CHECK_FALSE(second);
    w.scheduler.run_for(5900ms);
    run(w, *b, try_take(lock, second));
    CHECK_FALSE(second);
    w.scheduler.run_for(200ms);
    run(w, *b, try_take(lock, second));
    CHECK(second.valid());
}

TEST_CASE("a plain guard is at risk, then lost, at its own deadline and before anybody can take it") {
    till_world w;
    const auto drift = GENERATE(-900, 0, 900);
    const auto a = plain_node(w, 1, {.lease = 6s}, {.drift_ppm = drift});
    const auto b = plain_node(w, 2, {.lease = 6s}, {.drift_ppm = -drift});
    item_guard mine;
    item_guard theirs;
    run(w, *a, take(lock_in(*a), mine));
    std::optional<error_code> told;
    running tells(w, *a, wait_until_lost(mine, told));
    hide_answers(*a);
    running waits(w, *b, take(lock_in(*b), theirs));
    bool was_at_risk = false;
    while (!theirs) {
        REQUIRE(w.scheduler.step());
        was_at_risk = was_at_risk || mine.state() == guard_state::at_risk;
        REQUIRE_FALSE((mine.valid() && theirs.valid()));
    }
    CHECK(was_at_risk);
    CHECK(mine.state() == guard_state::lost);
    REQUIRE(told);
    CHECK_FALSE(*told);
    CHECK(a->session->state() == session_state::live);
    error_code code;
    run(w, *a, code_of(add_to(mine, 1), code));
    CHECK(code == errc::lock_lost);
    CHECK(w.amount() == 0);
    a->network->set_plan({});
    w.scheduler.run_for(1min);
    CHECK(theirs.valid());
}

TEST_CASE("what a plain session lost and nobody took is given back when the network is there again") {
    till_world w;
    const auto a = plain_node(w, 1);
    item_guard mine;
    run(w, *a, take(lock_in(*a), mine));
    hide_answers(*a);
    w.scheduler.run_for(10s);
    CHECK(mine.state() == guard_state::lost);
    CHECK_FALSE(w.unlocked());
    a->network->set_plan({});
    w.scheduler.run_for(15s);
    CHECK(w.unlocked());
    CHECK(a->session->counters().lost == 1);
    CHECK(a->session->counters().leases_held == 0);
}

TEST_CASE("without renewal a plain lock lasts a lease from the last write under it") {
    till_world w;
    const auto a = plain_node(w, 1, {.lease = 6s, .renew = false});
    item_guard guard;
    run(w, *a, take(lock_in(*a), guard));
    w.scheduler.run_for(4s);
    run(w, *a, add_to(guard, 1));
    w.scheduler.run_for(5s);
    CHECK(guard.state() == guard_state::held);
    w.scheduler.run_for(1s);
    CHECK(guard.state() == guard_state::lost);
    w.scheduler.run_for(1s);
    CHECK(w.unlocked());
    CHECK(a->session->counters().heartbeats_sent == 0);
}

TEST_CASE("a plain holder that was paused beyond its lease finds its guard invalid and its write refused") {
    till_world w;
    const auto a = plain_node(w, 1);
    const auto b = plain_node(w, 2);
    item_guard mine;
    item_guard theirs;
    run(w, *a, take(lock_in(*a), mine));
    a->process->pause();
    run(w, *b, take(lock_in(*b), theirs), 1min);
    CHECK_FALSE(mine.valid());
    a->process->resume();
    error_code code;
    run(w, *a, code_of(add_to(mine, 1), code));
    CHECK(code == errc::lock_lost);
    w.scheduler.run_for(30s);
    CHECK(theirs.valid());
}

TEST_CASE("plain sessions and sessions with a row respect one another, and a dead plain one is taken over") {
    till_world w;
    auto plain = plain_node(w, 1);
    auto with_row = std::make_unique<node>(w, 2);
    item_guard first;
    item_guard second;
    run(w, *with_row, take(lock_in(*with_row), first));
    error_code code;
    run(w, *plain, code_of(take(lock_in(*plain), second, {.wait = 20s}), code));
    CHECK(code == errc::wait_timeout);
    run(w, *with_row, give_back(first));
    run(w, *plain, take(lock_in(*plain), second));
    second = {};
    plain->crash();
    run(w, *with_row, take(lock_in(*with_row), first), 1min);
    CHECK(first.valid());
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
    CHECK(guards[0].valid());
    CHECK(guards[1].valid());
    std::vector<item_commit> parts;
    for (auto& guard : guards) parts.push_back({.guard = std::move(guard), .change = add("amount", 3)});
    run(w, *a, commit(std::move(parts)));
    CHECK(w.amount("north") == 3);
    CHECK(w.amount("south") == 3);
    CHECK(w.unlocked("north"));
    CHECK(w.unlocked("south"));
}

TEST_CASE("closing a plain session gives its items back, and nothing goes on") {
    till_world w;
    const auto a = plain_node(w, 1);
    item_guard mine;
    run(w, *a, take(lock_in(*a), mine));
    const auto close = [](session& closing) -> asio::awaitable<void> {
        auto report = co_await closing.close();
        CHECK(report.released == 1);
        CHECK(report.failed.empty());
    };
    run(w, *a, close(*a->session));
    CHECK(mine.state() == guard_state::released);
    CHECK(w.unlocked());
    while (w.scheduler.step()) {
    }
    CHECK(a->network->log().size() == 2);
    item_guard again;
    error_code code;
    run(w, *a, code_of(take(lock_in(*a), again), code));
    CHECK(code == errc::session_closed);
}

TEST_CASE("a plain session that reaches nobody says so after a lease") {
    till_world w;
    const auto a = plain_node(w, 1);
    hide_answers(*a);
    item_guard mine;
    error_code code;
    run(w, *a, code_of(take(lock_in(*a), mine), code), 1min);
    CHECK(code);
    CHECK_FALSE(mine);
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

TEST_CASE("a last write that outlives its plain grant does not end the next one of the process") {
    till_world w;
    const auto a = plain_node(w, 1);
    item_guard first;
    item_guard second;
    run(w, *a, take(lock_in(*a), first));
    running waits(w, *a, take(lock_in(*a), second));
    // No answer reaches its caller, and nothing reaches the table, until the lease is over.
    hide_answers(*a);
    error_code code;
    running writes(w, *a, code_of(add_and_release(first, 5), code));
    w.scheduler.run_for(7s);
    a->network->set_plan({});
    waits.wait(10s);
    writes.wait(20s);
    CHECK(code == errc::in_doubt);
    w.scheduler.run_for(5s);
    CHECK(second.valid());
    run(w, *a, add_to(second, 1));
    CHECK(w.amount() == 1);
}
