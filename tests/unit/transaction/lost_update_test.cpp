// The histories by which the design that came before lost or doubled committed updates, one by one: each needs a lock
// of a decided transaction that lands late.
// SPDX-License-Identifier: BSL-1.0
#include "small_store.hpp"
#include "transaction_world.hpp"
#include "world_plans.hpp"

#include "transaction/protocol/coordinator.hpp"
#include "transaction/protocol/resolver.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::protocol::test {

namespace {

const rivalry impatient{.patience = {}};
const world_setting both_update_x{.name = "x", .transactions = {{"U", ""}, {"U", ""}}};

/// Transactions that are stepped by hand.
class stage {
public:
    stage() { store_.put(things, key_of_thing(0), first_thing(0)); }

    coordinator begin(std::size_t transaction) {
        coordinator made(coordination, plan_of(both_update_x, transaction, 0), impatient);
        one_step(made);
        return made;
    }
    coordinator resume(std::size_t transaction, std::size_t as) {
        const auto plan = plan_of(both_update_x, transaction, as);
        const auto* row = store_.find(coordination, transaction_key(plan.name.id));
        const auto header = parse_transaction_header(row).value().value();
        return coordinator::resumed(coordination, plan, impatient, header);
    }

    /// @returns the request that was sent and answered
    any_request one_step(coordinator& of) {
        const auto wanted = of.next(wall).value();
        of.answer(wanted.slot, read_answer(store_.execute(wanted.request)));
        return wanted.request;
    }
    void until(coordinator& of, coordinator::phase phase) {
        while (of.now() != phase) one_step(of);
    }
    /// What the coordinator sends next leaves, and nothing of it is heard.
    any_request send_late(coordinator& of) { return of.next(wall).value().request; }
    /// @returns whether it was applied
    bool land(const any_request& copy) { return static_cast<bool>(store_.execute(copy)); }

    std::optional<item_mark> mark() const { return mark_of(x()).value(); }
    /// Somebody meets the mark.
    void free_item() {
        while (const auto met = mark()) {
            resolver passer_by(coordination, {things, key_of_thing(0)}, *met, {99, "passer-by"}, impatient);
            while (passer_by.ended() == resolver::end::none) {
                passer_by.answer(read_answer(store_.execute(passer_by.next().request)));
            }
        }
    }
    const item& x() const { return *store_.find(things, key_of_thing(0)); }
    /// Who changed it, in order.
    std::string history() const {
        std::string text;
        for (const auto& each : *x().at("h").get_if<attribute_list>()) text += *each.get_if<std::string>();
        return text;
    }

private:
    small_store store_;
};

}  // namespace

TEST_CASE("a late lock of a transaction that was rolled back restores nothing over a committed update") {
    stage world;
    auto first = world.begin(0);
    const auto lock = world.send_late(first);
    CHECK(world.land(lock));
    world.free_item();  // a rival: rolls the first one back, and undoes its change
    auto second = world.begin(1);
    world.until(second, coordinator::phase::ended);
    CHECK(world.history() == "02");

    CHECK(world.land(lock));  // ... and the network delivers the first one's lock once more
    CHECK(world.mark().has_value());
    CHECK(committed_view(world.x()).value()->at("h") == attribute_value(attribute_list{"0", "2"}));
    first.answer(1, {.kind = dynalease::detail::answer::unanswered});
    world.until(first, coordinator::phase::ended);
    CHECK(first.decided() == coordinator::verdict::rolled_back);
    CHECK(world.history() == "02");
    CHECK(!world.mark());
}

TEST_CASE("an item is never applied and without an image: none stays held for ever") {
    stage world;
    auto first = world.begin(0);
    const auto lock = world.one_step(first);
    world.free_item();
    CHECK(world.history() == "0");
    CHECK(world.land(lock));  // a copy, when the run is rolled back already, and nobody is at work for it
    CHECK(world.history() == "01");
    world.free_item();
    CHECK(world.history() == "0");
    CHECK(world.x() == first_thing(0));

    world.until(first, coordinator::phase::ended);
    CHECK(first.decided() == coordinator::verdict::rolled_back);
    CHECK(world.x() == first_thing(0));
}

TEST_CASE("three coordinators of one transaction apply it once") {
    stage world;
    auto a = world.begin(0);
    auto b = world.resume(0, 1);
    auto c = world.resume(0, 2);
    const auto lock_of_b = world.send_late(b);
    const auto lock_of_c = world.send_late(c);
    world.until(a, coordinator::phase::closing);
    CHECK(a.decided() == coordinator::verdict::committed);
    world.until(a, coordinator::phase::finishing);
    CHECK(world.history() == "01");
    CHECK(!world.mark());

    CHECK(world.land(lock_of_c));  // onto what was committed and freed, by the same run
    CHECK(world.history() == "011");
    CHECK(committed_view(world.x()).value()->at("h") == attribute_value(attribute_list{"0", "1"}));
    CHECK(!world.land(lock_of_b));  // one lock at a time
    for (auto* late : {&b, &c}) {
        late->answer(1, {.kind = dynalease::detail::answer::unanswered});
        world.until(*late, coordinator::phase::ended);
        CHECK(late->decided() == coordinator::verdict::committed);
        CHECK(world.history() == "01");
    }
    world.until(a, coordinator::phase::ended);
    CHECK(!world.mark());
}

TEST_CASE("a lock that lands twice onto one item, before and after the commit, is kept once") {
    stage world;
    auto first = world.begin(0);
    const auto lock = world.one_step(first);
    world.until(first, coordinator::phase::finishing);
    CHECK(world.history() == "01");
    CHECK(world.land(lock));  // byte for byte: the stamp is the one that the commit names; the stamp before is not
    CHECK(world.history() == "011");
    world.free_item();
    CHECK(world.history() == "01");
    CHECK(find_integer(world.x(), "version") == 2);
}

}  // namespace dynalease::protocol::test
