// Transactions that want more than one row can keep.
// SPDX-License-Identifier: BSL-1.0
#include "bank.hpp"
#include "engine_stage.hpp"

#include "transaction/protocol/plan_limits.hpp"
#include "transaction/protocol/plan_pages.hpp"
#include "transaction/protocol/plan_reader.hpp"
#include "transaction/protocol/stored_writes.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

namespace {

/// To so many items, with so many bytes for each.
std::vector<planned_item> large(std::size_t items, std::size_t bytes) {
    std::vector<planned_item> all;
    for (std::size_t i = 0; i < items; ++i) {
        all.push_back(updating(plain_accounts(), "a" + std::to_string(i), set("note", std::string(bytes, 'x'))));
    }
    return all;
}

void make_items(engine_stage& s, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) s.put({{"id", "a" + std::to_string(i)}, {"balance", 0}});
}

std::size_t pages_in(engine_stage& s) {
    const auto all = s.execute(scan_request{.table_name = table, .consistent_read = true});
    const auto& rows = std::get<page_response>(*all).items;
    return static_cast<std::size_t>(std::ranges::count_if(
        rows, [](const item& row) { return find_string(row, "sk")->find('#') != std::string::npos; }));
}

std::size_t changed(engine_stage& s, std::size_t count) {
    std::size_t all = 0;
    for (std::size_t i = 0; i < count; ++i) all += s.find("a" + std::to_string(i))->contains("note") ? 1U : 0U;
    return all;
}

/// As another process would read it, and bring it to its end.
coordinator read_and_taken_over(engine_stage& s, const std::string& id) {
    auto reader = plan_reader::taking_over(table, id);
    while (!reader.ended()) {
        std::vector<errand> wanted;
        while (auto next = reader.next(0)) wanted.push_back(*std::move(next));
        for (auto& each : wanted) reader.answer(each.slot, read_answer(s.execute(each.request)));
    }
    REQUIRE_FALSE(reader.why().code);
    return taken_over(reader.found().value(), {.patience = {}});
}

}  // namespace

