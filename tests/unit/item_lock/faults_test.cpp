// Under faults: every guarded write exactly once or in doubt, one writer at a time, and nothing left behind.
// SPDX-License-Identifier: BSL-1.0
#include "support/lost_answers.hpp"
#include "support/till.hpp"

#include <dynalease/lock.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <map>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

enum class kept_by { session, item, either };

std::unique_ptr<node> one_process(world& where, std::uint64_t seed, testing::virtual_clock_options clock, bool plain) {
    if (plain) return plain_node(where, seed, {.lease = 6s}, clock);
    return std::make_unique<node>(where, seed, clock,
                                  session_options{.table = table, .lease = 6s, .heartbeat = 1500ms});
}

asio::awaitable<void> one_round(node& in, error_code& code) {
    item_lock lock{*in.session, till()};
    try {
        auto guard = co_await lock.acquire({.wait = 30s});
        auto first = add("amount", 1);
        co_await guard.update(std::move(first));
        auto last = add("amount", 10);
        co_await guard.update_and_release(std::move(last));
    } catch (const dynalease::error& e) {
        code = e.code();
    }
}

}  // namespace

TEST_CASE("whichever request gets no answer, the item is changed once and given back") {
    const bool plain = GENERATE(false, true);
    for_each_lost_answer(0, 3, [&](const lost_answer& lost) {
        till_world w;
        const auto process = one_process(w, 1, {}, plain);
        auto& a = *process;
        item_guard opens_the_session;
        run(w, a, take(item_lock{*a.session, till()}, opens_the_session));
        run(w, a, give_back(opens_the_session));
        a.network->set_plan(lost.plan());
        error_code code;
        run(w, a, one_round(a, code));
        w.scheduler.run_for(1min);
        CHECK_FALSE(code);
        CHECK(w.amount() == 11);
        CHECK(w.unlocked());
        CHECK(a.session->counters().resolving == 0);
    });
}

namespace {

/// What the world itself knows, whatever the library says.
struct tally {
    std::vector<const item_guard*> guards;
    std::int64_t surely = 0;
    std::int64_t perhaps = 0;
    std::size_t rounds = 0;

