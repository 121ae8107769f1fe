// What is done on the stage, and what must hold at its end.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/stage.hpp"

#include "simulation/framework/machine.hpp"
#include "simulation/framework/played_world.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace dynalease::simulation::transfers {

using namespace std::chrono_literals;
namespace asio = boost::asio;

stage::actor::actor(stage& on, const char* name, std::uint64_t seed, std::int64_t drift_ppm)
    : machine(on.world, machine_on_stage(seed, drift_ppm)),
      recorder(on.item_history, name, [this] { return attempt; }),
      accounts(std::in_place, machine.database(), versioned_options{.table = table, .key = "pk", .sort_key = "sk"}),
      all(std::in_place, machine.database(), transactions_options{.table = coordination, .patience = 300ms}) {
    machine.network().set_observer(&recorder);
}

stage::stage() : item_history(world, 2, 2), a(*this, "a", 1, 900), b(*this, "b", 2, -900), c(*this, "c", 3, 0) {
    make_token();
}

void stage::make_token() {
    const auto number = wish(c, {{.item = present, .what = deed::insert}});
    c.tx->insert(*c.accounts, account{.pk = item_history::name_of(present), .sk = "-", .entries = {number}});
    ready(c);
    c.tx->commit(handler(keep(c)));
    run_for(100ms);
    if (c.told) fail("the setting does not come about");
}

std::int64_t stage::wish(actor& who, std::vector<effect> effects, run_options how) {
    const auto number = item_history.next_number();
    who.call = item_history.next_number();
    who.attempt = item_history.next_number();
    item_history.tell("", wished{.number = number, .effects = std::move(effects)});
    item_history.tell("", called{.call = who.call, .number = number});
    how.within = 10s;
    who.tx.emplace(who.all->begin(std::move(how)));
    read_.clear();
    return number;
}

namespace {

asio::awaitable<void> get(transaction& tx, const versioned<account>& from, std::size_t item,
                          std::optional<account>& into) {
    auto reading = tx.get(from, stage::key(item));
    into = co_await std::move(reading);
}

}  // namespace

std::optional<account> stage::read(actor& who, std::size_t item) {
    std::optional<account> found;
    asio::co_spawn(who.machine.environment().executor, get(*who.tx, *who.accounts, item, found),
                   handler([](std::exception_ptr) {}));
    run_for(50ms);
    saw(item, found);
    return found;
}

void stage::saw(std::size_t item, const std::optional<account>& found) {
    item_state seen;
    if (found) seen = {.there = true, .balance = found->balance, .entries = found->entries};
    read_.push_back({.item = item, .value = std::move(seen)});
}

void stage::run_anew(actor& who) {
    who.attempt = item_history.next_number();
    read_.clear();
}

void stage::ready(actor& who, const std::string& id) {
    item_history.tell("", attempted{.attempt = who.attempt, .call = who.call, .id = id, .read = read_});
}

error_code stage::code_of(const std::exception_ptr& thrown) {
    if (!thrown) return {};
    try {
        std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& wrong) {
        return wrong.code();
    }
}

void stage::learn(actor& who, std::int64_t call, error_code code) {
    who.told = code;
    auto what = answer::refused;
    if (!code || code == errc::already_committed) what = answer::done;
    if (code == errc::in_doubt) what = answer::doubt;
    item_history.tell("", told{.call = call, .what = what});
}

testing::fault_plan stage::silent_after(std::size_t requests) {
    return [left = requests](const any_request&, const call_options&) mutable {
        if (left == 0) return testing::fault{.what = testing::fault::kind::hold};
        --left;
        return testing::fault{};
    };
}

const std::string& stage::leave_behind(actor& who, std::size_t requests) {
    who.machine.network().set_plan(silent_after(requests));
    left_ = who.tx->id();
    who.tx->commit(ignore);
    run_for(200ms);
    who.machine.crash();
    return left_;
}

void stage::destroy_handles() {
    a.tx.reset();
    a.accounts.reset();
    a.all.reset();
}

void stage::look() {
    if (item_history.checked().broken()) fail(*item_history.checked().broken());
}

void stage::conclude() {
    // What is done in the background has an end.
    run_for(90s);
    c.all->sweep({.older_than = 100ms}, handler(ignore));
    run_for(5s);
    item_history.comb();
    // Whoever meets an item frees it of what a late copy left there.
    const auto number = wish(c, {{.item = payer}, {.item = payee}});
    const attribute_value mine(attribute_list{attribute_value(number)});
    for (const auto each : {payer, payee}) {
        c.tx->update(*c.accounts, key(each), set("entries", list_append(path("entries"), mine)));
    }
    ready(c);
    c.tx->commit(handler(keep(c)));
    run_for(15s);
    if (c.told) fail("B6: another cannot write the items: " + c.told.message());
    // What was set aside is so for an hour.
    run_for(80min);
    c.all->sweep({.older_than = 100ms}, handler(ignore));
    run_for(5s);
    check_handlers();
    for (auto* each : {&a, &b, &c}) {
        each->tx.reset();
        each->accounts.reset();
        each->all.reset();
    }
    check_still(90s);
    item_history.conclude();
    look();
}

}  // namespace dynalease::simulation::transfers
