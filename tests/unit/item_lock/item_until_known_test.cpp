// A caller that waits for an item only until it is known whether those who have it live.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

constexpr auto lease = 10s;
constexpr auto heartbeat = lease / 4;
/// From a heartbeat to the look that sees it, at the latest.
constexpr auto next_look = lease / 8 + 200ms;

/// Some have the item; every other process is begun for one call.
struct asked_till : till_world {
    /// @returns a call that goes on
    std::unique_ptr<running> ask(node& process, bool shared = false) {
        const item_acquire_options options{.wait = until_known};
        auto call = shared ? share(lock_in(process), got, options) : take(lock_in(process), got, options);
        return std::make_unique<running>(*this, process, code_of(std::move(call), told));
    }
    /// Its only call in its life. @returns how long it took
    std::chrono::nanoseconds call_of(node& process, bool shared = false) {
        const auto began = scheduler.now();
        ask(process, shared)->wait();
        return scheduler.now() - began;
    }
    bool contended() const { return told == errc::wait_timeout && told == condition::contended && !got; }
    bool granted() const { return !told && got.held(); }

    item_guard got;
    error_code told;
};

/// One writes it.
struct written_till : asked_till {
    written_till() { run(*this, *writer, take(lock_in(*writer), mine)); }
    void kill_writer() {
        mine = {};
        writer->crash();
    }
    std::optional<node> writer{std::in_place, *this, 1};
    item_guard mine;
};

/// Two read it.
struct shared_till : asked_till {
    shared_till() {
        run(*this, *one, share(lock_in(*one), first));
        run(*this, *two, share(lock_in(*two), second));
    }
    std::optional<node> one{std::in_place, *this, 1};
    std::optional<node> two{std::in_place, *this, 2};
    item_guard first;
    item_guard second;
};

}  // namespace

TEST_CASE("a free item is taken at once by who would wait until it is known whether anybody lives") {
    const auto shared = GENERATE(false, true);
    asked_till w;
    node a(w, 1);
    CHECK(w.call_of(a, shared) == 0s);
    CHECK(w.granted());
    CHECK(a.requests("north") == 1);
}

TEST_CASE("a writer that lives is known by its next heartbeat, and nothing is left in the item") {
    const auto shared = GENERATE(false, true);
    for (const auto since : {100ms, 700ms, 1300ms, 2400ms}) {
        written_till w;
        w.scheduler.run_for(since);
        node other(w, 2);
        const auto took = w.call_of(other, shared);
        CHECK(w.contended());
        CHECK(took <= heartbeat + next_look);
        CHECK(w.mine.held());
        CHECK_FALSE(w.stored().contains("_lockI"));
        // The refused write; then, each eighth of the lease, the item and the writer's session.
        CHECK(other.requests("north") <= 5);
        CHECK(other.requests("session#" + w.writer->session->id()) <= 5);
    }
}

TEST_CASE("a dead writer's item is taken over by the first who asks, though none lives longer than its call") {
    const auto shared = GENERATE(false, true);
    written_till w;
    w.scheduler.run_for(4s);
    w.kill_writer();
    node other(w, 2);
    const auto took = w.call_of(other, shared);
    CHECK(w.granted());
    CHECK(w.got.exclusive() != shared);
    CHECK(took >= lease);
    CHECK(took <= lease + 1s);
}

TEST_CASE("the readers of an item are known by the first of them that lives") {
    shared_till w;
    w.scheduler.run_for(4s);
    w.one->crash();
    node other(w, 3);
    CHECK(w.call_of(other) <= heartbeat + next_look);
    CHECK(w.contended());
    CHECK(w.second.held());
    CHECK_FALSE(w.stored().contains("_lockI"));
}

TEST_CASE("dead readers are known together, after one lease") {
    shared_till w;
    w.scheduler.run_for(4s);
    w.one->crash();
    w.two->crash();
    node other(w, 3);
    const auto took = w.call_of(other);
    CHECK(w.granted());
    CHECK(took >= lease);
    CHECK(took <= lease + 1s);
}

TEST_CASE("who asks to read joins those who do") {
    shared_till w;
    node other(w, 3);
    CHECK(w.call_of(other, true) == 0s);
    CHECK(w.granted());
}

