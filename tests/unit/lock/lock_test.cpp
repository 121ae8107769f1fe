// What a user notices of a lock: counts of requests, order, loss, and what a refusal says.
// SPDX-License-Identifier: BSL-1.0
#include "support/in_step.hpp"
#include "support/lock_steps.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> take_and_release(lock target, std::int64_t& token) {
    auto guard = co_await target.acquire();
    REQUIRE(guard.held());
    REQUIRE(guard.state() == guard_state::held);
    token = guard.fencing_token();
    co_await guard.release();
    REQUIRE_FALSE(guard.held());
    REQUIRE(guard.state() == guard_state::released);
}

/// A client that has learnt that its machine's wall clock is thirty days behind.
class corrected final : public database_backend {
public:
    explicit corrected(std::shared_ptr<database_backend> behind) : behind_(std::move(behind)) {}
    const dynalease::environment& environment() const noexcept override { return behind_->environment(); }
    wall_time wall() const noexcept override { return behind_->wall() + 30 * 24h; }
    asio::awaitable<result<any_response>> perform(any_request request, call_options options) override {
        return behind_->perform(std::move(request), options);
    }

private:
    std::shared_ptr<database_backend> behind_;
};

}  // namespace

TEST_CASE("tokens and expiries count by the service's time") {
    world w;
    node a(w);
    a.session.emplace(database(std::make_shared<corrected>(a.network)), session_options{.table = table});
    const auto now = a.environment.clock->wall().time_since_epoch() + 30 * 24h;
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    CHECK(guard.fencing_token() >= now.count());
    run(w, a, give_back(guard));
    CHECK(find_integer(w.row("lock#x"), "ttl") >= std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

TEST_CASE("a free lock costs one request to take and one to release") {
    world w;
    node a(w);
    std::int64_t first = 0;
    std::int64_t second = 0;
    run(w, a, take_and_release(lock{*a.session, "x"}, first));
    CHECK(a.requests("lock#x") == 2);
    CHECK(a.requests("session#") == 1);  // the first lease makes the session's row

    a.network->clear_log();
    run(w, a, take_and_release(lock{*a.session, "x"}, second));
    CHECK(a.network->log().size() == 2);
    CHECK(second > first);
    CHECK_FALSE(find(w.row("lock#x"), "holder"));
}

TEST_CASE("a session without leases sends nothing") {
    world w;
    node a(w);
    w.scheduler.run_for(1h);
    CHECK(a.network->log().empty());
    CHECK(a.session->state() == session_state::idle);
}

TEST_CASE("one heartbeat per period, whatever the number of leases") {
    for (const std::size_t leases : {1u, 100u}) {
        world w;
        node a(w);
        std::vector<lock_guard> guards(leases);
        for (std::size_t i = 0; i < leases; ++i) {
            run(w, a, take(lock{*a.session, "lock-" + std::to_string(i)}, guards[i]));
        }
        a.network->clear_log();
        w.scheduler.run_for(25s);
        CHECK(a.network->log().size() == 10);
        CHECK(std::all_of(guards.begin(), guards.end(), [](const auto& g) { return g.held(); }));
    }
}

TEST_CASE("inside a process the lock goes from hand to hand, in order, by one write each") {
    world w;
    node a(w);
    lock target{*a.session, "x"};
    lock_guard held;
    run(w, a, take(target, held));

    constexpr int waiting = 5;
    std::vector<lock_guard> guards(waiting);
    std::vector<std::unique_ptr<running>> waits;
    for (auto& guard : guards) waits.push_back(std::make_unique<running>(w, a, take(target, guard)));
    w.scheduler.run_for(1ms);
    a.network->clear_log();

    auto last = held.fencing_token();
    run(w, a, give_back(held));
    for (int i = 0; i < waiting; ++i) {
        waits[static_cast<std::size_t>(i)]->wait(1s);
        auto& guard = guards[static_cast<std::size_t>(i)];
        CHECK(guard.fencing_token() > last);
        last = guard.fencing_token();
        CHECK(std::count_if(guards.begin(), guards.end(), [](const auto& g) { return g.held(); }) == 1);
        if (i + 1 < waiting) run(w, a, give_back(guard));
    }
    CHECK(a.requests("lock#x") == waiting);
    CHECK(a.session->counters().hand_overs == waiting);
}

TEST_CASE("a waiting process gets the lock soon after it is released") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard first;
    lock_guard second;
    run(w, a, take(lock{*a.session, "x"}, first));
    running waits(w, b, take(lock{*b.session, "x"}, second));
    w.scheduler.run_for(30s);
    REQUIRE_FALSE(waits.done());
    const auto released = w.scheduler.now();
    const auto token = first.fencing_token();
    run(w, a, give_back(first));
    waits.wait(1s);
    CHECK(w.scheduler.now() - released < 200ms);
    CHECK(second.held());
    CHECK(second.fencing_token() > token);
}

TEST_CASE("all locks of a dead process move after one mark, within its lease and two looks") {
    world w;
    node a(w, 1);
    node b(w, 2);
    constexpr std::size_t count = 20;
    std::vector<lock_guard> held(count);
    std::vector<lock_guard> taken(count);
    for (std::size_t i = 0; i < count; ++i) run(w, a, take(lock{*a.session, std::to_string(i)}, held[i]));
    std::vector<std::unique_ptr<running>> waits;
    for (std::size_t i = 0; i < count; ++i) {
        waits.push_back(std::make_unique<running>(w, b, take(lock{*b.session, std::to_string(i)}, taken[i])));
    }
    w.scheduler.run_for(5s);
    held.clear();
    a.crash();
    const auto died = w.scheduler.now();
    for (auto& wait : waits) wait->wait(30s);
    CHECK(w.scheduler.now() - died < 10s + 2 * 1250ms + 500ms);
    CHECK(b.session->counters().marked_dead == 1);
    CHECK(b.session->counters().take_overs == count);
}

TEST_CASE("a wait that is too long ends with wait_timeout and leaves nothing behind") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard first;
    run(w, a, take(lock{*a.session, "x"}, first));

    lock_guard second;
    running waits(w, b, take(lock{*b.session, "x"}, second, {.wait = 3s}));
    const auto began = w.scheduler.now();
    try {
        waits.wait(10s);
        FAIL("it was granted");
    } catch (const error& e) {
        CHECK(e.code() == errc::wait_timeout);
        CHECK(e.condition() == condition::contended);
        CHECK(e.diagnostics().key == "x");
    }
    CHECK(w.scheduler.now() - began == 3s);
    w.scheduler.run_for(1s);
    const auto row = w.row("lock#x");
    const auto* line = find(row, "line");
    CHECK((!line || line->get_if<attribute_list>()->empty()));
    CHECK(first.held());
    CHECK(b.session->counters().resolving == 0);
}

