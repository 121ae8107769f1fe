// Every verb of transactions, disturbed at every request and every step.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/fault_points.hpp"
#include "simulation/transaction/stage.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::simulation::transfers {

using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

constexpr std::int64_t sum = 30;

run_options in_steps(std::optional<std::string> id = {}) {
    return {.id = std::move(id), .tier = transaction_tier::inline_undo};
}

update_expression appended(std::int64_t number) {
    const attribute_value mine(attribute_list{attribute_value(number)});
    return set("entries", list_append(path("entries"), mine));
}

// ---- bodies ----------------------------------------------------------------------------------------------------

/// Read, changed and put.
void transfer(stage& on, stage::actor& who, run_options how) {
    const auto number =
        on.wish(who, {{.item = stage::payer, .amount = -sum}, {.item = stage::payee, .amount = sum}}, std::move(how));
    for (const auto item : {stage::payer, stage::payee}) {
        auto value = on.read(who, item);
        if (!value) return on.fail("the setting does not come about");
        value->balance += item == stage::payer ? -sum : sum;
        value->entries.push_back(number);
        who.tx->put(*who.accounts, *value);
    }
    on.ready(who);
}

void a_transfers_at_once(stage& on) {
    transfer(on, on.a, {});
}
void a_transfers_under_a_name(stage& on) {
    transfer(on, on.a, {.id = "transfer"});
}
void a_transfers_in_steps(stage& on) {
    transfer(on, on.a, in_steps());
}
void a_inserts_and_erases(stage& on) {
    const auto number =
        on.wish(on.a, {{.item = stage::absent, .what = deed::insert}, {.item = stage::present, .what = deed::erase}},
                in_steps("comes and goes"));
    const account fresh{.pk = item_history::name_of(stage::absent), .sk = "-", .entries = {number}};
    on.a.tx->insert(*on.a.accounts, fresh);
    on.a.tx->erase(*on.a.accounts, stage::key(stage::present));
    on.ready(on.a);
}
void a_writes_what_depends(stage& on) {
    const auto number = on.wish(on.a, {{.item = stage::payee}}, in_steps());
    on.read(on.a, stage::payer);
    on.a.tx->update(*on.a.accounts, stage::key(stage::payee), appended(number));
    on.ready(on.a);
}
void a_writes_twice(stage& on) {
    const auto number = on.wish(on.a, {{.item = stage::payee}});
    on.a.tx->update(*on.a.accounts, stage::key(stage::payee), appended(number));
    on.a.tx->update(*on.a.accounts, stage::key(stage::payee), set("balance", attr("balance") + 0));
    on.ready(on.a);
}

// ---- locked first ----------------------------------------------------------------------------------------------

/// Another process writes what it has read, once: it runs again, and locks first.
asio::awaitable<void> pay_in_turn(stage& on, stage::actor& who, versioned<account> accounts, std::int64_t number,
                                  transaction& tx) {
    on.run_anew(who);
    for (const auto item : {stage::payer, stage::payee}) {
        auto reading = tx.get(accounts, stage::key(item));
        auto value = co_await std::move(reading);
        on.saw(item, value);
        value->balance += item == stage::payer ? -sum : sum;
        value->entries.push_back(number);
        tx.put(accounts, *value);
    }
    if (on.c.tx) {
        on.c.tx->commit(on.handler(on.keep(on.c)));
        on.c.tx.reset();
        auto& clock = *who.machine.environment().clock;
        co_await clock.async_wait_until(clock.now() + 20ms, asio::use_awaitable);
    }
    on.ready(who, tx.id());
}

asio::awaitable<void> run_in_turn(stage& on, stage::actor& who, transactions all, versioned<account> accounts,
                                  std::int64_t number, run_options how) {
    // Boost 1.81 throws out of its loop when a coroutine is cancelled before its first step.
    on.cancel.slot().assign([&on](asio::cancellation_type type) { on.cancel_body.emit(type); });
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation(),
                                                       asio::enable_total_cancellation());
    auto body = [&on, &who, accounts, number](transaction& tx) { return pay_in_turn(on, who, accounts, number, tx); };
    auto running = all.run(body, std::move(how));
    co_await std::move(running);
}

/// What it is going to find changed.
void c_interferes(stage& on) {
    const auto number = on.wish(on.c, {{.item = stage::payer}});
    on.c.tx->update(*on.c.accounts, stage::key(stage::payer), appended(number));
    on.ready(on.c);
}

