// What a verb that fails tells beside its code, whichever it is and however it fails.
// SPDX-License-Identifier: BSL-1.0
#include "support/every_verb.hpp"
#include "support/till.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

struct told {
    std::shared_ptr<std::optional<error_code>> code = std::make_shared<std::optional<error_code>>();
    template <class... Results>
    void operator()(error_code end, Results&&...) const {
        *code = end;
    }
};

bool names(const std::string& operation, const std::string& verb) {
    return operation == verb || operation.starts_with(verb + " (");
}

/// A process with one of each that has verbs. Whatever it sends from `cut_off` on has no answer.
struct full_hands : till_world {
    full_hands() {
        put({{"id", "k"}, {"version", 1}});
        put({{"id", "l"}});
        put({{"id", "m"}});
        cut_off(b);
        run(*this, b, doubt(*this));
        run(*this, a, fill(*this));
        cut_off(a);
    }

    static item_ref at(const char* id) { return {"tills", {{"id", id}}}; }
    static versioned<item> in_tills(node& of) { return {database(of.network), {.table = "tills", .key = "id"}}; }

    static asio::awaitable<void> fill(full_hands& in) {
        in.guard = co_await in.by_name.acquire();
        in.turn = co_await in.line.enter();
        in.kept = co_await in.of_item.acquire();
        in.timed = co_await in.by_clock.acquire();
        auto found = co_await in.table.load("k");
        in.base = std::move(found).value();
    }
    static asio::awaitable<void> doubt(full_hands& in) {
        auto table = in_tills(in.b);
        const item made{{"id", "k"}};
        try {
            co_await table.create(made);
        } catch (const write_in_doubt<item>& why) {
            in.write = why.pending();
        }
        versioned_writes writes;
        writes.create(table, made);
        try {
            co_await save_all(database(in.b.network), writes);
        } catch (const joint_in_doubt& why) {
            in.joint = why.pending();
        }
    }

    /// Calls the verb; gives it up after a moment, if it has not failed by then.
    template <class Verb>
    void expect_told(const std::string& name, const std::string& on, Verb verb) {
        INFO(name);
        diagnostics details;
        details.message = "of an earlier call";
        asio::cancellation_signal signal;
        told end;
        verb(details, asio::bind_cancellation_slot(signal.slot(), end));
        scheduler.run_for(1ms);
        signal.emit(asio::cancellation_type::all);
        scheduler.run_for(1ms);
        REQUIRE(*end.code);
        // A try may find another at it, which is no failure; who that is, is told all the same.
        const bool tried = !tries_fail && !**end.code && name.find(".try_") != std::string::npos;
        if (tried) CHECK_FALSE(details.message.empty());
        if (!tried) CHECK(**end.code);
        CHECK(names(details.operation, name));
        if (!on.empty()) CHECK(details.key == on);
        CHECK(details.message != "of an earlier call");
    }
    auto expecting() {
        return [this](const char* name, const std::string& on, auto verb) { expect_told(name, on, verb); };
    }

    node a{*this, 1};
    node b{*this, 2};
    database store{a.network};
    lock by_name{*a.session, "x"};
    queue line{*a.session, "y"};
    item_lock of_item{*a.session, at("l")};
    wall_clock_lock by_clock{store, at("m")};
    versioned<item> table = in_tills(a);
    loaded<item> base{};
    lock_guard guard;
    queue_turn turn;
    item_guard kept;
    wall_clock_guard timed;
    pending_write<item> write;
    pending_joint_write joint;
    bool tries_fail = false;
};

std::vector<item_commit> no_change_to(item_guard& guard) {
    std::vector<item_commit> parts;
    parts.push_back({.guard = std::exchange(guard, {})});
    return parts;
}

}  // namespace

