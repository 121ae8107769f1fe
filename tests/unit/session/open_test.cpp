// A session that is opened before anything is asked of it.
// SPDX-License-Identifier: BSL-1.0
#include "support/world.hpp"

#include <dynalease/lock.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <catch2/catch.hpp>

#include <optional>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

using testing::fault;

/// What one call of `open` is told.
struct opening {
    std::optional<error_code> code{};
    diagnostics why{};

    void begin(const session& of, open_options how = {}) {
        of.open(how, why, [this](error_code ended) { code = ended; });
    }
};

}  // namespace

TEST_CASE("a session that is opened lives, and its first lock costs one write") {
    world w;
    node a(w);
    opening opened;
    opened.begin(*a.session);
    w.scheduler.run_for(1s);
    CHECK(opened.code == error_code());
    CHECK(a.session->state() == session_state::live);
    CHECK(a.requests("session#") == 1);
    CHECK(a.network->log().size() == 2);  // DescribeTable, too
    lock_guard guard;
    run(w, a, [](node& in, lock_guard& into) -> asio::awaitable<void> {
        into = co_await lock(*in.session, "x").acquire();
    }(a, guard));
    CHECK(a.network->log().size() == 3);

    opening again;
    again.begin(*a.session);
    w.scheduler.run_for(1s);
    CHECK(again.code == error_code());
    CHECK(a.network->log().size() == 4);
}

TEST_CASE("a table of another key is told at once, where the first write to it would pass") {
    for (const bool forbidden : {false, true}) {
        world w;
        w.apply(create_table_request{.table_name = "other", .key = {.hash = {.name = "pk"}}});
        node a(w, 1, {}, {.table = "other"});
        a.network->set_plan([forbidden](const any_request& request, const call_options&) {
            const bool describes = std::holds_alternative<describe_table_request>(request);
            if (!forbidden || !describes) return fault{};
            return fault{.what = fault::kind::fail, .answer = failure(errc::access_denied)};
        });
        opening opened;
        opened.begin(*a.session);
        w.scheduler.run_for(1s);
        REQUIRE(opened.code);
        CHECK(*opened.code == (forbidden ? error_code() : make_error_code(errc::validation)));
        CHECK((opened.why.message.find("has the key pk (S), and a coordination table") != std::string::npos) ==
              !forbidden);
    }
}

TEST_CASE("what keeps a session from being opened is told, within the wait") {
    world w;
    node missing(w, 1, {}, {.table = "missing"});
    opening of_missing;
    of_missing.begin(*missing.session);
    w.scheduler.run_for(1s);
    CHECK(of_missing.code == errc::table_not_found);

    node cut_off(w, 2);
    cut_off.network->set_plan(
        [](const any_request&, const call_options&) { return fault{.what = fault::kind::lose_request}; });
    opening of_cut_off;
    of_cut_off.begin(*cut_off.session, {.wait = 5s});
    w.scheduler.run_for(4s);
    CHECK_FALSE(of_cut_off.code);
    w.scheduler.run_for(2s);
    REQUIRE(of_cut_off.code);
    CHECK(bool(*of_cut_off.code));

    opening too_late;
    too_late.begin(*cut_off.session, {.wait = -1s});
    w.scheduler.run_for(10s);
    REQUIRE(too_late.code);
    CHECK(*too_late.code == condition::unreachable);
}

TEST_CASE("a session that was closed is not opened again, and a plain one has nothing to open") {
    world w;
    node a(w);
    a.session->close({}, [](error_code, const close_report&) {});
    opening closed;
    closed.begin(*a.session);
    w.scheduler.run_for(1s);
    CHECK(closed.code == errc::session_closed);

    const session plain(database(a.network), plain_session_options{});
    a.network->clear_log();
    opening of_plain;
    of_plain.begin(plain);
    w.scheduler.run_for(1s);
    CHECK(of_plain.code == error_code());
    CHECK(a.network->log().empty());
}

TEST_CASE("who is cancelled, or closed, while the table is looked at is told so") {
    for (const bool closes : {false, true}) {
        world w;
        node a(w);
        a.network->set_plan([](const any_request& request, const call_options&) {
            const bool describes = std::holds_alternative<describe_table_request>(request);
            return fault{.after = describes ? 500ms : 1ms};
        });
        asio::cancellation_signal cancel;
        std::optional<error_code> told;
        a.session->open({}, asio::bind_cancellation_slot(cancel.slot(), [&](error_code code) { told = code; }));
        w.scheduler.run_for(100ms);
        if (closes) {
            a.session->close({}, [](error_code, const close_report&) {});
        } else {
            cancel.emit(asio::cancellation_type::terminal);
        }
        w.scheduler.run_for(1s);
        CHECK(told == (closes ? errc::session_closed : errc::cancelled));
    }
}
