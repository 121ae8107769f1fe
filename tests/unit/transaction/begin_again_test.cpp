// A run that others under the same id have ended before its own process knew that it had begun.
// SPDX-License-Identifier: BSL-1.0
#include "engine_stage.hpp"

#include <catch2/catch.hpp>

namespace dynalease::protocol::test {

namespace {

planned_item adds_one() {
    return updating(plain_accounts(), "ann", add("balance", 1));
}

/// By another process under the same id.
void ended_by_others(engine_stage& stage) {
    auto run = taken_over(stage.header("4711").value());
    run.stop(errc::cancelled);
    stage.run(run);
    REQUIRE(run.decided() == run_verdict::rolled_back);
}

}  // namespace

TEST_CASE("a run goes over another's of its id under a name by which nothing of it is set aside") {
    engine_stage stage;
    stage.put({{"id", "ann"}, {"balance", 10}});
    auto mine = coordinated({adds_one()}, {"4711", "mine"});
    const auto begin = mine.next(0).value();
    REQUIRE(stage.execute(begin.request).has_value());
    mine.answer(begin.slot, {.kind = detail::answer::unanswered});
    ended_by_others(stage);
    auto theirs = coordinated({adds_one()}, {"4711", "theirs"});
    stage.run(theirs, coordinator::phase::locking);
    ended_by_others(stage);

    stage.run(mine);
    CHECK(mine.decided() == run_verdict::committed);
    CHECK(mine.plan().name.run == "mine~");
    CHECK(stage.header("4711")->name.run == "mine~");
    CHECK(find_integer(*stage.find("ann"), "balance") == 11);
}

}  // namespace dynalease::protocol::test