TEST_CASE("try_acquire of a held lock gives an empty guard, and takes it once its holder is dead") {
    world w;
    node a(w, 1);
    node b(w, 2);
    lock_guard first;
    lock_guard second;
    run(w, a, take(lock{*a.session, "x"}, first));
    run(w, b, try_take(lock{*b.session, "x"}, second));
    CHECK_FALSE(second);
    CHECK(b.requests("lock#x") == 1);
    CHECK(b.requests("session#") == 2);  // its own row, and a look at the holder's

    run(w, b, try_take(lock{*b.session, "x"}, second));
    CHECK(b.requests("lock#x") == 2);

    first = {};
    a.crash();
    for (int i = 0; i < 20 && !second; ++i) {
        w.scheduler.run_for(1s);
        run(w, b, try_take(lock{*b.session, "x"}, second));
    }
    CHECK(second.held());
}

TEST_CASE("within a process a held lock is refused to a try without a request") {
    world w;
    node a(w);
    lock_guard first;
    lock_guard second;
    run(w, a, take(lock{*a.session, "x"}, first));
    a.network->clear_log();
    run(w, a, try_take(lock{*a.session, "x"}, second));
    CHECK_FALSE(second);
    CHECK(a.network->log().empty());
}

TEST_CASE("a row of a newer schema is refused and left untouched") {
    world w;
    node a(w);
    item newer{{"pk", "lock#x"}, {"sk", "-"}, {"v", 2}, {"floor", 1}};
    w.apply(put_item_request{.table_name = table, .new_item = newer});
    lock_guard guard;
    try {
        run(w, a, take(lock{*a.session, "x"}, guard));
        FAIL("it was granted");
    } catch (const error& e) {
        CHECK(e.code() == errc::unsupported_version);
        CHECK(e.condition() == condition::misconfigured);
    }
    CHECK(w.row("lock#x") == newer);

    item foreign{{"pk", "lock#y"}, {"sk", "-"}, {"colour", "blue"}};
    w.apply(put_item_request{.table_name = table, .new_item = foreign});
    CHECK_THROWS_AS(run(w, a, take(lock{*a.session, "y"}, guard)), error);
    CHECK(w.row("lock#y") == foreign);
}

TEST_CASE("a missing table is named, and the session can be used once it exists") {
    world w;
    w.apply(delete_table_request{.table_name = table});
    node a(w);
    lock_guard guard;
    try {
        run(w, a, take(lock{*a.session, "x"}, guard));
        FAIL("it was granted");
    } catch (const error& e) {
        CHECK(e.code() == errc::table_not_found);
        CHECK(e.diagnostics().operation.find("lock.acquire") != std::string::npos);
    }
    CHECK(a.session->state() == session_state::idle);
    w.apply(create_table_request{.table_name = table,
                                 .key = {.hash = {.name = "pk"}, .range = key_attribute{.name = "sk"}}});
    run(w, a, take(lock{*a.session, "x"}, guard));
    CHECK(guard.held());
}

TEST_CASE("names and options out of range are refused at once") {
    world w;
    node a(w);
    CHECK_THROWS_AS((lock{*a.session, ""}), error);
    CHECK_THROWS_AS((lock{*a.session, std::string(2049, 'x')}), error);
    CHECK_NOTHROW(lock{*a.session, std::string(2043, 'x')});
    CHECK_THROWS_AS((lock{*a.session, "x", {.poll_interval = 1ms}}), error);
    const auto refused = [&](session_options options) {
        try {
            session made(database(a.network), std::move(options));
            return std::string("accepted");
        } catch (const error& e) {
            CHECK(e.condition() == condition::misconfigured);
            return e.diagnostics().message;
        }
    };
    CHECK(refused({.table = ""}).find("table") != std::string::npos);
    CHECK(refused({.table = "a/b"}).find("table") != std::string::npos);
    CHECK(refused({.table = table, .lease = 10s, .heartbeat = 4s}).find("three heartbeats") != std::string::npos);
    CHECK(refused({.table = table, .lease = 10ms}).find("lease") != std::string::npos);
    CHECK(refused({.table = table, .retention = 1h}).find("retention") != std::string::npos);
    CHECK(refused({.table = table, .clock_drift_ppm = 200'000}).find("drift") != std::string::npos);
    CHECK(refused({.table = table, .lease = 9s, .heartbeat = 3s}) == "accepted");
}

TEST_CASE("who waits alone for a lock that another process takes again and again is not kept out by being in step") {
    world w;
    const in_step played(w, [](node& in) { return lock{*in.session, "x"}; });
    CHECK(played.grants() >= 30);
    CHECK(played.requests() <= 10 * played.grants());
}
