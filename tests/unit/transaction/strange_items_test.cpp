// Items on which others have attributes of our names.
// SPDX-License-Identifier: BSL-1.0
#include "engine_stage.hpp"

#include "transaction/protocol/native_call.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <utility>

namespace dynalease::protocol::test {

namespace {

struct strange {
    item whole;
    errc code;
    std::string attribute;
};

planned_item update(const guarded_table& on) {
    return updating(on, "ann", set("balance", 1));
}

/// The lock that a run sends for its only item, once it has begun.
errand first_lock(coordinator& run) {
    run.answer(run.next(0)->slot, {.kind = detail::answer::applied});
    return run.next(0).value();
}

/// The item as that makes it, as far as its mark.
item marked_by(const errand& lock) {
    const auto& values = std::get<update_item_request>(lock.request).values;
    return {{"id", "ann"},
            {"_TxId", values.at(":tx")},
            {"_TxP", no_stamp()},
            {"_TxO", values.at(":kind")},
            {"_TxR", values.at(":write")},
            {"_stamp", values.at(":n")}};
}

}  // namespace

TEST_CASE("a lock that was applied, and yet shows another's mark, is no answer of the service's") {
    auto mine = coordinated({update(plain_accounts())});
    auto other = coordinated({update(plain_accounts())}, {"other", "run"});
    const auto lock = first_lock(mine);
    const bool is_mine = GENERATE(true, false);
    mine.answer(lock.slot, {.kind = detail::answer::applied, .shown = marked_by(is_mine ? lock : first_lock(other))});
    CHECK(mine.now() == (is_mine ? run_phase::committing : run_phase::rolling_back));
    CHECK(mine.why().code == (is_mine ? error_code() : make_error_code(errc::bad_response)));
}

TEST_CASE("an item whose stamp or version is none is told so before anything is locked, and stays as it is") {
    engine_stage stage;
    const auto [whole, code, attribute] =
        GENERATE(strange{{{"id", "ann"}, {"_stamp", 7}}, errc::corrupt_row, "_stamp"},
                 strange{{{"id", "ann"}, {"_stamp", "twelve bytes"}}, errc::corrupt_row, "_stamp"},
                 strange{{{"id", "ann"}, {"_stamp", binary(11)}}, errc::corrupt_row, "_stamp"},
                 strange{{{"id", "ann"}, {"_stamp", binary{}}}, errc::corrupt_row, "_stamp"},
                 strange{{{"id", "ann"}, {"_TxP", binary(1)}, {"_TxB:balance", 5}}, errc::corrupt_row, "_TxP"},
                 strange{{{"id", "ann"}, {"version", "one"}}, errc::bad_version, "version"});
    const bool versioned = GENERATE(true, false);
    if (!versioned && code == errc::bad_version) return;
    const auto on = versioned ? versioned_accounts() : plain_accounts();
    const item other{{"id", "bob"}, {"balance", 1}};
    stage.put(whole);
    stage.put(other);
    failure why;
    SECTION("by locks") {
        auto transaction = coordinated({updating(on, "bob", set("balance", 2)), update(on)});
        stage.run(transaction);
        CHECK(transaction.decided() == run_verdict::rolled_back);
        why = transaction.why();
    }
    SECTION("by one call") {
        native_call call(table,
                         {.name = {"4711", "run"}, .items = {updating(on, "bob", set("balance", 2)), update(on)}}, {});
        stage.run(call);
        CHECK(call.decided() == run_verdict::rolled_back);
        why = call.why();
    }
    SECTION("locked first") {
        if (code == errc::bad_version) return;  // an item that is only held, raises none
        transaction_plan plan{.name = {"4711", "run"}, .items = {}, .holds = true};
        plan.items.push_back(of_kind(on, "ann", mark_kind::read));
        coordinator transaction(table, std::move(plan), {});
        stage.run(transaction);
        why = transaction.why();
    }
    SECTION("to be erased") {
        if (code == errc::bad_version) return;
        auto transaction = coordinated({of_kind(on, "ann", mark_kind::to_erase)});
        stage.run(transaction);
        why = transaction.why();
    }
    if (!why.code) return;
    CHECK(why.code == make_error_code(code));
    CHECK(why.details.key == "ann");
    CHECK(why.details.table == accounts);
    CHECK(why.details.message.find("\"" + attribute + "\"") != std::string::npos);
    CHECK(stage.find("ann") == whole);
    CHECK(stage.find("bob") == other);
}

}  // namespace dynalease::protocol::test