TEST_CASE("whichever verb fails, its diagnostics say which it was, and of what") {
    full_hands in;
    const auto change = set("amount", 1);
    const auto told = in.expecting();
    of_databases(told, in.store, pages<scan_request>{in.store, {.table_name = "tills"}});
    of_writes_in_doubt(told, in.write, in.joint, in.store);
    of_versioned_items(told, in.table, in.base, item_revision(in.base.revision()), change);
    of_transactions(told, transactions(in.store), in.table);
    of_wall_clock_locks(told, in.by_clock, in.timed, change);
    of_item_guards(told, in.kept, change, {});
    of_item_locks(told, in.of_item, {item_demand{in.of_item}}, [&in] { return no_change_to(in.kept); });
    of_queues(told, in.line, in.turn, {in.line});
    of_locks(told, in.by_name, in.guard, in.store);
    of_sessions(told, *in.a.session, in.store);
}

TEST_CASE("whichever verb comes after the end of its session, its diagnostics say which it was, and of what") {
    full_hands in;
    const auto change = set("amount", 1);
    const auto told = in.expecting();
    in.a.session->close({.release = false}, [](error_code, const close_report&) {});
    in.scheduler.run_for(1s);
    REQUIRE(in.a.session->state() == session_state::closed);
    in.tries_fail = true;
    of_item_guards(told, in.kept, change, {});
    of_item_locks(told, in.of_item, {item_demand{in.of_item}}, [&in] { return no_change_to(in.kept); });
    of_queues(told, in.line, in.turn, {in.line});
    of_locks(told, in.by_name, in.guard, in.store);
}

TEST_CASE("an empty guard tells which verb of it was called") {
    full_hands in;
    in.guard = {};
    in.turn = {};
    in.kept = {};
    in.timed = {};
    const auto change = set("amount", 1);
    const auto only_of_guards = [&in](const char* name, const std::string& on, auto verb) {
        const std::string_view of(name);
        const auto guard = of.substr(0, of.find('.'));
        if (guard.ends_with("guard") || guard.ends_with("turn")) in.expect_told(name, on, verb);
    };
    of_wall_clock_locks(only_of_guards, in.by_clock, in.timed, change);
    of_item_guards(only_of_guards, in.kept, change, {});
    of_queues(only_of_guards, in.line, in.turn, {in.line});
    of_locks(only_of_guards, in.by_name, in.guard, in.store);
}

namespace {
template <class Guard>
void refuses_a_fence(const Guard& guard, const std::string& verb, const std::string& name) {
    try {
        static_cast<void>(guard.fence());
        FAIL(verb);
    } catch (const error& why) {
        CHECK(why.code() == errc::not_held);
        CHECK(why.diagnostics().operation == verb);
        CHECK(why.diagnostics().key == name);
        CHECK_FALSE(why.diagnostics().message.empty());
    }
}
}  // namespace

TEST_CASE("a fence that is refused says which, and of what") {
    full_hands in;
    in.guard.release([](error_code) {});
    in.kept.release([](error_code) {});
    in.turn.leave([](error_code) {});
    refuses_a_fence(in.guard, "lock_guard.fence", "x");
    refuses_a_fence(in.kept, "item_guard.fence", "tills/l");
    refuses_a_fence(in.turn, "queue_turn.fence", "y");
    refuses_a_fence(lock_guard(), "lock_guard.fence", "");
    refuses_a_fence(item_guard(), "item_guard.fence", "");
    refuses_a_fence(queue_turn(), "queue_turn.fence", "");
}

TEST_CASE("a wait that is over before its session is open says that it waited for that, and for nobody else") {
    world w;
    node a(w);
    a.network->set_plan(
        [](const any_request&, const call_options&) { return testing::fault{.before = 10ms, .after = 10ms}; });
    diagnostics details;
    std::optional<error_code> code;
    const lock free(*a.session, "x");
    free.acquire({.wait = 5ms}, details, [&code](error_code end, const lock_guard&) { code = end; });
    w.scheduler.run_for(1s);
    CHECK(code == errc::timeout);
    CHECK(details.message.find("still being opened") != std::string::npos);
}

TEST_CASE("diagnostics of an earlier failure are gone when the next call succeeds") {
    full_hands in;
    reconnect(in.a);
    diagnostics details;
    lock_guard none;
    none.release(details, [](error_code) {});
    in.scheduler.run_for(1ms);
    REQUIRE(details.operation == "lock_guard.release");
    in.guard.release(details, [](error_code code) { CHECK_FALSE(code); });
    in.scheduler.run_for(1s);
    CHECK(details.to_string() == diagnostics().to_string());
}
