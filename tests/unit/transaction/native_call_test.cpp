// Whole transactions in one call, on the embedded engine: what they leave, and what they say.
// SPDX-License-Identifier: BSL-1.0
#include "engine_stage.hpp"

#include "transaction/protocol/joint_requests.hpp"
#include "transaction/protocol/native_call.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

namespace {

using phase = native_call::phase;
using verdict = native_call::verdict;

item account(const std::string& id, int balance) {
    return {{"id", id}, {"balance", balance}};
}

planned_item paying(const std::string& id, int amount) {
    return updating(plain_accounts(), id, set("balance", attr("balance") - amount), attr("balance") >= amount);
}

planned_check reading(engine_stage& stage, const guarded_table& on, const std::string& id) {
    return {.on = on, .key = {{"id", id}}, .seen = sight_of(on, stage.find(id)).value()};
}

transaction_plan planned(std::vector<planned_item> items, std::vector<planned_check> checks = {}) {
    return {.name = {"4711", "run"}, .born = 1, .items = std::move(items), .checks = std::move(checks)};
}

transaction_plan keeping_outcome(std::vector<planned_item> items, std::string run = "run") {
    return {
        .name = {"4711", std::move(run)}, .born = 1, .items = std::move(items), .checks = {}, .keeps_outcome = true};
}

native_call called(transaction_plan plan, rivalry rules = {}) {
    return {table, std::move(plan), rules};
}

errand_answer unheard() {
    return {.kind = detail::answer::unanswered, .why = failure(errc::timeout, outcome::unknown)};
}

any_request wanted_by(native_call& call) {
    return call.next(1'700'000'000).value().request;
}

}  // namespace

TEST_CASE("a transaction in one call leaves what one with marks leaves, in one request") {
    const bool versioned = GENERATE(false, true);
    const auto on = versioned ? versioned_accounts() : plain_accounts();
    const auto fill = [&](engine_stage& stage) {
        for (const auto* id : {"ann", "old", "read"}) {
            auto whole = account(id, 10);
            if (versioned) {
                whole.emplace("version", 7);
                whole.emplace("_born", binary(12));
                whole.emplace("_stamp", binary(12));
            }
            stage.put(whole);
        }
        stage.put(account("fresh", 3));
    };
    const std::vector<planned_item> items{updating(on, "ann", set("balance", attr("balance") - 3)),
                                          updating(on, "fresh", add("balance", 1) + set("a", 1)),
                                          inserting(on, account("bob", 1)), of_kind(on, "old", mark_kind::to_erase),
                                          of_kind(on, "read", mark_kind::read)};
    engine_stage marked;
    fill(marked);
    auto slow = coordinated(items);
    marked.run(slow);
    REQUIRE(slow.decided() == verdict::committed);

    engine_stage at_once;
    fill(at_once);
    auto call = called(planned(items));
    const auto seen = at_once.run(call);
    CHECK(call.decided() == verdict::committed);
    CHECK(seen.writes == 1);
    CHECK(seen.reads == 0);
    for (const auto* id : {"ann", "fresh", "bob", "old", "read"}) CHECK(at_once.find(id) == marked.find(id));
    CHECK(!at_once.header("4711"));
}

TEST_CASE("up to 100 actions go into one call, and two writes to one item never do") {
    engine_stage stage;
    std::vector<planned_item> items;
    for (int i = 0; i < 100; ++i) {
        stage.put(account(std::to_string(i), 10));
        items.push_back(paying(std::to_string(i), 3));
    }
    CHECK(fits_native(planned(items)));
    CHECK(!fits_native(keeping_outcome(items)));
    auto call = called(planned(items));
    CHECK(stage.run(call).writes == 1);
    CHECK(call.decided() == verdict::committed);
    CHECK(find_integer(*stage.find("99"), "balance") == 7);

    items.push_back(paying("0", 3));
    auto too_many = called(planned(items));
    CHECK(!too_many.next(0));
    CHECK(too_many.decided() == verdict::rolled_back);
    CHECK(too_many.why().code == errc::too_many_items);
    auto twice = paying("0", 1);
    twice.writes.push_back(twice.writes.front());
    CHECK(!fits_native(planned({twice})));
    CHECK(called(planned({})).decided() == verdict::committed);
}

TEST_CASE("what a call is refused for is named with its item, and nothing is written") {
    engine_stage stage;
    stage.put(account("ann", 10));
    stage.put({{"id", "text"}, {"balance", "ten"}});
    stage.put({{"id", "held"}, {"_lockW", "s.1.1"}});
    stage.put({{"id", "born"}, {"_born", binary(12)}});
    stage.put({{"id", "large"}, {"data", std::string(250'000, 'x')}});
    const auto [refused, code] = GENERATE(Catch::Generators::table<planned_item, errc>({
        {updating(plain_accounts(), "text", add("balance", 1)), errc::validation},
        {updating(plain_accounts(), "large", set("more", std::string(250'000, 'y'))), errc::item_too_large},
        {updating(plain_accounts(), "nobody", set("a", 1)), errc::missing},
        {of_kind(plain_accounts(), "nobody", mark_kind::to_erase), errc::missing},
        {of_kind(plain_accounts(), "nobody", mark_kind::read), errc::missing},
        {updating(plain_accounts(), "held", set("a", 1)), errc::locked},
        {updating(plain_accounts(), "born", set("a", 1)), errc::bad_version},
        {inserting(plain_accounts(), account("text", 1)), errc::exists},
        {updating(plain_accounts(), "text", set("a", 1), attr("balance") == "nine"), errc::condition_failed},
    }));
    const auto before = stage.find(std::get<std::string>(refused.key.at("id").get()));
    auto call = called(planned({paying("ann", 5), refused}));
    CHECK(stage.run(call).writes == 1);
    CHECK(call.decided() == verdict::rolled_back);
    CHECK(call.why().code == make_error_code(code));
    CHECK(call.why().details.table == accounts);
    CHECK(call.why().details.key == text_of(refused.key));
    if (code == errc::condition_failed) CHECK(call.why().current == before);
    CHECK(stage.find("ann") == account("ann", 10));
}

TEST_CASE("a call to a table that is not there is refused as a whole") {
    engine_stage stage;
    auto call = called(planned({updating({.layout = {.table = "nowhere", .key = "id"}}, "x", set("a", 1))}));
    stage.run(call);
    CHECK(call.decided() == verdict::rolled_back);
    CHECK(call.why().code == errc::table_not_found);
}

TEST_CASE("a call that wrote on what is no longer so is told as a conflict, and of which item") {
    engine_stage stage;
    stage.put(account("ann", 10));
    stage.put(account("bob", 10));
    auto pinned = paying("ann", 1);
    pinned.seen = sight_of(plain_accounts(), stage.find("ann")).value();
    const auto bob = reading(stage, plain_accounts(), "bob");
    const auto nobody = reading(stage, plain_accounts(), "nobody");
    const auto depending_on = [](const planned_check& check) { return called(planned({paying("ann", 1)}, {check})); };
    auto good = depending_on(bob);
    stage.run(good);
    CHECK(good.decided() == verdict::committed);
    auto none = depending_on(nobody);
    stage.run(none);
    CHECK(none.decided() == verdict::committed);

    auto late = called(planned({pinned}));
    stage.run(late);
    CHECK(late.why().code == errc::conflict);
    CHECK(late.why().details.key == "ann");

    auto other = called(planned({paying("bob", 1)}));
    stage.run(other);
    auto check = depending_on(bob);
    stage.run(check);
    CHECK(check.why().code == errc::conflict);
    CHECK(check.why().details.key == "bob");

    stage.put(account("nobody", 1));
    auto appeared = depending_on(nobody);
    stage.run(appeared);
    CHECK(appeared.why().code == errc::conflict);
    CHECK(appeared.why().details.key == "nobody");
    CHECK(find_integer(*stage.find("ann"), "balance") == 8);
}

TEST_CASE("a call under a guard's fence is applied while that holds") {
    engine_stage stage;
    stage.put(account("ann", 10));
    stage.put({{"id", "guard"}, {"holder", "me"}});
    condition_check fence{.table_name = accounts, .key = {{"id", "guard"}}, .condition_expression = {}};
    apply(fence, attr("holder") == "me");
    auto holding = called(planned({paying("ann", 1)}, {{.fence = fence}}));
    stage.run(holding);
    CHECK(holding.decided() == verdict::committed);
    stage.put({{"id", "guard"}, {"holder", "other"}});
    auto lost = called(planned({paying("ann", 1)}, {{.fence = fence}}));
    stage.run(lost);
    CHECK(lost.why().code == errc::lock_lost);
    CHECK(find_integer(*stage.find("ann"), "balance") == 9);
}

TEST_CASE("a call frees items of others' marks first, of what it reads too") {
    engine_stage stage;
    for (const auto* id : {"ann", "bob"}) stage.put(account(id, 10));
    const bool commits = GENERATE(false, true);
    const auto seen = reading(stage, plain_accounts(), "bob");
    coordinator rival(table, {.name = {"rival", "run"}, .born = 2, .items = {paying("ann", 1), paying("bob", 1)}}, {});
    stage.run(rival, commits ? coordinator::phase::closing : coordinator::phase::committing);
    auto call = called(planned({paying("ann", 2)}, {seen}));
    stage.run(call);
    if (commits) {
        CHECK(call.why().code == errc::conflict);
        CHECK(find_integer(*stage.find("ann"), "balance") == 9);
    } else {
        CHECK(call.decided() == verdict::committed);
        CHECK(find_integer(*stage.find("ann"), "balance") == 8);
        CHECK(stage.header("rival")->state == header_state::rolled_back);
    }
    stage.run(rival);
    CHECK((rival.decided() == verdict::committed) == commits);
    CHECK(!stage.find("ann")->contains("_TxId"));
}

TEST_CASE("a call that gives up on one who holds an item says which") {
    engine_stage stage;
    stage.put(account("ann", 10));
    coordinator rival(table, {.name = {"rival", "run"}, .born = 0, .items = {paying("ann", 1)}}, {});
    stage.run(rival, coordinator::phase::committing);
    auto call = called(planned({paying("ann", 2)}), {.policy = wait_policy::fail_fast});
    stage.run(call);
    CHECK(call.decided() == verdict::rolled_back);
    CHECK(call.why().code == errc::locked);
    CHECK(call.why().details.key == "ann");
}

TEST_CASE("a call without an answer is sent again to the byte, and its outcome is told") {
    engine_stage stage;
    stage.put(account("ann", 10));
    auto call = called(planned({paying("ann", 3)}));
    const auto first = wanted_by(call);
    REQUIRE(stage.execute(first).has_value());
    call.answer(0, unheard());
    CHECK(call.decided() == verdict::open);
    const auto second = wanted_by(call);
    CHECK(std::get<transact_write_items_request>(second).client_request_token ==
          std::get<transact_write_items_request>(first).client_request_token);
    call.answer(0, read_answer(stage.execute(second)));
    CHECK(call.decided() == verdict::committed);
    CHECK(find_integer(*stage.find("ann"), "balance") == 7);
}

TEST_CASE("a call that is refused while a copy of it may still land is in doubt, unless that copy never can") {
    engine_stage stage;
    stage.put(account("ann", 1));
    auto poor = called(planned({paying("ann", 3)}));
    static_cast<void>(wanted_by(poor));
    poor.answer(0, unheard());
    stage.one_step(poor);
    CHECK(poor.decided() == verdict::forgotten);
    CHECK(poor.why().code == errc::in_doubt);
    CHECK(poor.why().outcome == outcome::unknown);
    CHECK(poor.why().details.key == "ann");

    auto once = called(planned({paying("ann", 1)}));
    stage.run(once);
    auto pinned = paying("ann", 0);
    pinned.seen = sight_of(plain_accounts(), stage.find("ann")).value();
    auto late = called(planned({pinned}));
    static_cast<void>(wanted_by(late));
    late.answer(0, unheard());
    auto other = called(planned({paying("ann", 0)}));
    stage.run(other);
    stage.one_step(late);
    CHECK(late.decided() == verdict::rolled_back);
    CHECK(late.why().code == errc::conflict);
}

TEST_CASE("a call that nobody answers is in doubt while the service still knows its token") {
    auto call = called(planned({paying("ann", 3)}));
    std::chrono::nanoseconds paused{};
    unsigned copies = 0;
    while (auto wanted = call.next(0)) {
        paused += wanted->pause;
        ++copies;
        call.answer(0, unheard());
    }
    CHECK(call.decided() == verdict::forgotten);
    CHECK(call.why().code == errc::in_doubt);
    CHECK(paused > std::chrono::minutes(8));
    CHECK(paused < std::chrono::minutes(10));
    CHECK(copies > 500);

    // Each copy takes its time until it is given up.
    auto slow = called(planned({paying("ann", 3)}));
    std::int64_t wall = 1'700'000'000;
    for (copies = 0; slow.next(wall); ++copies) {
        slow.answer(0, unheard());
        wall += 10;
    }
    CHECK(slow.why().code == errc::in_doubt);
    CHECK(copies == 54);
}

TEST_CASE("a call that is in the way of others waits for them, and says what is wrong with it") {
    auto call = called(planned({paying("ann", 3)}));
    for (unsigned i = 0; i < 3; ++i) {
        const auto wanted = call.next(0).value();
        CHECK((i == 0) == (wanted.pause == std::chrono::nanoseconds{}));
        failure why(errc::transaction_canceled);
        why.reasons = {{.code = "TransactionConflict", .message = "", .current = {}}};
        call.answer(0, read_answer(why));
    }
    CHECK(call.decided() == verdict::open);
    static_cast<void>(wanted_by(call));
    call.stop(errc::cancelled);
    CHECK(call.decided() == verdict::open);
    call.answer(0, unheard());
    CHECK(call.why().code == errc::in_doubt);

    auto stopped = called(planned({paying("ann", 3)}));
    stopped.stop(errc::cancelled);
    CHECK(stopped.decided() == verdict::rolled_back);
    CHECK(stopped.why().code == errc::cancelled);
}

TEST_CASE("a call that keeps its outcome answers for its id, and for a copy without an answer") {
    engine_stage stage;
    stage.put(account("ann", 10));
    auto first = called(keeping_outcome({paying("ann", 3)}));
    CHECK(stage.run(first).writes == 1);
    CHECK(first.decided() == verdict::committed);
    CHECK(!first.why().code);
    CHECK(stage.header("4711")->done);

    auto again = called(keeping_outcome({paying("ann", 3)}, "again"));
    stage.run(again);
    CHECK(again.decided() == verdict::committed);
    CHECK(again.why().code == errc::already_committed);
    CHECK(find_integer(*stage.find("ann"), "balance") == 7);
    auto with_marks = coordinated({paying("ann", 3)}, {"4711", "marks"});
    stage.run(with_marks);
    CHECK(with_marks.decided() == verdict::committed);
    CHECK(with_marks.why().code == errc::already_committed);
}

TEST_CASE("a call that keeps its outcome goes over a run that was rolled back, and not over one at work") {
    engine_stage stage;
    stage.put(account("ann", 10));
    auto before = coordinated({paying("ann", 30)}, {"4711", "before"});
    const bool at_work = GENERATE(false, true);
    stage.run(before, at_work ? coordinator::phase::locking : coordinator::phase::ended);
    auto call = called(keeping_outcome({paying("ann", 3)}));
    CHECK(stage.run(call).writes == (at_work ? 1 : 2));
    CHECK(call.decided() == (at_work ? verdict::rolled_back : verdict::committed));
    if (at_work) CHECK(call.why().code == errc::conflict);
}

TEST_CASE("a call that keeps its outcome, and is refused while a copy may land, sees to it that none does") {
    engine_stage stage;
    stage.put(account("ann", 1));
    auto call = called(keeping_outcome({paying("ann", 3)}));
    const auto copy = wanted_by(call);
    call.answer(0, unheard());
    stage.one_step(call);
    CHECK(call.now() == phase::withdrawing);
    SECTION("before the copy lands") {
        stage.run(call);
        CHECK(call.decided() == verdict::rolled_back);
        CHECK(call.why().code == errc::condition_failed);
        stage.put(account("ann", 10));
        CHECK(!stage.execute(copy).has_value());
        CHECK(stage.find("ann") == account("ann", 10));

        auto next = called(keeping_outcome({paying("ann", 3)}, "next"));
        stage.run(next);
        CHECK(next.decided() == verdict::committed);
        CHECK(!stage.execute(copy).has_value());
    }
    SECTION("after it") {
        stage.put(account("ann", 10));
        CHECK(stage.execute(copy).has_value());
        stage.run(call);
        CHECK(call.decided() == verdict::committed);
        CHECK(!call.why().code);
    }
}

}  // namespace dynalease::protocol::test