TEST_CASE("a dead writer that waits for dead readers is known with them") {
    const auto shared = GENERATE(false, true);
    shared_till w;
    std::optional<node> writer(std::in_place, w, 3);
    item_guard never;
    auto waits = std::make_optional<running>(w, *writer, take(lock_in(*writer), never));
    w.scheduler.run_for(4s);
    REQUIRE(w.stored().contains("_lockI"));
    writer->crash();
    if (!shared) {
        w.one->crash();
        w.two->crash();
    }
    node other(w, 4);
    const auto took = w.call_of(other, shared);
    CHECK(w.granted());
    CHECK(took >= lease);
    CHECK(took <= lease + 1s);
}

TEST_CASE("a reader asks of a writer that waits for the readers of its own process, too") {
    const auto dies = GENERATE(false, true);
    shared_till w;
    std::optional<node> writer(std::in_place, w, 3);
    item_guard never;
    auto waits = std::make_optional<running>(w, *writer, take(lock_in(*writer), never));
    w.scheduler.run_for(4s);
    REQUIRE(w.stored().contains("_lockI"));
    if (dies) writer->crash();
    const auto took = w.call_of(*w.one, true);
    CHECK(w.granted() == dies);
    CHECK(w.contended() != dies);
    CHECK(took <= (dies ? lease + 1s : heartbeat + next_look));
}

TEST_CASE("an item that its living holder gives back meanwhile is not taken") {
    const auto shared = GENERATE(false, true);
    written_till w;
    w.scheduler.run_for(100ms);
    node other(w, 2);
    const auto call = w.ask(other, shared);
    w.scheduler.run_for(300ms);
    run(w, *w.writer, give_back(w.mine));
    call->wait(next_look);
    CHECK(w.contended());
    CHECK(w.unlocked());
}

TEST_CASE("what a holder writes under its lock shows that it lives") {
    written_till w;
    w.scheduler.run_for(100ms);
    node other(w, 2);
    const auto call = w.ask(other);
    w.scheduler.run_for(300ms);
    run(w, *w.writer, add_to(w.mine, 1));
    call->wait(next_look);
    CHECK(w.contended());
    CHECK(w.mine.held());
}

TEST_CASE("a plain session's lock is known by its own text, which it renews") {
    const auto shared = GENERATE(false, true);
    for (const auto since : {100ms, 1500ms}) {
        asked_till w;
        const auto a = plain_node(w, 1);
        item_guard mine;
        run(w, *a, take(lock_in(*a), mine));
        w.scheduler.run_for(since);
        node other(w, 2);
        const auto took = w.call_of(other, shared);
        CHECK(w.contended());
        CHECK(took <= 6s / 3 + 6s / 8 + 200ms);
        CHECK(mine.held());
        CHECK(other.requests("north") <= 5);
    }
}

TEST_CASE("a plain session's readers are known by their texts as well") {
    asked_till w;
    const auto a = plain_node(w, 1);
    item_guard mine;
    run(w, *a, share(lock_in(*a), mine));
    w.scheduler.run_for(1s);
    const auto other = plain_node(w, 2);
    CHECK(w.call_of(*other) <= 6s / 3 + 6s / 8 + 200ms);
    CHECK(w.contended());
    CHECK(mine.held());
}

TEST_CASE("a plain session's lock that stands still for its lease is taken over, by either kind of session") {
    const auto plain = GENERATE(false, true);
    asked_till w;
    const auto a = plain_node(w, 1);
    item_guard mine;
    run(w, *a, take(lock_in(*a), mine));
    w.scheduler.run_for(4s);
    a->crash();
    const auto other = plain ? plain_node(w, 2) : std::make_unique<node>(w, 2);
    const auto took = w.call_of(*other);
    CHECK(w.granted());
    CHECK(took >= 6s);
    CHECK(took <= 7s);
}

TEST_CASE("of whom nothing can ever be known nothing is waited for") {
    written_till w;
    SECTION("a session with a row, which a plain one cannot look at") {
        const auto other = plain_node(w, 2);
        CHECK(w.call_of(*other) < 1s);
        CHECK(w.mine.held());
    }
    SECTION("a program of another make") {
        run(w, *w.writer, give_back(w.mine));
        w.put({{"id", "north"}, {"amount", 0}, {"_lockW", "somebody"}});
        node other(w, 2);
        CHECK(w.call_of(other) < 1s);
    }
    SECTION("a transaction") {
        run(w, *w.writer, give_back(w.mine));
        w.put({{"id", "north"}, {"amount", 0}, {"_TxId", "somebody's"}});
        node other(w, 2);
        CHECK(w.call_of(other) < 1s);
    }
    CHECK(w.contended());
}

