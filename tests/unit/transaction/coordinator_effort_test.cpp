// What a coordinator costs the processor, by itself.
// SPDX-License-Identifier: BSL-1.0
#include "engine_stage.hpp"

#include "support/processor_time.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

namespace {

using dynalease::detail::answer;

transaction_plan plan_of(std::size_t count) {
    transaction_plan plan{.name = {"4711", "run"}, .born = 1, .items = {}};
    for (std::size_t i = 0; i < count; ++i) {
        plan.items.push_back(updating(plain_accounts(), std::to_string(i), set("balance", 1)));
    }
    return plan;
}

/// The service's part: each write is applied, and a lock shows its mark.
errand_answer applied(const any_request& request) {
    errand_answer done{.kind = answer::applied};
    const auto* lock = std::get_if<update_item_request>(&request);
    if (!lock || !lock->values.contains(":n")) return done;
    done.shown = item{{"_TxId", lock->values.at(":tx")},
                      {"_TxP", no_stamp()},
                      {"_TxO", lock->values.at(":kind")},
                      {"_TxR", lock->values.at(":write")},
                      {"_stamp", lock->values.at(":n")}};
    return done;
}

void carry_out(coordinator run) {
    std::vector<errand> wanted;
    while (run.now() != coordinator::phase::ended) {
        while (auto next = run.next(0)) wanted.push_back(*std::move(next));
        REQUIRE(!wanted.empty());
        // The last one first: no order is to be dear.
        const auto last = std::move(wanted.back());
        wanted.pop_back();
        run.answer(last.slot, applied(last.request));
    }
    CHECK(run.decided() == run_verdict::committed);
}

double seconds_for(std::size_t count) {
    const coordinator run(table, plan_of(count), {});
    return tests::processor_seconds([&] { carry_out(run); });
}

}  // namespace

TEST_CASE("each item costs a coordinator the same, however many there are", "[effort]") {
    const auto few = seconds_for(most_items / 4);
    const auto many = seconds_for(most_items);
    INFO(few << " s, " << many << " s");
    CHECK(many < 7 * few);
}

}  // namespace dynalease::protocol::test
