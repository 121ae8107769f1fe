// The decisions of transactions, case by case.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/transaction_decisions.hpp"
#include "item/protocol/item_state.hpp"
#include "transaction/protocol/sweep_watch.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace dynalease::protocol::test {

using namespace std::chrono_literals;

namespace {

const run_name mine{"4711", "run"};
const run_name other_run{"4711", "older"};
const run_name stranger{"99", "run"};

item_stamp stamp(int number) {
    item_stamp made{};
    made[0] = static_cast<std::byte>(number);
    return made;
}

const lock_name here{stamp(2), stamp(1)};

item_mark mark_by(const run_name& owner, std::int64_t write = 1) {
    return {.owner = owner, .lock = here, .write = write};
}

std::optional<transaction_header> row(header_state state, const run_name& name = mine, bool done = false) {
    transaction_header header{.name = name, .state = state, .done = done};
    if (state == header_state::committed && !done) header.locks = {{1, here}};
    return header;
}

std::optional<transaction_header> names_lock(const lock_name& lock) {
    auto header = row(header_state::committed);
    header->locks = {{1, lock}};
    return header;
}

const std::optional<transaction_header> none{};

}  // namespace

TEST_CASE("what becomes of a mark is told by the row of its run alone") {
    const auto mark = mark_by(mine);
    CHECK(decide_mark(mark, row(header_state::pending)) == mark_fate::undecided);
    CHECK(decide_mark(mark, row(header_state::committed)) == mark_fate::keep);
    CHECK(decide_mark(mark, row(header_state::rolled_back)) == mark_fate::undo);
    CHECK(decide_mark(mark, none) == mark_fate::undo);
    CHECK(decide_mark(mark, row(header_state::committed, mine, true)) == mark_fate::undo);
    CHECK(decide_mark(mark, row(header_state::pending, other_run)) == mark_fate::undo);
    CHECK(decide_mark(mark, row(header_state::committed, other_run)) == mark_fate::undo);
}

TEST_CASE("a commit keeps the locks that it names, to the stamp before") {
    const auto mark = mark_by(mine);
    CHECK(decide_mark(mark, names_lock({stamp(2), stamp(3)})) == mark_fate::undo);
    CHECK(decide_mark(mark, names_lock({stamp(2), {}})) == mark_fate::undo);
    CHECK(decide_mark(mark, names_lock({stamp(3), stamp(1)})) == mark_fate::undo);
}

TEST_CASE("a reader of the latest value reads again where the run ended meanwhile, once") {
    const auto mark = mark_by(mine);
    CHECK(decide_read(mark, row(header_state::pending), false) == read_step::before);
    CHECK(decide_read(mark, row(header_state::committed), false) == read_step::after);
    CHECK(decide_read(mark, row(header_state::rolled_back), false) == read_step::before);
    for (const auto& ended : {none, row(header_state::committed, mine, true), row(header_state::pending, other_run)}) {
        CHECK(decide_read(mark, ended, false) == read_step::read_again);
        CHECK(decide_read(mark, ended, true) == read_step::before);
    }
}

TEST_CASE("what is learned of a run after a moment tells of that moment what cannot have changed since") {
    const auto mark = mark_by(mine);
    const auto told = [&](const std::optional<transaction_header>& header) {
        return std::pair(decide_moment(mark, header, false), decide_moment(mark, header, true));
    };
    using enum moment_step;
    CHECK(told(row(header_state::pending)) == std::pair(before, another));
    CHECK(told(row(header_state::committed)) == std::pair(another, after));
    CHECK(told(names_lock({stamp(3), stamp(1)})) == std::pair(before, before));
    for (const bool done : {false, true}) {
        CHECK(told(row(header_state::rolled_back, mine, done)) == std::pair(before, before));
    }
    for (const auto& ended : {none, row(header_state::committed, mine, true), row(header_state::pending, other_run)}) {
        CHECK(told(ended) == std::pair(another, before));
    }
}