    void check() const {
        std::size_t writers = 0;
        std::size_t readers = 0;
        for (const auto* each : guards) {
            if (each->held()) ++(each->exclusive() ? writers : readers);
        }
        if (writers > 1 || (writers == 1 && readers > 0)) throw std::runtime_error("a writer is not alone");
    }
};

struct teller {
    node* in;
    item_guard guard{};
    bool stop = false;
};

asio::awaitable<void> work(teller& self, tally& all) {
    auto& random = *self.in->environment.random;
    while (!self.stop) {
        item_lock lock{*self.in->session, till()};
        const item_acquire_options options{.wait = std::chrono::milliseconds(random.below(15'000))};
        const bool reads = random.below(3) == 0;
        std::tuple<error_code, item_guard> got;
        if (reads) {
            got = co_await lock.acquire_shared(options, as_tuple);
        } else {
            got = co_await lock.acquire(options, as_tuple);
        }
        self.guard = std::get<1>(std::move(got));
        if (self.guard) {
            ++all.rounds;
            co_await sleep(*self.in, std::chrono::milliseconds(random.below(1'000)));
            if (!reads) {
                const bool last = random.below(2) == 0;
                auto change = add("amount", 1);
                condition_expression always;
                std::tuple<error_code, item> done;
                ++all.perhaps;
                if (last) {
                    done = co_await self.guard.update_and_release(std::move(change), std::move(always), as_tuple);
                } else {
                    done = co_await self.guard.update(std::move(change), std::move(always), as_tuple);
                }
                const auto code = std::get<0>(done);
                if (!code) ++all.surely;
                if (code && code != condition::in_doubt) --all.perhaps;
            }
            if (random.below(4) != 0) co_await self.guard.release(as_tuple);
            self.guard = {};
        }
        co_await sleep(*self.in, std::chrono::milliseconds(random.below(800)));
    }
}

void one_world(std::uint64_t seed, kept_by alive, tally& total) {
    till_world w(seed);
    tally seen;
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<std::unique_ptr<teller>> tellers;
    std::vector<std::unique_ptr<running>> at_work;
    for (std::uint64_t i = 0; i < 3; ++i) {
        const testing::virtual_clock_options clock{.offset = std::chrono::hours(i),
                                                   .drift_ppm = static_cast<std::int64_t>((seed + i) % 3) * 900 - 900};
        const bool plain = alive == kept_by::item || (alive == kept_by::either && i == 1);
        nodes.push_back(one_process(w, seed * 31 + i, clock, plain));
        nodes.back()->network->set_plan(testing::seeded_faults(seed * 77 + i, {.lose_request = 0.04,
                                                                               .lose_answer = 0.06,
                                                                               .apply_twice = 0.04,
                                                                               .throttle = 0.03,
                                                                               .server_error = 0.04,
                                                                               .delay = 0.15}));
        tellers.push_back(std::make_unique<teller>(teller{nodes.back().get()}));
        seen.guards.push_back(&tellers.back()->guard);
    }
    for (auto& t : tellers) at_work.push_back(std::make_unique<running>(w, *t->in, work(*t, seen)));
    const auto until = [&](std::chrono::nanoseconds time) {
        const auto end = w.scheduler.now() + time;
        while (w.scheduler.now() < end && w.scheduler.step()) seen.check();
    };
    until(60s);
    nodes[seed % 3]->process->pause();
    until(20s);
    nodes[seed % 3]->process->resume();
    until(30s);
    for (auto& n : nodes) n->network->set_plan({});
    until(30s);
    for (auto& t : tellers) t->stop = true;
    for (auto& r : at_work) r->wait(5min);
    until(10s);
    // Copies that the network has held back for minutes change nothing any more.
    w.scheduler.run_for(6min);
    const auto amount = w.amount();
    if (amount < seen.surely || amount > seen.perhaps) throw std::runtime_error("a write was lost, or done twice");
    for (const auto& n : nodes) {
        if (n->session->counters().resolving != 0) throw std::runtime_error("something does not resolve");
        if (n->session->state() != session_state::live) continue;
        const auto stored = w.stored();
        for (const auto* name : {"_lockW", "_lockI"}) {
            const auto* text = find_string(stored, name);
            if (text && text->starts_with(n->session->id())) throw std::runtime_error("an orphan stays behind");
        }
    }
    total.rounds += seen.rounds;
    total.surely += seen.surely;
    for (auto& t : tellers) t->guard = {};
}

}  // namespace

TEST_CASE("a false condition is told as such, though the step that closes its lost copy was lost as well") {
    using kind = testing::fault::kind;
    till_world w;
    node a(w);
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till()}, guard));
    a.network->set_plan(
        testing::scripted_faults({testing::fault{kind::lose_request}, {}, testing::fault{kind::lose_answer}}));
    const auto in_vain = [](item_guard& held) -> asio::awaitable<void> {
        auto change = add("amount", 5);
        auto condition = attr("amount") == 99;
        co_await held.update(std::move(change), std::move(condition));
    };
    error_code code;
    run(w, a, code_of(in_vain(guard), code));
    CHECK(code == errc::condition_failed);
    CHECK(w.amount() == 0);
    run(w, a, add_to(guard, 1));
    CHECK(w.amount() == 1);
    CHECK(guard.held());
}

TEST_CASE("under faults, drift and pauses no update is lost, none done twice, and writers are alone", "[long]") {
    const auto alive = GENERATE(kept_by::session, kept_by::item, kept_by::either);
    tally total;
    constexpr std::uint64_t worlds = 60;
    for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
        INFO("kept alive " << static_cast<int>(alive) << ", seed " << seed);
        REQUIRE_NOTHROW(one_world(seed, alive, total));
    }
    CHECK(total.rounds > worlds * 10);
    CHECK(total.surely > static_cast<std::int64_t>(worlds) * 5);
}

TEST_CASE("a guarded write that is cancelled on its way is in doubt, and the next user of the process gets the item") {
    const bool lands = GENERATE(true, false);
    till_world w;
    node a(w);
    item_guard first;
    run(w, a, take(item_lock{*a.session, till()}, first));
    a.network->set_plan([lands](const any_request& request, const call_options& how) {
        using kind = testing::fault::kind;
        if (!is_write(request) || how.lane == lane::heartbeat) return testing::fault{};
        return testing::fault{.what = lands ? kind::lose_answer : kind::lose_request};
    });
    asio::cancellation_signal cancel;
    std::optional<error_code> told;
    auto change = add("amount", 1);
    first.update(std::move(change), {},
                 asio::bind_cancellation_slot(cancel.slot(), [&](error_code code, const item&) { told = code; }));
    w.scheduler.run_for(200ms);
    cancel.emit(asio::cancellation_type::terminal);
    w.scheduler.run_for(200ms);
    REQUIRE(told);
    CHECK(*told == errc::in_doubt);
    a.network->set_plan({});
    item_guard second;
    running waiting(w, a, take(item_lock{*a.session, till()}, second));
    w.scheduler.run_for(100ms);
    run(w, a, give_back(first));
    w.scheduler.run_for(1s);
    CHECK(second.held());
    CHECK(w.amount() == (lands ? 1 : 0));
    run(w, a, give_back(second));
    CHECK(w.unlocked());
}

TEST_CASE("a forgotten hold of the own session does not wait for an intent that waits for it") {
    const bool as_reader = GENERATE(true, false);
    till_world w;
    node a(w);
    node b(w, 2);
    item_guard mine;
    item_guard theirs;
    run(w, a, take(item_lock{*a.session, till()}, mine));
    run(w, a, give_back(mine));
    run(w, b, take(item_lock{*b.session, till()}, theirs));
    run(w, b, give_back(theirs));
    haunt(w, "north", a, b, as_reader);
    const auto in_turn = [](node& in, item_guard& guard, int& turns) -> asio::awaitable<void> {
        item_lock target{*in.session, till()};
        guard = co_await target.acquire();
        co_await guard.release();
        ++turns;
    };
    int turns = 0;
    running there(w, b, in_turn(b, theirs, turns));
    running here(w, a, in_turn(a, mine, turns));
    w.scheduler.run_for(20s);
    CHECK(turns == 2);
    CHECK(w.unlocked());
}

namespace {

/// One reads the item for good; another means to write, and gives up.
struct reader_and_writer : till_world {
    reader_and_writer() { run(*this, reader, share(lock_in(reader), read)); }

    node reader{*this, 1};
    node writer{*this, 2};
    item_guard read;
    item_guard never;
    error_code code;
};

}  // namespace

TEST_CASE("an intent is taken back, whichever answer is away when the wait for readers ends") {
    for (std::size_t lost = 0; lost < 6; ++lost) {
        INFO("request " << lost);
        reader_and_writer w;
        std::vector<testing::fault> fates(lost);
        fates.push_back({.what = testing::fault::kind::lose_answer});
        // The first two requests make its session.
        lock warm{*w.writer.session, "warm"};
        warm.acquire([](error_code, lock_guard) {});
        w.scheduler.run_for(1s);
        w.writer.network->set_plan(testing::scripted_faults(std::move(fates)));
        item_acquire_options patience{.wait = 700ms};
        running waits(w, w.writer, code_of(take(lock_in(w.writer), w.never, patience), w.code));
        w.scheduler.run_for(20s);
        CHECK(waits.done());
        CHECK_FALSE(w.never.held());
        CHECK_FALSE(w.stored().contains("_lockI"));
        CHECK(w.read.held());
    }
}

TEST_CASE("a downgrade that is cancelled on its way is given back all the same") {
    till_world w;
    node a(w);
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till()}, guard));
    a.network->set_plan(testing::scripted_faults({{.what = testing::fault::kind::lose_answer}}));
    asio::cancellation_signal cancel;
    guard.downgrade(asio::bind_cancellation_slot(cancel.slot(), [](error_code) {}));
    w.scheduler.run_for(50ms);
    cancel.emit(asio::cancellation_type::terminal);
    guard = {};
    w.scheduler.run_for(10s);
    CHECK(w.unlocked());
}

