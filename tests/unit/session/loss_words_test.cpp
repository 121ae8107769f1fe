// Why a lock was lost: told by the log, and by the diagnostics of whoever asks afterwards.
// SPDX-License-Identifier: BSL-1.0
#include "unit/session/session_steps.hpp"

#include <dynalease/queue.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;
using kind = testing::fault::kind;

/// A process that holds a lock, and what its log was told.
struct holding {
    holding() { run(w, a, take(a, "x", guard)); }

    session_options options() {
        session_options chosen{.table = table};
        chosen.log = [this](severity, std::string_view line) { lines.emplace_back(line); };
        return chosen;
    }
    bool logged(std::string_view words) const {
        return std::ranges::any_of(lines, [&](const auto& line) { return line.find(words) != std::string::npos; });
    }
    asio::awaitable<void> release() {
        auto done = co_await guard.release(told, as_tuple);
        code = std::get<0>(done);
    }
    /// The log and who gives the guard back are told so.
    void expect(errc how, std::string_view words) {
        INFO((lines.empty() ? "" : lines.back()));
        CHECK(logged(words));
        run(w, a, release());
        INFO(told.message);
        CHECK(code == how);
        CHECK(told.operation.starts_with("lock_guard.release"));
        CHECK(told.key == "x");
        CHECK(told.message.find(words) != std::string::npos);
    }

    std::vector<std::string> lines;
    world w;
    node a{w, 1, {}, options()};
    lock_guard guard;
    diagnostics told;
    error_code code;
};

void edit(world& w, const std::string& key, const std::string& attribute, const attribute_value& value) {
    auto row = w.row(key);
    row[attribute] = value;
    w.apply(put_item_request{.table_name = table, .new_item = std::move(row)});
}

void remove_row(world& w, const std::string& key, const std::string& sort = "-") {
    w.apply(delete_item_request{.table_name = table, .key = {{"pk", key}, {"sk", sort}}});
}

asio::awaitable<void> wait_for_ever(const node& in, bool& began) {
    began = true;
    auto& clock = *in.environment.clock;
    co_await clock.async_wait_until(clock.now() + 1h, as_tuple);
}
struct endless {
    const node* in;
    bool* began;
    asio::awaitable<void> operator()(lock_guard&) const { return wait_for_ever(*in, *began); }
};
asio::awaitable<void> wait_shortly(const node& in, bool& began) {
    began = true;
    co_await sleep(in, 5s);
}
/// Ends well.
struct short_work {
    const node* in;
    bool* began;
    asio::awaitable<void> operator()(lock_guard&) const { return wait_shortly(*in, *began); }
    asio::awaitable<void> operator()(queue_turn&) const { return wait_shortly(*in, *began); }
};
/// Ends well, and gives its lock back itself.
struct releasing_work {
    const node* in;
    bool* began;
    asio::awaitable<void> operator()(lock_guard& guard) const { return release_late(*in, *began, guard); }

    static asio::awaitable<void> release_late(const node& in, bool& began, lock_guard& guard) {
        co_await wait_shortly(in, began);
        auto done = co_await guard.release(as_tuple);
        CHECK(std::get<0>(done) == errc::lock_lost);
    }
};
/// ... by letting the guard go.
struct dropping_work {
    const node* in;
    bool* began;
    asio::awaitable<void> operator()(lock_guard& guard) const { return drop_late(*in, *began, guard); }

    static asio::awaitable<void> drop_late(const node& in, bool& began, lock_guard& guard) {
        co_await wait_shortly(in, began);
        const auto dropped = std::move(guard);
    }
};
template <class Body = endless>
asio::awaitable<void> work(node& in, bool& began, std::optional<error>& told) {
    lock target{*in.session, "worked on"};
    Body body{&in, &began};
    try {
        co_await with_lock(target, body);
    } catch (const error& e) {
        told = e;
    }
}
asio::awaitable<void> work_in_turn(node& in, queue target, bool& began, std::optional<error>& told) {
    short_work body{&in, &began};
    try {
        co_await with_turn(target, body);
    } catch (const error& e) {
        told = e;
    }
}
void expect_lost(const std::optional<error>& told, std::string_view verb, std::string_view why) {
    REQUIRE(told);
    const auto& about = told->diagnostics();
    CAPTURE(about.message);
    CHECK(told->code() == errc::lock_lost);
    CHECK(about.operation == verb);
    CHECK(about.key == "worked on");
    CHECK(about.table == table);
    CHECK(about.message.find("was lost before the work under it ended: ") != std::string::npos);
    CHECK(about.message.find(why) != std::string::npos);
}

}  // namespace