TEST_CASE(
    "pages that are missing tell of a run that is not decided to roll it back, and of a committed one to look again") {
    const auto told = [&](header_state state, bool takes_over, bool looked_again) {
        return decide_pages(*row(state), false, takes_over, looked_again);
    };
    using enum pages_step;
    for (const auto state : {header_state::pending, header_state::committed, header_state::rolled_back}) {
        CHECK(decide_pages(*row(state), true, true, true) == complete);
    }
    for (const bool again : {false, true}) {
        CHECK(told(header_state::pending, true, again) == roll_back);
        CHECK(told(header_state::pending, false, again) == nothing_held);
        CHECK(told(header_state::rolled_back, true, again) == nothing_held);
        CHECK(told(header_state::committed, true, again) == (again ? damaged : look_again));
    }
}

TEST_CASE("a refused check tells whether to resolve a rival, to run again, what is not so, or that the guard is lost") {
    planned_check check{
        .on = {.layout = {.table = "accounts", .key = "id"}}, .key = {{"id", "ann"}}, .seen = item_sight{}};
    const std::optional<item_mark> unmarked;
    const item ann{{"id", "ann"}};
    CHECK(decide_check(check, ann, unmarked) == check_step::changed);
    CHECK(decide_check(check, ann, mark_by(stranger)) == check_step::rival);
    SECTION("of a demand") {
        check.demand = attr("state") == "open";
        CHECK(decide_check(check, ann, unmarked) == check_step::condition_false);
        CHECK(decide_check(check, ann, mark_by(stranger)) == check_step::rival);
        // As it was seen, it would have been another's.
        CHECK(decide_check(check, std::nullopt, unmarked) == check_step::changed);
        CHECK(decide_check(check, item{{"id", "ann"}, {"_stamp", bytes_of(stamp(3))}}, unmarked) ==
              check_step::changed);
        check.seen.reset();
        CHECK(decide_check(check, ann, unmarked) == check_step::condition_false);
        CHECK(decide_check(check, std::nullopt, unmarked) == check_step::missing);
        CHECK(decide_check(check, item{{"id", "ann"}, {"_gone", true}}, unmarked) == check_step::missing);
    }
    SECTION("of a fence") {
        check.fence = condition_check{.table_name = "locks", .key = {{"pk", "x"}}, .condition_expression = "c"};
        CHECK(decide_check(check, ann, unmarked) == check_step::lost);
        // Beside what was seen of the same item.
        CHECK(decide_check(check, ann, mark_by(stranger)) == check_step::rival);
        CHECK(decide_check(check, std::nullopt, unmarked) == check_step::changed);
        check.seen.reset();
        CHECK(decide_check(check, ann, mark_by(stranger)) == check_step::lost);
    }
    SECTION("of a fence of the item's own lock, beside a demand") {
        check.demand = attr("state") == "open";
        check.fence = condition_check{.table_name = "accounts", .key = {{"id", "ann"}}, .condition_expression = "c"};
        check.fence->values = {{":sa", "~s~1/2."}};
        auto held = ann;
        CHECK(decide_check(check, held, unmarked) == check_step::lost);
        CHECK(decide_check(check, std::nullopt, unmarked) == check_step::lost);
        held["_lockW"] = "~t~1/2.0000000001";
        CHECK(decide_check(check, held, unmarked) == check_step::lost);
        held["_lockW"] = "~s~1/2.0000000007";
        CHECK(decide_check(check, held, unmarked) == check_step::condition_false);
        check.fence->values.emplace(":reader", "~s~1/3");
        CHECK(decide_check(check, held, unmarked) == check_step::lost);
        held["_lockR"] = string_set{"~s~1/3", "~t~1/1"};
        CHECK(decide_check(check, held, unmarked) == check_step::condition_false);
    }
    CHECK(refused_check(check_step::lost, {}).code == errc::lock_lost);
    CHECK(refused_check(check_step::changed, ann).code == errc::conflict);
    CHECK(refused_check(check_step::missing, {}).code == errc::missing);
    CHECK(refused_check(check_step::condition_false, ann).code == errc::condition_failed);
    CHECK(refused_check(check_step::condition_false, ann).current == ann);
}

