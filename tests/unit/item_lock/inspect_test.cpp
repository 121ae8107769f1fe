// Looking at an item's lock without taking it.
// SPDX-License-Identifier: BSL-1.0
#include "tills.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> look(item_lock target, item_lock_info& into) {
    into = co_await target.inspect();
}

asio::awaitable<void> look_told(item_lock target, error_code& code, diagnostics& why) {
    auto [told, none] = co_await target.inspect(why, as_tuple);
    code = told;
}

item_lock_info seen_by(world& w, node& in) {
    item_lock_info seen;
    run(w, in, look(lock_in(in), seen));
    return seen;
}

}  // namespace

TEST_CASE("who looks at an item sees who has it, and whether he lives") {
    tills_world w;
    node a(w, 1, {}, {.table = table, .owner = "billing-7"});
    node b(w, 2);
    const auto free = seen_by(w, b);
    CHECK_FALSE(free.held());
    CHECK_FALSE(free.writer);
    CHECK(free.fencing_token == 0);
    CHECK(*find_integer(free.attributes, "version") == 7);
    CHECK(b.network->log().size() == 1);

    item_guard guard;
    run(w, a, take(lock_in(a), guard));
    auto seen = seen_by(w, b);
    CHECK(seen.held());
    REQUIRE(seen.writer);
    CHECK(seen.writer->session == a.session->id());
    CHECK(seen.writer->owner == "billing-7");
    CHECK_FALSE(seen.writer->over);
    CHECK(seen.fencing_token == guard.fencing_token());
    CHECK(seen.readers.empty());
    CHECK(b.network->log().size() == 3);

    w.apply(update_item_request{.table_name = table,
                                .key = {{"pk", "session#" + a.session->id()}, {"sk", "-"}},
                                .update_expression = "SET #s = :s",
                                .names = {{"#s", "state"}},
                                .values = {{":s", "dead"}}});
    seen = seen_by(w, b);
    CHECK_FALSE(seen.held());
    CHECK(seen.writer->over);
    w.apply(delete_item_request{.table_name = table, .key = {{"pk", "session#" + a.session->id()}, {"sk", "-"}}});
    CHECK(seen_by(w, b).writer->over);
}

TEST_CASE("who looks at an item sees its readers, and the writer that waits for them") {
    tills_world w;
    node a(w, 1, {}, {.table = table, .owner = "reads"});
    node b(w, 2, {}, {.table = table, .owner = "writes"});
    node c(w, 3);
    item_guard read;
    run(w, a, share(lock_in(a), read));
    item_guard written;
    running waits(w, b, take(lock_in(b), written));
    w.scheduler.run_for(3s);
    const auto seen = seen_by(w, c);
    CHECK(seen.held());
    CHECK_FALSE(seen.writer);
    REQUIRE(seen.readers.size() == 1);
    CHECK(seen.readers.front().owner == "reads");
    REQUIRE(seen.intent);
    CHECK(seen.intent->owner == "writes");
    read = {};
    waits.wait();
    CHECK(seen_by(w, c).writer->owner == "writes");
}

TEST_CASE("who looks at an item that is missing, or whose lock is not ours, is told so") {
    tills_world w;
    node a(w);
    error_code code;
    diagnostics why;
    w.apply(delete_item_request{.table_name = "tills", .key = till().key});
    run(w, a, look_told(lock_in(a), code, why));
    CHECK(code == errc::missing);
    CHECK(why.operation == "item_lock.inspect");
    CHECK(why.table == "tills");
    w.put({{"id", "north"}, {"version", 7}, {"_lockF", "not ours"}});
    run(w, a, look_told(lock_in(a), code, why));
    CHECK(code == errc::corrupt_row);
    w.put({{"id", "north"}, {"version", 7}, {"_lockW", "a hand"}});
    const auto seen = seen_by(w, a);
    CHECK(seen.held());
    CHECK(seen.writer->session.empty());
}

TEST_CASE("who looks under a plain session sees no owners, and asks no coordination table") {
    tills_world w;
    node a(w, 1);
    node b(w, 2);
    b.session.emplace(database(b.network), plain_session_options{});
    item_guard guard;
    run(w, a, take(lock_in(a), guard));
    const auto seen = seen_by(w, b);
    CHECK(seen.held());
    CHECK(seen.writer->session == a.session->id());
    CHECK(seen.writer->owner.empty());
    CHECK(b.network->log().size() == 1);
}