TEST_CASE("a loss by heartbeats that fail says since when, how many, and how the last one failed") {
    holding in;
    in.w.scheduler.run_for(1s);
    auto slow = throttling();
    slow.answer.details.message = "Rate exceeded";
    in.a.network->set_plan(all_meet(slow));
    in.w.scheduler.run_for(12s);
    CHECK(in.logged("lost: no heartbeat was acknowledged for 9975 ms; of "));
    CHECK(in.logged(" that were sent the last failed "));
    in.expect(errc::session_lost, "Rate exceeded");
}

TEST_CASE("a loss by heartbeats without an answer says so") {
    holding in;
    in.a.network->set_plan(silence());
    in.w.scheduler.run_for(12s);
    in.expect(errc::session_lost, "it had no answer");
}

TEST_CASE("a loss by a process that stood still says so") {
    holding in;
    in.w.scheduler.run_for(1s);
    in.a.process->pause();
    in.w.scheduler.run_for(30s);
    in.a.process->resume();
    in.w.scheduler.run_for(1s);
    CHECK(in.logged("and none was sent"));
    CHECK_FALSE(in.logged("unanswered"));
    const auto seen = in.a.session->counters();
    CHECK(seen.worst_heartbeat_delay > 25s);
    CHECK(seen.heartbeat_delays.count() == 1);
    in.expect(errc::session_lost, "stood still for at least 2");
}

TEST_CASE("who is in jeopardy for having stood still does not blame the service") {
    holding in;
    in.w.scheduler.run_for(1s);
    in.a.process->pause();
    in.w.scheduler.run_for(8s);
    in.a.process->resume();
    in.w.scheduler.run_for(1s);
    CHECK(in.guard.held());
    CHECK(in.logged("in jeopardy: no heartbeat was acknowledged for "));
    CHECK(in.logged("stood still for at least "));
    CHECK_FALSE(in.logged("unanswered"));
}

TEST_CASE("a loss by a mark says by whom") {
    holding in;
    edit(in.w, "session#" + in.a.session->id(), "by", "R2D2");
    edit(in.w, "session#" + in.a.session->id(), "state", "dead");
    in.w.scheduler.run_for(3s);
    in.expect(errc::session_lost, "marked dead by session R2D2");
}

TEST_CASE("a loss by a row that was deleted, closed or edited says which") {
    holding in;
    const auto key = "session#" + in.a.session->id();
    SECTION("deleted") {
        remove_row(in.w, key);
        in.w.scheduler.run_for(3s);
        in.expect(errc::session_lost, "the session's row is gone: somebody deleted it");
    }
    SECTION("closed") {
        edit(in.w, key, "state", "closed");
        in.w.scheduler.run_for(3s);
        in.expect(errc::session_lost, "another has closed the session's row");
    }
    SECTION("edited") {
        edit(in.w, key, "lease", "ten");
        edit(in.w, key, "beat", 1000);
        in.w.scheduler.run_for(3s);
        in.expect(errc::session_lost, "the session's row was edited: attribute 'lease'");
    }
}

TEST_CASE("a loss of one lock says what its row shows") {
    holding in;
    SECTION("another has it") {
        edit(in.w, "lock#x", "holder", "R2D2");
        edit(in.w, "lock#x", "token", in.guard.fencing_token() + 1);
        run(in.w, in.a, in.release());
        CHECK(in.told.message.find("its row names session R2D2") != std::string::npos);
        CHECK(in.logged("lock 'x' was lost before it was given back: its row names session R2D2"));
    }
    SECTION("it was deleted") {
        remove_row(in.w, "lock#x");
        run(in.w, in.a, in.release());
        CHECK(in.told.message.find("its row is gone") != std::string::npos);
    }
    CHECK(in.code == errc::lock_lost);
}

TEST_CASE("work that is cancelled for a loss is told why") {
    holding in;
    bool began = false;
    std::optional<error> told;
    running works(in.w, in.a, work(in.a, began, told));
    while (!began) in.w.scheduler.step();
    edit(in.w, "session#" + in.a.session->id(), "by", "R2D2");
    edit(in.w, "session#" + in.a.session->id(), "state", "dead");
    works.wait(5s);
    REQUIRE(told);
    CHECK(told->code() == errc::lock_lost);
    CHECK(told->diagnostics().message.find("marked dead by session R2D2") != std::string::npos);
}

TEST_CASE("work that ended well is told of a loss that only its release found") {
    holding in;
    bool began = false;
    std::optional<error> told;
    running works(in.w, in.a, work<short_work>(in.a, began, told));
    while (!began) in.w.scheduler.step();
    SECTION("its row was deleted") {
        remove_row(in.w, "lock#worked on");
        works.wait(8s);
        expect_lost(told, "with_lock", "its row is gone: somebody deleted it");
    }
    SECTION("another has it") {
        edit(in.w, "lock#worked on", "holder", "R2D2");
        works.wait(8s);
        expect_lost(told, "with_lock", "its row names session R2D2");
    }
    SECTION("its process stood still, and ends it before anything else") {
        in.a.process->pause();
        in.w.scheduler.run_for(30s);
        in.a.process->resume();
        works.wait(1s);
        expect_lost(told, "with_lock", "stood still for at least 2");
    }
}