TEST_CASE("an item tells of a write by its stamp, its trail, or what lies before a mark") {
    const guarded_table on{.layout = {.table = "accounts", .key = "id"}};
    const planned_write write{.stamp = stamp(3)};
    const auto bytes = bytes_of(stamp(3));
    const auto other = bytes_of(stamp(4));
    CHECK(!tells_of(on, write, std::nullopt));
    CHECK(!tells_of(on, write, item{{"id", "ann"}}));
    CHECK(!tells_of(on, write, item{{"id", "ann"}, {"_stamp", other}}));
    CHECK(tells_of(on, write, item{{"id", "ann"}, {"_stamp", bytes}}));
    CHECK(tells_of(on, write, item{{"id", "ann"}, {"_stamp", other}, {"_trail", bytes}}));
    item marked{{"id", "ann"}, {"_stamp", other}, {"_TxId", "99/run"}, {"_TxP", bytes}, {"_TxO", "U"}, {"_TxR", 1}};
    CHECK(tells_of(on, write, marked));
    marked.insert_or_assign("_TxP", bytes_of(stamp(5)));
    CHECK(!tells_of(on, write, marked));
}

TEST_CASE("only a stamp that has gone never comes back") {
    const guarded_table on{.layout = {.table = "accounts", .key = "id"}, .versioned = true};
    const item_sight seen{.stamp = stamp(3), .version = 1};
    const auto shown = [](int number) { return item{{"id", "ann"}, {"_stamp", bytes_of(stamp(number))}}; };
    CHECK(never_again(on, seen, shown(4)));
    CHECK(!never_again(on, seen, shown(3)));
    CHECK(!never_again(on, std::nullopt, shown(4)));
    CHECK(!never_again(on, item_sight{}, shown(4)));
    CHECK(!never_again(on, item_sight{.absent = true}, shown(4)));
    CHECK(!never_again(on, seen, std::nullopt));
    CHECK(!never_again(on, seen, item{{"id", "ann"}}));
}

TEST_CASE("a refused begin tells whose run it is") {
    CHECK(decide_begin(none, mine) == begin_step::begin);
    CHECK(decide_begin(row(header_state::pending), mine) == begin_step::begun);
    CHECK(decide_begin(row(header_state::rolled_back), mine) == begin_step::rolled_back);
    CHECK(decide_begin(row(header_state::committed), mine) == begin_step::committed);
    CHECK(decide_begin(row(header_state::committed, other_run, true), mine) == begin_step::committed);
    CHECK(decide_begin(row(header_state::pending, other_run), mine) == begin_step::others);
    CHECK(decide_begin(row(header_state::rolled_back, other_run), mine) == begin_step::others);
    CHECK(decide_begin(row(header_state::rolled_back, other_run, true), mine) == begin_step::over);
}

