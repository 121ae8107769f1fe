// A small world that leads straight to one rule of item locks: three processes, three items, and what must hold.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/directed.hpp"
#include "simulation/framework/machine.hpp"
#include "simulation/versioned/item_history.hpp"

#include <dynalease/item_lock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::simulation::item_locks {

using namespace std::chrono_literals;
using versions::item_history;

class directed_stage final : public simulation::stage {
    unsigned births_ = 0;  // before the actors, who are made when the items are

public:
    static constexpr std::size_t item_count = 3;

    struct actor {
        actor(testing::world& where, std::uint64_t seed, std::chrono::milliseconds ahead)
            : machine(where, machine_on_stage(seed)) {
            machine.clock().step_wall(ahead);
            session.emplace(machine.database(), session_options{.table = "coordination", .lease = 3s});
        }
        item_lock lock(std::size_t item = 0) {
            return {*session, item_ref{versions::table, item_history::key_of(item)}};
        }

        testing::node machine;
        std::optional<dynalease::session> session;
        item_guard guard;
        std::vector<item_guard> several;  ///< of `want_all`
        error_code told;                  ///< by the last verb on several items
    };

    directed_stage() : a((make_items(), world), 1, 60s), b(world, 2, 0s), c(world, 3, 0s) {}

    actor a;
    actor b;
    actor c;

    // ---- what they do ----
    void want(actor& who, std::size_t item = 0) {
        who.lock(item).acquire(item_acquire_options{},
                               cancelled_handler([&who](error_code, item_guard got) { who.guard = std::move(got); }));
    }
    void try_once(actor& who) {
        who.lock().try_acquire(cancelled_handler([&who](error_code, item_guard got) { who.guard = std::move(got); }));
    }
    void ask(actor& who) {
        who.lock().acquire(item_acquire_options{.wait = until_known},
                           cancelled_handler([&who](error_code, item_guard got) { who.guard = std::move(got); }));
    }
    void read(actor& who, std::size_t item = 0) {
        who.lock(item).acquire_shared(item_acquire_options{},
                                      handler([&who](error_code, item_guard got) { who.guard = std::move(got); }));
        run_for(300ms);
        if (!who.guard.held()) fail("the setting does not come about");
    }
    void give_back(actor& who) {
        who.guard.release(handler(ignore));
        run_for(200ms);
    }
    void hold(actor& who, std::size_t item = 0) {
        want(who, item);
        run_for(200ms);
        if (!who.guard.held()) fail("the setting does not come about");
    }
    /// So that its session is live, and it has seen the item's floor.
    void warm_up(actor& who) {
        hold(who);
        give_back(who);
    }
    void want_all(actor& who, std::initializer_list<std::size_t> items, acquire_all_options how = {}) {
        std::vector<item_demand> wanted;
        for (const auto item : items) wanted.push_back({who.lock(item)});
        acquire_all(std::move(wanted), how, cancelled_handler([&who](error_code code, std::vector<item_guard> got) {
                        who.told = code;
                        who.several = std::move(got);
                    }));
    }
    void hold_all(actor& who) {
        want_all(who, {0, 1});
        run_for(400ms);
        if (who.several.size() != 2) fail("the setting does not come about");
    }

    // ---- what befalls their requests ----
    /// The first of the requests that `wanted` picks meets `fate`; everything else takes the usual way.
    template <class Wanted>
    void first(actor& who, Wanted wanted, testing::fault fate) {
        who.machine.network().set_plan(
            [wanted, fate, met = false](const any_request& request, const call_options&) mutable {
                if (met || !wanted(request)) return on_its_way;
                met = true;
                return fate;
            });
    }
    static auto updates_that_begin(std::string text) {
        return [text = std::move(text)](const any_request& request) {
            const auto* update = std::get_if<update_item_request>(&request);
            return update && update->update_expression.starts_with(text);
        };
    }
    void first_take(actor& who, testing::fault fate) { first(who, updates_that_begin("SET #W = :w"), std::move(fate)); }
    void first_transaction(actor& who, testing::fault fate) {
        const auto together = [](const any_request& request) {
            return std::holds_alternative<transact_write_items_request>(request);
        };
        first(who, together, std::move(fate));
    }

    // ---- the items ----
    std::optional<item> row(std::size_t index = 0) { return world.row(versions::table, item_history::name_of(index)); }
    bool stands(const char* attribute, std::size_t index = 0) {
        const auto stored = row(index);
        return stored && stored->contains(attribute);
    }
    /// The writes under locks that the item has.
    std::int64_t sum(std::size_t index = 0) {
        const auto stored = row(index);
        return stored ? find_integer(*stored, "sum").value_or(0) : 0;
    }
    static update_expression one_more() { return add(path("sum"), attribute_value(1)); }
    void make_item(std::size_t index) {
        auto fresh = item_history::key_of(index);
        fresh.emplace("version", 1);
        const binary born(12, static_cast<std::byte>(++births_));
        fresh.emplace("_born", born);
        fresh.emplace("_stamp", born);
        world.call(put_item_request{.table_name = versions::table, .new_item = std::move(fresh)}).value();
    }
    void remove_item(std::size_t index) {
        world.call(delete_item_request{.table_name = versions::table, .key = item_history::key_of(index)}).value();
    }
    void check_free(const char* when) {
        for (std::size_t i = 0; i < item_count; ++i) {
            for (const auto* name : {"_lockW", "_lockR", "_lockI"}) {
                if (stands(name, i)) fail(std::string("P7: locked by nobody's will ") + when);
            }
        }
    }

    std::vector<testing::node*> nodes() override { return {&a.machine, &b.machine, &c.machine}; }
    void destroy_handles() override { a.guard = {}; }
    void conclude() override {
        for (auto* who : {&a, &b, &c}) {
            who->guard = {};
            who->several.clear();
        }
        run_for(20s);
    }

private:
    int make_items() {
        world.create_table("coordination");
        world.create_table(versions::table);
        for (std::size_t i = 0; i < item_count; ++i) make_item(i);
        return 0;
    }
    void look() override {
        std::map<std::string, int> writers;
        std::map<std::string, int> readers;
        const auto count = [&](const item_guard& guard) {
            if (guard.held()) ++(guard.exclusive() ? writers : readers)[guard.name()];
        };
        for (const auto* who : {&a, &b, &c}) {
            if (who->machine.crashed()) continue;
            count(who->guard);
            for (const auto& each : who->several) count(each);
        }
        for (const auto& [name, valid] : writers) {
            if (valid > 1 || readers.contains(name)) fail("P1: a valid writer's guard is not alone");
        }
    }
};

}  // namespace dynalease::simulation::item_locks
