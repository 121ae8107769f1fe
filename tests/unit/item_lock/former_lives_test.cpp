// Items that are removed and made anew while somebody has to do with their locks: the floor goes with them, and late
// copies of requests find the door open.
// SPDX-License-Identifier: BSL-1.0
#include "support/till.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> erase_till(item_guard& guard) {
    co_await guard.erase();
}

struct reborn_world : till_world {
    reborn_world() { bear(1); }

    /// Another item of that key takes the place of this one.
    void bear(unsigned char life) {
        const binary born(12, std::byte{life});
        put({{"id", "north"}, {"amount", 0}, {"version", 1}, {"_born", born}, {"_stamp", born}});
    }
    void remove() { apply(delete_item_request{.table_name = "tills", .key = till().key}); }
};

item_lock north(node& in) {
    return item_lock{*in.session, till()};
}

void open_session(reborn_world& w, node& of) {
    item_guard guard;
    run(w, of, take(north(of), guard));
    run(w, of, give_back(guard));
}

}  // namespace

TEST_CASE("a late copy of a grant that was given back is found in the item's next life, and given back too") {
    reborn_world w;
    node a(w);
    open_session(w, a);
    a.network->set_plan(testing::scripted_faults({{.what = testing::fault::kind::lose_answer, .before = 6s}}));
    item_guard guard;
    run(w, a, take(north(a), guard));
    run(w, a, give_back(guard));
    w.bear(2);
    w.scheduler.run_for(7s);
    CHECK_FALSE(w.unlocked());
    w.scheduler.run_for(11min);
    CHECK(w.unlocked());
}

TEST_CASE("a look for a late copy is repeated when it has no answer") {
    using kind = testing::fault::kind;
    reborn_world w;
    node a(w);
    open_session(w, a);
    a.network->set_plan(testing::scripted_faults({{.what = kind::lose_answer, .before = 6s}}));
    item_guard guard;
    run(w, a, take(north(a), guard));
    run(w, a, give_back(guard));
    w.bear(2);
    w.scheduler.run_for(7s);
    a.network->set_plan([](const any_request& request, const call_options&) {
        const bool look = std::holds_alternative<get_item_request>(request);
        return testing::fault{.what = look ? kind::lose_answer : kind::pass};
    });
    w.scheduler.run_for(12min);
    REQUIRE_FALSE(w.unlocked());
    a.network->set_plan({});
    w.scheduler.run_for(12min);
    CHECK(w.unlocked());
}

TEST_CASE("a late copy of an intent that was taken back is found in the item's next life, and taken back too") {
    reborn_world w;
    node reader(w, 1);
    node writer(w, 2);
    item_guard read;
    item_guard never;
    error_code code;
    open_session(w, writer);
    run(w, reader, share(north(reader), read));
    // The take is refused; then comes the intent.
    writer.network->set_plan(testing::scripted_faults({{}, {.what = testing::fault::kind::lose_answer, .before = 9s}}));
    item_acquire_options patience{.wait = 500ms};
    running waits(w, writer, code_of(take(north(writer), never, patience), code));
    w.scheduler.run_for(4s);
    CHECK(waits.done());
    w.bear(2);
    // By somebody who came by that life's first token, below the one of the intent.
    auto read_again = w.stored();
    read_again.emplace("_lockR", string_set{std::string(reader.session->id()) + ".999"});
    w.put(std::move(read_again));
    w.scheduler.run_for(7s);
    CHECK(w.stored().contains("_lockI"));
    w.scheduler.run_for(11min);
    CHECK_FALSE(w.stored().contains("_lockI"));
}

TEST_CASE("a guard of an item that was made anew is lost, even where a copy of its own claim stands in the new one") {
    reborn_world w;
    node a(w);
    open_session(w, a);
    a.network->set_plan(testing::scripted_faults({{.what = testing::fault::kind::apply_twice, .copy = 2s}}));
    item_guard guard;
    error_code code;
    run(w, a, take(north(a), guard));
    w.bear(2);
    w.scheduler.run_for(3s);
    CHECK(w.stored().contains("_lockW"));
    // What it wrote may have been done in the item's former life: the network may repeat a write, and answer for the
    // copy.
    SECTION("it writes nothing") {
        run(w, a, code_of(add_to(guard, 5), code));
        CHECK(code == errc::in_doubt);
        CHECK_FALSE(guard.held());
    }
    SECTION("nor at its end") {
        run(w, a, code_of(add_and_release(guard, 5), code));
        CHECK(code == errc::in_doubt);
    }
    SECTION("the next of the process gets the item all the same") {
        item_guard second;
        running waits(w, a, take(north(a), second));
        run(w, a, code_of(give_back(guard), code));
        w.scheduler.run_for(5s);
        CHECK(waits.done());
        CHECK(second.held());
    }
    CHECK(w.amount() == 0);
}

TEST_CASE("an erasure that finds another lock on the item, in the same life of it, was not made") {
    reborn_world w;
    node a(w);
    item_guard guard;
    error_code code;
    run(w, a, take(north(a), guard));
    auto taken = w.stored();
    taken.insert_or_assign("_lockW", "somebody.1.0000000000");
    w.put(std::move(taken));
    run(w, a, code_of(erase_till(guard), code));
    CHECK(code == errc::lock_lost);
    CHECK_FALSE(w.stored().empty());
}