TEST_CASE("a guarded write whose answer was lost, and then the lock, is in doubt: it may have been applied") {
    till_world w;
    node a(w);
    item_guard guard;
    run(w, a, take(item_lock{*a.session, till()}, guard));
    a.network->set_plan(testing::scripted_faults({{.what = testing::fault::kind::lose_answer}}));
    error_code code;
    running writes(w, a, code_of(add_to(guard, 1), code));
    w.scheduler.run_for(100ms);
    auto taken = w.stored();
    taken.insert_or_assign("_lockW", "somebody.1.0000000000");
    w.put(taken);
    writes.wait();
    CHECK(code == errc::in_doubt);
    CHECK(w.amount() == 1);
    CHECK(guard.state() == guard_state::lost);
}

TEST_CASE("a reader's entry of the own session that nobody remembers goes when a reader comes and goes") {
    till_world w;
    node a(w);
    item_guard mine;
    run(w, a, share(item_lock{*a.session, till()}, mine));
    run(w, a, give_back(mine));
    // As if a copy of a claim that was given up had landed.
    auto haunted = w.stored();
    haunted.emplace("_lockR", string_set{std::string(a.session->id()) + ".999"});
    w.put(haunted);
    run(w, a, share(item_lock{*a.session, till()}, mine));
    run(w, a, give_back(mine));
    w.scheduler.run_for(1s);
    CHECK(w.unlocked());
}

TEST_CASE("an intent is taken back once the credentials are good again that had expired when the wait ended") {
    reader_and_writer w;
    running waits(w, w.writer, code_of(take(lock_in(w.writer), w.never), w.code));
    w.scheduler.run_for(2s);
    CHECK(w.stored().contains("_lockI"));
    w.writer.network->set_plan([](const any_request&, const call_options&) {
        return testing::fault{.what = testing::fault::kind::fail, .answer = failure(errc::expired_credentials)};
    });
    w.scheduler.run_for(2s);
    CHECK(w.code == errc::expired_credentials);
    w.writer.network->set_plan({});
    w.scheduler.run_for(5s);
    CHECK_FALSE(w.stored().contains("_lockI"));
    CHECK(w.writer.session->counters().resolving == 0);
}