template <class Handler>
void transfer_in_turn(stage& on, stage::actor& who, std::optional<std::string> id, Handler done) {
    const run_options how{.id = std::move(id), .within = 10s, .tier = transaction_tier::locked_commit};
    const auto number =
        on.wish(who, {{.item = stage::payer, .amount = -sum}, {.item = stage::payee, .amount = sum}}, how);
    who.tx.reset();
    asio::co_spawn(who.machine.environment().executor, run_in_turn(on, who, *who.all, *who.accounts, number, how),
                   asio::bind_cancellation_slot(on.cancel_body.slot(), done(on, who)));
}
auto is_told(stage& on, stage::actor& who) {
    return on.handler(on.keep_thrown(who));
}
void commit_under_locks(stage& on) {
    transfer_in_turn(on, on.a, {}, is_told);
}
void commit_under_locks_and_a_name(stage& on) {
    transfer_in_turn(on, on.a, "in turn", is_told);
}

// ---- what others have left -------------------------------------------------------------------------------------

constexpr std::size_t before_the_locks = 1;
constexpr std::size_t before_the_commit = 3;
constexpr std::size_t after_the_commit = 4;

template <std::size_t Requests>
void b_left(stage& on) {
    transfer(on, on.b, in_steps("left"));
    on.leave_behind(on.b, Requests);
}
void a_wants(stage& on) {
    const auto number = on.wish(on.a, {{.item = stage::payer}, {.item = stage::absent, .what = deed::insert}});
    on.a.tx->update(*on.a.accounts, stage::key(stage::payer), appended(number));
    const account fresh{.pk = item_history::name_of(stage::absent), .sk = "-", .entries = {number}};
    on.a.tx->insert(*on.a.accounts, fresh);
    on.ready(on.a);
}

void b_holds_and_a_wants(stage& on) {
    b_left<before_the_commit>(on);
    a_wants(on);
}
/// Reads and a call in vain; then its row, and two locks.
void b_locked_first(stage& on) {
    c_interferes(on);
    on.b.machine.network().set_plan(stage::silent_after(1 + 2 + 1 + 1 + 1 + 2));
    transfer_in_turn(on, on.b, "left", [](stage&, stage::actor&) { return ignore; });
    on.run_for(300ms);
    on.b.machine.crash();
}
void b_locked_first_and_a_wants(stage& on) {
    b_locked_first(on);
    a_wants(on);
}

// ---- verbs -----------------------------------------------------------------------------------------------------

void commit(stage& on) {
    on.a.tx->commit(on.cancelled_handler(on.keep(on.a)));
}
auto told_of_it(stage& on) {
    return [&on, before = on.item_history.checked().is_committed("left")](error_code code, transaction_state state) {
        if (!code) on.item_history.tell("", told_of{.id = "left", .what = state, .committed_before = before});
    };
}
void resume(stage& on) {
    on.a.all->resume("left", on.cancelled_handler(told_of_it(on)));
}
void resume_at_once(stage& on) {
    on.c.all->resume("left", on.handler(told_of_it(on)));
    resume(on);
}
void roll_back(stage& on) {
    on.a.all->roll_back("left", on.cancelled_handler(told_of_it(on)));
}
void look(stage& on) {
    on.a.all->look("left", on.cancelled_handler(ignore));
}
void sweep(stage& on) {
    on.a.all->sweep({.older_than = 100ms}, on.cancelled_handler(ignore));
}
void read(stage& on) {
    const auto since = on.item_history.checked().now(stage::payer);
    on.a.all->read(*on.a.accounts, stage::key(stage::payer),
                   on.cancelled_handler([&on, since](error_code code, std::optional<account> value) {
                       if (code) return;
                       item_state seen;
                       if (value) seen = {.there = true, .balance = value->balance, .entries = value->entries};
                       on.item_history.tell("", shown{.what = {.item = stage::payer, .value = std::move(seen)},
                                                      .since = since,
                                                      .level = isolation::latest});
                   }));
}

void read_together(stage& on) {
    joint_reads wanted;
    const std::vector items{stage::payer, stage::payee, stage::absent, stage::present};
    for (const auto each : items) wanted.add(*on.a.accounts, stage::key(each));
    const auto since = on.item_history.checked().events();
    on.a.all->read_together(
        wanted, on.cancelled_handler([&on, items, since, from = *on.a.accounts](error_code code, joint_sight sight) {
            if (code) return;
            shown_together seen{.number = on.item_history.next_number(), .since = since};
            for (std::size_t i = 0; i < items.size(); ++i) {
                item_state state;
                const auto value = sight.at(from, i);
                if (value) state = {.there = true, .balance = value->balance, .entries = value->entries};
                seen.read.push_back({.item = items[i], .value = std::move(state)});
            }
            on.item_history.tell("", std::move(seen));
        }));
}

