// Rows that no client of ours would write: what their user is told.
#include "support/world.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace dynalease;
using namespace dynalease::tests;

namespace {

asio::awaitable<void> take_into(lock target, lock_guard& guard) {
    guard = co_await target.acquire();
}

}  // namespace

TEST_CASE("a floor that leaves no token above it fails the acquire and is left untouched") {
    world w;
    node a(w);
    const item spoilt{{"pk", "lock#x"}, {"sk", "-"}, {"v", 1}, {"floor", std::numeric_limits<std::int64_t>::max()}};
    w.apply(put_item_request{.table_name = table, .new_item = spoilt});
    lock_guard guard;
    try {
        run(w, a, take_into(lock{*a.session, "x"}, guard));
        FAIL("it was granted");
    } catch (const error& e) {
        CHECK(e.code() == errc::corrupt_row);
        CHECK(e.diagnostics().message.find("floor") != std::string::npos);
    }
    CHECK(w.row("lock#x") == spoilt);
}