TEST_CASE("what a row cannot keep is dealt out to pages, each of which is a row") {
    transaction_plan plan{.name = {"4711", "run"}, .items = large(1'000, 200)};
    CHECK(pages_of(plan).empty());
    plan.items = large(1'000, 1'000);
    const auto pages = pages_of(plan);
    CHECK(pages.size() == 4);
    CHECK_FALSE(fault_of_inline(table, plan));
    std::size_t items = 0;
    for (const auto& each : pages) items += planned_in(each.writes).value().size();
    CHECK(items == 1'000);
    CHECK(end_of_call(pages, 0, most_bytes_at_once) == 4);
    // An id that is run again finds no page of the run before.
    CHECK(page_key({"4711", "run"}, 1) != page_key({"4711", "again"}, 1));

    plan.items = large(30, 350'000);
    const auto large_ones = pages_of(plan);
    CHECK(large_ones.size() == 30);
    CHECK(end_of_call(large_ones, 0, most_bytes_at_once) == 11);
    CHECK(end_of_call(large_ones, 11, most_bytes_at_once) == 22);
    plan.items = large(100, 350'000);
    REQUIRE(fault_of_inline(table, plan));
    CHECK(fault_of_inline(table, plan)->code == errc::item_too_large);
}

TEST_CASE("a transaction of a thousand items that no row can keep costs one call more") {
    engine_stage s;
    make_items(s, 1'000);
    auto run = coordinated(large(1'000, 1'000));
    const auto seen = s.run(run);
    CHECK(run.decided() == run_verdict::committed);
    CHECK(seen.writes == 2 * 1'000 + 3 + 1);
    CHECK(changed(s, 1'000) == 1'000);
    CHECK(pages_in(s) == 0);
    CHECK(s.header("4711")->done);
}

TEST_CASE("pages of more than one call are stored by several, one after the other") {
    engine_stage s;
    make_items(s, 12);
    auto run = coordinated(large(12, 380'000));
    const auto seen = s.run(run);
    CHECK(run.decided() == run_verdict::committed);
    CHECK(seen.writes == 2 * 12 + 3 + 2);
    CHECK(changed(s, 12) == 12);
    CHECK(pages_in(s) == 0);
}

TEST_CASE("who takes over a run with pages carries it on, or gives back what it holds") {
    const auto carries_on = GENERATE(true, false);
    engine_stage s;
    make_items(s, 3);
    auto run = coordinated(large(3, 300'000));
    s.one_step(run);
    s.one_step(run);
    s.one_step(run);
    CHECK(run.now() == coordinator::phase::locking);
    CHECK(pages_in(s) == 3);
    auto other = read_and_taken_over(s, "4711");
    if (!carries_on) other.stop(errc::cancelled);
    s.run(other);
    CHECK(other.decided() == (carries_on ? run_verdict::committed : run_verdict::rolled_back));
    CHECK(changed(s, 3) == (carries_on ? 3 : 0));
    CHECK(pages_in(s) == 0);
    CHECK(s.header("4711")->done);
}

TEST_CASE("a run whose pages are not all there is rolled back by who takes it over: it holds nothing") {
    const auto stored = GENERATE(0, 1);
    engine_stage s;
    make_items(s, 12);
    auto run = coordinated(large(12, 380'000));
    s.one_step(run);
    for (int i = 0; i < stored; ++i) s.one_step(run);
    CHECK(run.now() == coordinator::phase::storing);
    auto other = read_and_taken_over(s, "4711");
    s.run(other);
    CHECK(other.decided() == run_verdict::rolled_back);
    CHECK(pages_in(s) == 0);
    // The first one is told, and stores nothing any more.
    s.run(run);
    CHECK(run.decided() == run_verdict::rolled_back);
    CHECK(pages_in(s) == 0);
    CHECK(changed(s, 12) == 0);
}

TEST_CASE("a committed run of which a page is gone is left alone, and named") {
    engine_stage s;
    make_items(s, 3);
    auto run = coordinated(large(3, 300'000));
    while (run.decided() == run_verdict::open) s.one_step(run);
    const auto key = page_key({"4711", "run"}, 2);
    REQUIRE(s.execute(delete_item_request{.table_name = table, .key = key}).has_value());
    auto reader = plan_reader::taking_over(table, "4711");
    while (!reader.ended()) {
        auto next = reader.next(0);
        REQUIRE(next);
        reader.answer(next->slot, read_answer(s.execute(next->request)));
    }
    CHECK(reader.why().code == errc::corrupt_row);
    CHECK_FALSE(s.header("4711")->done);
}

TEST_CASE("a run with pages that has copies of locks on their way is set aside by rows that name its items alone") {
    engine_stage s;
    make_items(s, 3);
    auto run = coordinated(large(3, 300'000));
    while (run.now() != coordinator::phase::locking) s.one_step(run);
    const auto lock = run.next(0).value();
    run.answer(lock.slot,
               {.kind = dynalease::detail::answer::unanswered, .why = failure(errc::timeout, outcome::unknown)});
    s.run(run);
    CHECK(run.decided() == run_verdict::committed);
    CHECK(pages_in(s) == 0);
    const auto aside = s.world().execute(get_item_request{.table_name = table, .key = aside_key({"4711", "run"})});
    REQUIRE(aside.value().found);
    CHECK(item_size(*aside.value().found) < 1'000);
}

TEST_CASE("what many items are set aside by is several rows") {
    transaction_plan plan{.name = {"4711", "run"}, .items = large(14'000, 10)};
    const auto parts = places_of(plan);
    CHECK(parts.size() > 1);
    std::size_t items = 0;
    for (const auto& each : parts) items += planned_in(each).value().size();
    CHECK(items == 14'000);
    CHECK(aside_key(plan.name, 0).at("sk") != aside_key(plan.name, 1).at("sk"));
}

}  // namespace dynalease::protocol::test

using namespace dynalease;
using namespace dynalease::tests;

TEST_CASE("a process dies with pages stored, and a sweep gives back what it held and removes them") {
    for (const std::size_t writes : {1U, 2U, 3U, 4U}) {
        bank s;
        for (int i = 0; i < 3; ++i) s.has("a" + std::to_string(i), 1);
        bank::stop_after(s.a, writes);
        const auto body = [](bank& in) -> asio::awaitable<void> {
            const auto book = bank::table_of(in.a);
            const auto all = bank::transactions_of(in.a);
            const run_options options{.id = "large", .tier = transaction_tier::inline_undo};
            const auto write = [&](transaction& tx) -> asio::awaitable<void> {
                for (int i = 0; i < 3; ++i) {
                    tx.update(book, "a" + std::to_string(i), set("note", std::string(300'000, 'x')));
                }
                co_return;
            };
            co_await all.run(write, options);
        };
        {
            running stuck(s.where, s.a, body(s));
            s.where.scheduler.run_for(2s);
            REQUIRE_FALSE(stuck.done());
            s.a.crash();
        }
        run(s.where, s.b, [](bank& in, bool stored) -> asio::awaitable<void> {
            const auto all = bank::transactions_of(in.b);
            const auto seen = co_await all.look("large");
            CHECK(seen.state == transaction_state::pending);
            CHECK(seen.items.size() == (stored ? 3 : 0));
            const auto listed = co_await all.list();
            REQUIRE(listed.size() == 1);
            CHECK(listed.front().id == "large");
            CHECK(listed.front().state == transaction_state::pending);
            CHECK(listed.front().items.size() == seen.items.size());
            const sweep_options how{.older_than = 1s};
            const auto swept = co_await all.sweep(how);
            CHECK(swept.rolled_back == 1);
            CHECK(swept.failed == 0);
            const auto end = co_await all.look("large");
            CHECK(end.state == transaction_state::rolled_back);
            CHECK(end.done);
        }(s, writes > 1));
        for (int i = 0; i < 3; ++i) {
            CHECK_FALSE(s.is_marked("a" + std::to_string(i)));
            CHECK(s.stored("a" + std::to_string(i)).size() == 2);
        }
        for (const auto& row : s.where.simulated.image("coordination")) {
            CHECK(find_string(row, "sk")->find('#') == std::string::npos);
        }
    }
}