/// All items, page by page.
asio::awaitable<void> walk(stage& on, database from) {
    on.cancel.slot().assign([&on](asio::cancellation_type type) { on.cancel_body.emit(type); });
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation(),
                                                       asio::enable_total_cancellation());
    const std::vector items{stage::payer, stage::payee, stage::absent, stage::present};
    std::vector<std::uint64_t> since;
    for (const auto each : items) since.push_back(on.item_history.checked().now(each));
    std::map<std::string, item_state> found;
    scan_request request{.table_name = table};
    request.limit = 2;
    request.consistent_read = true;
    committed_pages<scan_request> pages{std::move(from), std::move(request)};
    for (;;) {
        auto asking = pages.next();
        auto page = co_await std::move(asking);
        if (!page) break;
        for (const auto& each : *page) found.insert_or_assign(*find_string(each, "pk"), state_of(each));
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        seen_item seen{.item = items[i], .value = found[item_history::name_of(items[i])]};
        on.item_history.tell("", shown{.what = std::move(seen), .since = since[i], .level = isolation::committed});
    }
}
void walk_through_pages(stage& on) {
    asio::co_spawn(on.a.machine.environment().executor, walk(on, on.a.machine.database()),
                   asio::bind_cancellation_slot(on.cancel_body.slot(), on.handler([](const std::exception_ptr&) {})));
}
/// Decides nothing, and leaves no mark of what is decided.
void free_payer(stage& on) {
    const auto before = on.item_history.mark_on(stage::payer);
    on.a.all->free(*on.a.accounts, stage::key(stage::payer), on.cancelled_handler([&on, before](error_code code, bool) {
        if (!code && before && on.item_history.mark_on(stage::payer) == before)
            on.fail("B5: an item was freed, and its mark is there still");
        if (before && on.item_history.was_rolled_back_by(before->owner, ""))
            on.fail("B2: an item was freed of what was not decided");
    }));
}

constexpr operation_on<stage> operations[] = {
    {"commit in one call", a_transfers_at_once, commit},
    {"commit in one call, under an id", a_transfers_under_a_name, commit},
    {"commit step by step", a_transfers_in_steps, commit},
    {"commit an insert and an erasure", a_inserts_and_erases, commit},
    {"commit what depends on a read", a_writes_what_depends, commit},
    {"commit two writes to an item", a_writes_twice, commit},
    {"commit under locks", c_interferes, commit_under_locks},
    {"commit under locks, under an id", c_interferes, commit_under_locks_and_a_name},
    {"commit what a dead one holds", b_holds_and_a_wants, commit},
    {"commit what a dead one has locked", b_locked_first_and_a_wants, commit},
    {"resume what was locked first", b_locked_first, resume},
    {"sweep what was locked first", b_locked_first, sweep},
    {"resume what was begun", b_left<before_the_locks>, resume},
    {"resume what is held", b_left<before_the_commit>, resume},
    {"resume what was committed", b_left<after_the_commit>, resume},
    {"resume by two at once", b_left<before_the_commit>, resume_at_once},
    {"roll_back", b_left<before_the_commit>, roll_back},
    {"look", b_left<before_the_commit>, look},
    {"sweep what is held", b_left<before_the_commit>, sweep},
    {"sweep what was committed", b_left<after_the_commit>, sweep},
    {"read what is held", b_left<before_the_commit>, read},
    {"read what was committed", b_left<after_the_commit>, read},
    {"read together what is held", b_left<before_the_commit>, read_together},
    {"read together what was committed", b_left<after_the_commit>, read_together},
    {"walk through pages of what is held", b_left<before_the_commit>, walk_through_pages},
    {"walk through pages of what was committed", b_left<after_the_commit>, walk_through_pages},
    {"free what is not decided", b_left<before_the_commit>, free_payer},
    {"free what was committed", b_left<after_the_commit>, free_payer},
};

const contribution transaction_points{{.name = "transaction", .fault_points = fault_points_of<operations>}};

}  // namespace

}  // namespace dynalease::simulation::transfers
