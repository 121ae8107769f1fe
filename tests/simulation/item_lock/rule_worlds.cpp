// Small worlds that each lead straight to one rule of item locks, for mistakes that chance alone finds late.
#include "simulation/framework/mutant.hpp"
#include "simulation/framework/primitive.hpp"
#include "simulation/framework/stage.hpp"
#include "simulation/versioned/ledger.hpp"

#include <dynalease/item_lock.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace dynalease::simulation::item_locks {

namespace {

using namespace std::chrono_literals;
using versions::ledger;

constexpr auto ignore = [](auto&&...) {};

/// Three processes and one item.
class lock_stage final : public stage {
public:
    struct actor {
        actor(testing::world& where, std::uint64_t seed, std::chrono::milliseconds ahead)
            : machine(where, {.seed = seed,
                              .clock = {.offset = std::chrono::hours(seed)},
                              .in_front = active_mutant() ? active_mutant()->wrap : nullptr}) {
            machine.clock().step_wall(ahead);
            session.emplace(machine.database(), session_options{.table = "coordination", .lease = 3s});
        }
        item_lock lock() { return {*session, item_ref{versions::table, ledger::key_of(0)}}; }

        testing::node machine;
        std::optional<dynalease::session> session;
        item_guard guard;
    };

    lock_stage() : a((make(), world), 1, 60s), b(world, 2, 0s), c(world, 3, 0s) {}

    actor a;
    actor b;
    actor c;

    void want(actor& who) {
        who.lock().acquire(item_acquire_options{},
                           cancelled_handler([&who](error_code, item_guard got) { who.guard = std::move(got); }));
    }
    void try_once(actor& who) {
        who.lock().try_acquire(cancelled_handler([&who](error_code, item_guard got) { who.guard = std::move(got); }));
    }
    void give_back(actor& who) {
        who.guard.release(handler(ignore));
        run_for(200ms);
    }
    void hold(actor& who) {
        want(who);
        run_for(200ms);
        if (!who.guard.valid()) fail("the setting does not come about");
    }
    /// The first take of `who` meets `fate`; everything else takes the usual way.
    void first_take(actor& who, testing::fault fate) {
        who.machine.network().set_plan([fate, met = false](const any_request& request, const call_options&) mutable {
            const auto* update = std::get_if<update_item_request>(&request);
            const bool takes = update && update->update_expression.starts_with("SET #W = :w");
            if (met || !takes) return testing::fault{.before = 2ms, .after = 2ms};
            met = true;
            return fate;
        });
    }
    void check_free(const char* when) {
        const auto stored = world.row(versions::table, ledger::name_of(0));
        for (const auto* name : {"_lockW", "_lockR", "_lockI"}) {
            if (stored && stored->contains(name)) fail(std::string("P7: locked by nobody's will ") + when);
        }
    }

    testing::node& disturbed() override { return a.machine; }
    void destroy_handles() override { a.guard = {}; }
    void conclude() override {
        for (auto* who : {&a, &b, &c}) who->guard = {};
        run_for(20s);
    }

private:
    int make() {
        world.create_table("coordination");
        world.create_table(versions::table);
        auto fresh = ledger::key_of(0);
        fresh.emplace("version", 1);
        world.call(put_item_request{.table_name = versions::table, .new_item = std::move(fresh)}).value();
        return 0;
    }
    void look() override {
        int valid = 0;
        for (const auto* who : {&a, &b, &c}) {
            if (!who->machine.crashed() && who->guard.valid()) ++valid;
        }
        if (valid > 1) fail("P1: two valid guards");
    }
};

/// A claim is given up while its write is under way, and the write comes late.
void late_take(lock_stage& on) {
    on.hold(on.a);
    on.give_back(on.a);
    on.first_take(on.a, {.what = testing::fault::kind::lose_answer, .before = 2500ms});
    on.try_once(on.a);
    on.run_for(100ms);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(20s);
    on.check_free("after a claim was given up");
}

/// The same of one that has seen another hold the item, and that comes when it is free.
void late_take_under_a_holder(lock_stage& on) {
    on.hold(on.a);
    on.give_back(on.a);
    on.hold(on.b);
    on.first_take(on.a, {.what = testing::fault::kind::lose_answer, .before = 2500ms});
    on.want(on.a);
    on.run_for(1500ms);
    on.cancel.emit(boost::asio::cancellation_type::terminal);
    on.run_for(300ms);
    on.give_back(on.b);
    on.run_for(20s);
    on.check_free("after a claim was given up");
}

/// A try that is refused, and that the network copies.
void copy_of_a_try(lock_stage& on) {
    on.hold(on.a);
    on.give_back(on.a);
    on.hold(on.b);
    on.first_take(on.a, {.what = testing::fault::kind::apply_twice, .before = 2ms, .after = 2ms, .copy = 3s});
    on.try_once(on.a);
    on.run_for(1s);
    on.give_back(on.b);
    on.run_for(13min);
    on.check_free("after the audit");
}

void delay_take_overs(lock_stage::actor& of) {
    of.machine.network().set_plan([](const any_request& request, const call_options&) {
        const auto* update = std::get_if<update_item_request>(&request);
        const bool takes_over = update && (update->values.contains(":seen") || update->values.contains(":over"));
        return testing::fault{.before = takes_over ? 900ms : 2ms, .after = 2ms};
    });
}

/// Two take over from the dead: the write of one comes when the other holds.
void two_take_over(lock_stage& on) {
    on.hold(on.a);
    on.give_back(on.a);
    on.hold(on.b);
    on.b.machine.crash();
    delay_take_overs(on.a);
    on.want(on.a);
    on.want(on.c);
    on.run_for(20s);
}

/// A try takes over from a reader that is over; another reader joins before its write comes.
void reader_before_a_take_over(lock_stage& on) {
    const auto read = [&on](lock_stage::actor& who) {
        who.lock().acquire_shared(item_acquire_options{},
                                  on.handler([&who](error_code, item_guard got) { who.guard = std::move(got); }));
        on.run_for(300ms);
    };
    on.hold(on.a);
    on.give_back(on.a);
    read(on.b);
    on.b.machine.crash();
    update_item_request mark{.table_name = "coordination",
                             .key = {{"pk", "session#" + std::string(on.b.session->id())}, {"sk", "-"}}};
    mark.update_expression = "SET #state = :dead";
    mark.names = {{"#state", "state"}};
    mark.values = {{":dead", "dead"}};
    on.world.call(std::move(mark)).value();
    delay_take_overs(on.a);
    on.try_once(on.a);
    on.run_for(100ms);
    read(on.c);
    if (!on.c.guard) on.fail("the setting does not come about");
    on.run_for(3s);
}

template <void (*Course)(lock_stage& on)>
void play(world_run&) {
    const auto on = std::make_unique<lock_stage>();
    Course(*on);
    for (auto* who : {&on->a, &on->b, &on->c}) {
        if (!who->machine.crashed()) who->machine.network().set_plan({});
    }
    if (on->broken().empty()) on->conclude();
    if (!on->broken().empty()) throw violation(on->broken());
}

// Of no weight: campaigns draw from larger worlds, and the mutants name these.
const contribution item_rule_worlds{{
    .name = "item_lock",
    .scenarios = {{"late-take", 0, play<late_take>},
                  {"late-take-under-a-holder", 0, play<late_take_under_a_holder>},
                  {"copy-of-a-try", 0, play<copy_of_a_try>},
                  {"two-take-over", 0, play<two_take_over>},
                  {"reader-before-a-take-over", 0, play<reader_before_a_take_over>}},
}};

}  // namespace

}  // namespace dynalease::simulation::item_locks