TEST_CASE("what this very process holds is known to be held, whoever asks for it") {
    written_till w;
    const auto before = w.writer->network->log().size();
    CHECK(w.call_of(*w.writer) == 0s);
    CHECK(w.contended());
    CHECK(w.writer->network->log().size() == before);
}

TEST_CASE("a holder that stood still, and beats again, lives, of items too") {
    written_till w;
    w.scheduler.run_for(1s);
    w.writer->process->pause();
    node other(w, 2);
    const auto call = w.ask(other);
    w.scheduler.run_for(8s);
    CHECK_FALSE(call->done());
    w.writer->process->resume();
    call->wait(next_look);
    CHECK(w.contended());
    CHECK(w.mine.held());
}

TEST_CASE("what was seen an hour ago of who has an item says nothing of now") {
    written_till w;
    node other(w, 2);
    w.call_of(other);
    w.scheduler.run_for(1h);
    w.kill_writer();
    w.told = {};
    const auto took = w.call_of(other);
    CHECK(w.granted());
    CHECK(took >= lease);
    CHECK(took <= lease + 1s);
}

TEST_CASE("who waits behind one that asks is served after it") {
    written_till w;
    w.scheduler.run_for(1s);
    node other(w, 2);
    const auto call = w.ask(other);
    item_guard patient;
    running waits(w, other, take(lock_in(other), patient));
    call->wait(heartbeat + next_look);
    CHECK(w.contended());
    CHECK_FALSE(waits.done());
    run(w, *w.writer, give_back(w.mine));
    waits.wait(5s);
    CHECK(patient.held());
}

TEST_CASE("who asks for an item bears trouble for a lease, and is told of it then") {
    written_till w;
    node other(w, 2);
    const auto call = w.ask(other);
    w.scheduler.run_for(200ms);
    other.network->set_plan([](const any_request&, const call_options&) {
        return testing::fault{.what = testing::fault::kind::fail, .answer = failure(errc::unreachable)};
    });
    w.scheduler.run_for(lease / 2);
    CHECK_FALSE(call->done());
    call->wait(lease);
    CHECK(w.told == condition::unreachable);
}

TEST_CASE("several items are not asked for so") {
    const auto one_by_one = GENERATE(false, true);
    tills_world w;
    node a(w, 1);
    const auto ask = [](node& in, bool singly) -> asio::awaitable<void> {
        const acquire_all_options options{.wait = until_known, .one_by_one = singly};
        auto wanted = every_till(in);
        diagnostics told;
        const auto done = co_await acquire_all(std::move(wanted), options, told, as_tuple);
        CHECK(std::get<0>(done) == errc::invalid_option);
        CHECK(told.message.find("until_known") != std::string::npos);
    };
    run(w, a, ask(a, one_by_one));
    CHECK(a.network->log().empty());
}

TEST_CASE("whoever waits for an item behind one who asks keeps his pace, however rarely that one looks") {
    till_world w;
    node holder(w, 1, {}, {.table = table, .lease = 1h});
    node other(w, 2);
    item_guard held;
    run(w, holder, take(lock_in(holder), held));
    item_guard none;
    item_guard patient;
    error_code told;
    running asks(w, other, code_of(take(lock_in(other), none, {.wait = until_known}), told));
    w.scheduler.run_for(100ms);
    running waits(w, other, take(lock_in(other), patient));
    w.scheduler.run_for(10s);
    CHECK(other.requests("north") < 60);
    run(w, holder, give_back(held));
    waits.wait(2s);
    CHECK(patient.held());
    asks.wait(1s);
    CHECK(told == errc::wait_timeout);
}

TEST_CASE("whoever waits for several items, of which another asks for one, waits no longer than for that one alone") {
    tills_world w;
    node holder(w, 1, {}, {.table = table, .lease = 1h});
    node other(w, 2);
    item_guard held;
    run(w, holder, take(lock_of(holder, "south"), held));
    item_guard none;
    std::vector<item_guard> all;
    error_code told;
    running asks(w, other, code_of(take(lock_of(other, "south"), none, {.wait = until_known}), told));
    w.scheduler.run_for(100ms);
    running waits(w, other, take_all(every_till(other), all));
    w.scheduler.run_for(10s);
    CHECK(other.requests("south") < 60);
    run(w, holder, give_back(held));
    waits.wait(3s);
    CHECK(all_valid(all));
    asks.wait(1s);
    CHECK(told == errc::wait_timeout);
}