TEST_CASE("a refused lock tells why, by what the item shows") {
    planned_item what{.on = {.layout = {.table = "accounts", .key = "id"}}, .key = {{"id", "ann"}}, .writes = {{}}};
    const std::optional<item> absent{};
    const std::optional<item> free = item{{"id", "ann"}};
    const std::optional<item_mark> unmarked{};
    const auto decide = [&](const std::optional<item>& shown, const std::optional<item_mark>& mark,
                            const std::optional<item_mark>& held = {}, std::int64_t number = 1) {
        return decide_lock({.what = what, .mine = mine, .number = number, .held = held, .shown = shown, .mark = mark});
    };
    const auto with = [&](const char* name) {
        auto shown = free;
        shown->emplace(name, "x");
        return shown;
    };
    CHECK(decide(absent, unmarked) == lock_step::missing);
    CHECK(decide(free, unmarked) == lock_step::condition_false);
    CHECK(decide(with("_gone"), unmarked) == lock_step::missing);
    CHECK(decide(with("_lockW"), unmarked) == lock_step::locked);
    CHECK(decide(with("_lockR"), unmarked) == lock_step::locked);
    CHECK(decide(with("_born"), unmarked) == lock_step::has_versions);
    CHECK(decide(free, mark_by(stranger)) == lock_step::rival);
    CHECK(decide(free, mark_by(other_run)) == lock_step::rival);
    CHECK(decide(free, mark_by(mine)) == lock_step::held);
    CHECK(decide(free, mark_by(mine, 2)) == lock_step::held);

    // Of an item that the transaction saw.
    what.seen = item_sight{};
    CHECK(decide(free, unmarked) == lock_step::condition_false);
    CHECK(decide(with("_lockW"), unmarked) == lock_step::locked);
    CHECK(decide(absent, unmarked) == lock_step::changed);
    CHECK(decide(with("_gone"), unmarked) == lock_step::changed);
    CHECK(decide(free, mark_by(stranger)) == lock_step::rival);
    auto stamped = free;
    stamped->emplace("_stamp", bytes_of(stamp(3)));
    CHECK(decide(stamped, unmarked) == lock_step::changed);
    what.seen = item_sight{.stamp = stamp(3)};
    CHECK(decide(stamped, unmarked) == lock_step::condition_false);
    stamped->emplace("version", 5);
    CHECK(decide(stamped, unmarked) == lock_step::condition_false);
    what.on.versioned = true;
    CHECK(decide(stamped, unmarked) == lock_step::changed);
    what.on.versioned = false;
    what.seen = item_sight{.absent = true};
    what.writes[0].kind = mark_kind::inserted;
    CHECK(decide(free, unmarked) == lock_step::changed);
    CHECK(decide(with("_gone"), unmarked) == lock_step::exists);
    what.seen.reset();
    CHECK(decide(free, unmarked) == lock_step::exists);
    what.writes[0].kind = mark_kind::updated;

    // Of a second write.
    CHECK(decide(free, mark_by(mine), {}, 2) == lock_step::again);
    CHECK(decide(free, mark_by(mine), mark_by(mine), 2) == lock_step::condition_false);
    auto landed_again = mark_by(mine);
    landed_again.lock.before = stamp(9);
    CHECK(decide(free, landed_again, mark_by(mine), 2) == lock_step::again);
    CHECK(decide(free, unmarked, mark_by(mine), 2) == lock_step::lost);
    CHECK(decide(absent, unmarked, mark_by(mine), 2) == lock_step::lost);
    CHECK(decide(free, mark_by(stranger), mark_by(mine), 2) == lock_step::lost);

    what.on.versioned = true;
    CHECK(decide(with("_born"), unmarked) == lock_step::unreadable);
    CHECK(decide(with("_stamp"), unmarked) == lock_step::unreadable);
    what.writes.front().kind = mark_kind::inserted;
    CHECK(decide(free, unmarked) == lock_step::exists);
    CHECK(decide(with("_gone"), unmarked) == lock_step::exists);
}

TEST_CASE("a refused commit is never guessed from a row that is not there") {
    CHECK(decide_commit(row(header_state::committed), mine) == commit_step::committed);
    CHECK(decide_commit(row(header_state::committed, mine, true), mine) == commit_step::committed);
    CHECK(decide_commit(row(header_state::rolled_back), mine) == commit_step::rolled_back);
    CHECK(decide_commit(row(header_state::pending), mine) == commit_step::again);
    CHECK(decide_commit(none, mine) == commit_step::forgotten);
    CHECK(decide_commit(row(header_state::rolled_back, other_run), mine) == commit_step::forgotten);
}

TEST_CASE("of two rivals the older one wins, and one without a sign of life loses") {
    const transaction_header rival{.name = stranger, .born = 100};
    const seniority older{50, "a"};
    const seniority younger{150, "a"};
    const auto decide = [&](wait_policy policy, const seniority& self, std::chrono::nanoseconds silent,
                            std::chrono::nanoseconds waited) {
        return decide_rival(rival, self, {.policy = policy, .patience = 5s, .limit = 3s}, silent, waited);
    };
    using enum wait_policy;
    CHECK(decide(wound_wait, older, 0s, 0s) == rival_step::roll_back);
    CHECK(decide(wound_wait, younger, 0s, 0s) == rival_step::wait);
    CHECK(decide(wound_wait, younger, 0s, 3s) == rival_step::give_up);
    CHECK(decide(wound_wait, younger, 5s, 3s) == rival_step::roll_back);
    CHECK(decide(wait, older, 0s, 0s) == rival_step::wait);
    CHECK(decide(wait, older, 0s, 3s) == rival_step::give_up);
    CHECK(decide(fail_fast, older, 0s, 0s) == rival_step::give_up);
    CHECK(decide(fail_fast, younger, 5s, 0s) == rival_step::roll_back);
    // Born at the same time: by id, and so never both.
    CHECK(decide(wound_wait, {100, "98"}, 0s, 0s) == rival_step::roll_back);
    CHECK(decide(wound_wait, {100, "999"}, 0s, 0s) == rival_step::wait);
}