TEST_CASE("work that gave its lock back itself is told of its loss, too") {
    holding in;
    bool began = false;
    std::optional<error> told;
    const bool drops = GENERATE(false, true);
    running works(in.w, in.a, drops ? work<dropping_work>(in.a, began, told) : work<releasing_work>(in.a, began, told));
    while (!began) in.w.scheduler.step();
    remove_row(in.w, "lock#worked on");
    works.wait(8s);
    expect_lost(told, "with_lock", "its row is gone: somebody deleted it");
}

TEST_CASE("work whose release had no answer, and whose row is gone then, is not told of a loss that nobody knows") {
    holding in;
    bool began = false;
    std::optional<error> told;
    running works(in.w, in.a, work<short_work>(in.a, began, told));
    while (!began) in.w.scheduler.step();
    const auto before = in.a.session->counters();
    remove_row(in.w, "lock#worked on");
    int releases = 0;
    in.a.network->set_plan([&](const any_request& request, const call_options& how) {
        const bool first =
            std::holds_alternative<update_item_request>(request) && how.lane != lane::heartbeat && releases++ == 0;
        return fault{first ? kind::lose_request : kind::pass};
    });
    works.wait(15s);
    in.w.scheduler.run_for(15s);
    CHECK_FALSE(told);
    CHECK(in.a.session->counters().released == before.released);
    CHECK(in.a.session->counters().unknown_applied == before.unknown_applied);
}

TEST_CASE("work that ended in time is not told of a loss that came after it") {
    holding in;
    bool ended = false;
    std::optional<error> told;
    const auto body = [&](lock_guard& guard) -> asio::awaitable<void> {
        CHECK(guard.held());
        in.a.process->pause();
        ended = true;
        co_return;
    };
    const auto works = [&]() -> asio::awaitable<void> {
        lock target{*in.a.session, "y"};
        try {
            co_await with_lock(target, body);
        } catch (const error& e) {
            told = e;
        }
    };
    running working(in.w, in.a, works());
    while (!ended) in.w.scheduler.step();
    in.w.scheduler.run_for(30s);
    in.a.process->resume();
    working.wait(1s);
    CHECK_FALSE(told);
    CHECK(in.a.session->lives() == 2);
}

TEST_CASE("whoever cancels work that has ended well is late") {
    holding in;
    in.a.network->set_plan(latency(50ms));
    const bool at_once = GENERATE(false, true);
    int value = 0;
    std::exception_ptr thrown;
    asio::cancellation_signal cancels;
    const auto cancel = [&] { cancels.emit(asio::cancellation_type::terminal); };
    const auto body = [&](lock_guard&) -> asio::awaitable<int> {
        if (at_once) asio::post(in.a.environment.executor, cancel);
        co_return 7;
    };
    const auto works = [&]() -> asio::awaitable<void> {
        lock target{*in.a.session, "y"};
        value = co_await with_lock(target, body);
    };
    asio::co_spawn(in.a.environment.executor, works(),
                   asio::bind_cancellation_slot(cancels.slot(), [&](std::exception_ptr end) { thrown = end; }));
    in.w.scheduler.run_for(150ms);  // acquired after 100 ms, released after 200
    cancel();
    in.w.scheduler.run_for(1s);
    CHECK(value == 7);
    CHECK_FALSE(thrown);
}

TEST_CASE("work that ended well is told of a turn that only its leaving found lost") {
    holding in;
    const queue line(*in.a.session, "worked on");
    bool began = false;
    std::optional<error> told;
    running works(in.w, in.a, work_in_turn(in.a, line, began, told));
    while (!began) in.w.scheduler.step();
    remove_row(in.w, "queue#worked on", "/");
    works.wait(8s);
    expect_lost(told, "with_turn", "its queue's row is gone: somebody deleted it");
}

TEST_CASE("who waits for the end of a session that is lost for good is told why") {
    world w;
    node a(w, 1, {}, {.table = table, .begins_anew = false});
    lock_guard guard;
    run(w, a, take(a, "x", guard));
    a.network->set_plan(silence());
    struct over {
        static asio::awaitable<void> run(const session& of, diagnostics& told) {
            auto [code] = co_await of.over(told, as_tuple);
            CHECK(code == errc::session_lost);
        }
    };
    diagnostics told;
    run(w, a, over::run(*a.session, told));
    CHECK(told.message.find("no heartbeat was acknowledged") != std::string::npos);
    std::optional<error> later;
    run(w, a, tell(a, 1s, later));
    REQUIRE(later);
    CHECK(later->diagnostics().message.find("no heartbeat was acknowledged") != std::string::npos);
}
