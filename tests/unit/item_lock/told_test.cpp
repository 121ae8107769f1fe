// Callers of one process share its requests: none is told what an item was before it asked.
#include "tills.hpp"

#include <catch2/catch.hpp>

using namespace dynalease;
using namespace dynalease::tests;
using testing::fault;

namespace {

struct two_processes : tills_world {
    two_processes() {
        item_guard warm;
        run(*this, a, take(lock_in(a), warm));
        run(*this, a, give_back(warm));
    }

    node a{*this, 1};
    node b{*this, 2};
    item_guard others;
};

asio::awaitable<void> try_share(item_lock target, item_guard& into) {
    into = co_await target.try_acquire_shared();
}

}  // namespace

TEST_CASE("an item that was made or mended before the call is locked, whatever it was when others asked") {
    const bool missing = GENERATE(true, false);
    two_processes w;
    if (missing) {
        w.apply(delete_item_request{.table_name = "tills", .key = till().key});
    } else {
        w.put({{"id", "north"}, {"version", 7}, {"_lockF", "not ours"}});
    }
    w.a.network->set_plan(testing::scripted_faults({fault{.after = 200ms}}));
    item_guard guard;
    error_code early;
    error_code late;
    running first(w, w.a, code_of(take(lock_in(w.a), guard), early));
    w.scheduler.run_for(100ms);
    w.put({{"id", "north"}, {"amount", 0}, {"version", 1}});
    running second(w, w.a, code_of(take(lock_in(w.a), guard), late));
    first.wait();
    second.wait();
    CHECK(early == (missing ? errc::missing : errc::corrupt_row));
    CHECK_FALSE(late);
    CHECK(guard.valid());
}

TEST_CASE("a try is not told who had the item before it") {
    const bool joins = GENERATE(false, true);
    two_processes w;
    item_guard mine;
    if (joins) {
        // The writer that waits for this reader lets no other join.
        run(w, w.a, share(lock_in(w.a), mine));
        running waits(w, w.b, take(lock_in(w.b), w.others, {.wait = 2500ms}));
        w.scheduler.run_for(2s);
        w.a.network->set_plan([](const any_request& request, const call_options&) {
            return std::holds_alternative<get_item_request>(request) ? fault{.after = 900ms} : fault{};
        });
        error_code code;
        item_guard second;
        run(w, w.a, code_of(share(lock_in(w.a), second, {.wait = 50ms}), code));
        CHECK_THROWS(waits.wait());
    } else {
        run(w, w.b, take(lock_in(w.b), w.others));
        w.a.network->set_plan(testing::scripted_faults({fault{.after = 200ms}}));
        error_code code;
        run(w, w.a, code_of(take(lock_in(w.a), mine, {.wait = 50ms}), code));
        run(w, w.b, give_back(w.others));
    }
    item_guard guard;
    run(w, w.a, joins ? try_share(lock_in(w.a), guard) : try_take(lock_in(w.a), guard));
    CHECK(guard.valid());
}