TEST_CASE("who closes no circle of waiting lets a younger one finish, for a time") {
    const transaction_header rival{.name = stranger, .born = 100};
    const auto decide = [&](std::int64_t born, std::chrono::nanoseconds waited, std::chrono::nanoseconds limit) {
        return decide_rival(rival, {born, "a"}, {.limit = limit, .courtesy = 1s}, 0s, waited);
    };
    CHECK(decide(50, 999ms, 3s) == rival_step::wait);
    CHECK(decide(50, 1s, 3s) == rival_step::roll_back);
    CHECK(decide(50, 500ms, 500ms) == rival_step::roll_back);
    CHECK(decide(150, 1s, 3s) == rival_step::wait);
    CHECK(decide(150, 3s, 3s) == rival_step::give_up);
}

TEST_CASE("a refused write to what is held is told by what lies there now") {
    planned_item what{.on = {.layout = {.table = "t", .key = "id"}, .versioned = true},
                      .key = {{"id", "x"}},
                      .writes = {{.stamp = stamp(7)}}};
    const auto held = mark_by(mine);
    const std::optional<item> shown = item{{"id", "x"}, {"version", 5}};
    CHECK(decide_held(what, held, shown, held) == lock_step::condition_false);
    CHECK(decide_held(what, held, std::nullopt, std::nullopt) == lock_step::lost);
    CHECK(decide_held(what, held, shown, std::nullopt) == lock_step::lost);
    CHECK(decide_held(what, held, shown, mark_by(stranger)) == lock_step::lost);
    auto landed_again = held;
    landed_again.lock.before = stamp(9);
    CHECK(decide_held(what, held, shown, landed_again) == lock_step::lost);
    what.on.layout.version_limit = 5;
    CHECK(decide_held(what, held, shown, held) == lock_step::overflow);
    what.writes[0].kind = mark_kind::inserted;
    CHECK(decide_held(what, held, shown, held) == lock_step::exists);
}

TEST_CASE("a sweeper takes a row for left when it has stood still on its own clock") {
    sweep_watch watch(30s);
    const time_point start{1h};
    auto header = *row(header_state::pending);
    CHECK(watch.sight(header, start) == sweep_step::leave);
    CHECK(watch.sight(header, start + 29s) == sweep_step::leave);
    CHECK(watch.sight(header, start + 30s) == sweep_step::roll_back);
    header.beat = 1;
    CHECK(watch.sight(header, start + 40s) == sweep_step::leave);
    CHECK(watch.sight(header, start + 70s) == sweep_step::roll_back);
    header.state = header_state::rolled_back;
    CHECK(watch.sight(header, start + 80s) == sweep_step::leave);
    CHECK(watch.sight(header, start + 110s) == sweep_step::finish);
    header.name.run = "another";
    header.state = header_state::committed;
    CHECK(watch.sight(header, start + 200s) == sweep_step::leave);
    CHECK(watch.sight(header, start + 230s) == sweep_step::finish);
    header.done = true;
    CHECK(watch.sight(header, start + 300s) == sweep_step::leave);
    CHECK(watch.size() == 1);
    watch.end_pass(start + 230s);
    CHECK(watch.size() == 1);
    watch.end_pass(start + 231s);
    CHECK(watch.size() == 0);
}

TEST_CASE("a sweeper looks once at what is set aside, whatever becomes of the id") {
    sweep_watch watch(30s);
    const time_point start{1h};
    auto aside = *row(header_state::rolled_back, other_run);
    aside.aside_until = 7;
    aside.sort = other_run.run;
    CHECK(watch.sight(aside, start) == sweep_step::look);
    CHECK(watch.sight(*row(header_state::pending), start) == sweep_step::leave);
    CHECK(watch.sight(aside, start + 30s) == sweep_step::leave);
    CHECK(watch.sight(*row(header_state::pending), start + 30s) == sweep_step::roll_back);
    watch.end_pass(start + 1s);
    CHECK(watch.size() == 2);
    sweep_watch another(30s);
    CHECK(another.sight(aside, start) == sweep_step::look);
    aside.done = true;
    CHECK(another.sight(aside, start) == sweep_step::leave);
}

}  // namespace dynalease::protocol::test
