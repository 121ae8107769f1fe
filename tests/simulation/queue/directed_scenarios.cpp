// Small worlds that each lead straight to one rule of queues, for mistakes that chance alone finds late.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/directed.hpp"
#include "simulation/queue/stage.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace dynalease::simulation::queues {

using namespace std::chrono_literals;

namespace {

using testing::fault;

class recorder final : public testing::network_observer {
public:
    recorder(world_run& run, stage& on, const char* name) : run_(run), on_(on), name_(name) {}

    void sent(const testing::logged_request&, const any_request&) override {}
    void applied(const testing::logged_request& entry, const any_request&, const result<any_response>&) override {
        if (entry.key.starts_with("queue#") || entry.operation == "Query")
            tell("W " + entry.operation + " " + entry.key);
    }
    void answered(const testing::logged_request&, const any_request&, const result<any_response>&) override {}

    void tell(const std::string& what) {
        run_.trace.add(on_.world.now(), name_, 0, [&] { return what; });
    }

private:
    world_run& run_;
    stage& on_;
    const char* name_;
};

void enter(stage& on, stage::actor& who, const std::shared_ptr<recorder>& seen) {
    who.queue().enter(enter_options{}, on.handler([&who, seen](error_code, queue_turn got) {
        who.turn = std::move(got);
        seen->tell("Granted: inside with ticket " + std::to_string(who.turn.ticket()));
    }));
}

/// The published recipe on its own ground: it counts up, puts a row, and goes in when it sees no row before its own.
/// The first of two is held up between the first two of these steps.
void follow_the_article(stage& on, world_run& run) {
    on.warm_up(on.c);
    const auto of_a = std::make_shared<recorder>(run, on, "a");
    const auto of_b = std::make_shared<recorder>(run, on, "b");
    on.a.machine.network().set_observer(of_a.get());
    on.b.machine.network().set_observer(of_b.get());
    // The row of `a` travels for long, and somebody has the turn before both, so that each has to put one.
    on.hold(on.c);
    on.a.machine.network().set_plan([](const any_request& request, const call_options&) {
        const auto* put = std::get_if<put_item_request>(&request);
        const bool row = put && find_string(put->new_item, "pk")->starts_with("queue#");
        return row ? fault{.before = 900ms, .after = 2ms} : fault{.before = 2ms, .after = 2ms};
    });
    enter(on, on.a, of_a);
    on.run_for(200ms);
    enter(on, on.b, of_b);
    on.run_for(200ms);
    on.c.turn.leave(on.handler(ignore));
    on.run_for(8s);
    on.a.machine.network().set_observer(nullptr);
    on.b.machine.network().set_observer(nullptr);
}

/// A row of ours comes back that nobody of us knows any more, and another of us waits behind it.
void own_ghost(stage& on) {
    on.warm_up(on.a);
    on.hold(on.b);
    const enter_options impatient{.wait = 300ms};
    on.a.queue().enter(impatient, on.handler(ignore));
    on.run_for(100ms);
    const auto image = on.world.image("coordination");
    on.run_for(300ms);
    for (const auto& row : image) {
        const bool ours = row.contains("session") && *find_string(row, "session") == on.a.session->id();
        if (ours) on.world.call(put_item_request{.table_name = "coordination", .new_item = row}).value();
    }
    on.a.queue().enter(enter_options{}, on.handler([&on](error_code, queue_turn got) { on.a.turn = std::move(got); }));
    on.run_for(200ms);
    on.b.turn.leave(on.handler(ignore));
    on.run_for(8s);
    if (!on.a.turn) on.fail("Q3: a ticket that nobody knows keeps its own process waiting");
}

/// The guard of a turn is dropped, and the first request of the leaving is lost.
void dropped_turn(stage& on) {
    on.warm_up(on.b);
    on.hold(on.a);
    on.b.queue().enter(enter_options{}, on.handler([&on](error_code, queue_turn got) { on.b.turn = std::move(got); }));
    on.run_for(2s);  // until it is written down: nothing but the leaving ends it while its session lives
    on.a.machine.network().set_plan([sent = 0](const any_request& request, const call_options&) mutable {
        const auto* update = std::get_if<update_item_request>(&request);
        const bool leaves = update && update->values.contains(":pace");
        return leaves && sent++ == 0 ? fault{.what = fault::kind::lose_request} : fault{};
    });
    on.a.turn = {};
    on.run_for(8s);
    if (!on.b.turn) on.fail("Q3: a turn that its holder dropped keeps others waiting");
}

/// A row lands in the very moment in which others bury its ticket.
void row_against_grave(stage& on, world_run& run) {
    on.warm_up(on.b);
    on.hold(on.c);
    const std::chrono::milliseconds way(run.choices.between("way of the row", 2500, 5000));
    on.a.machine.network().set_plan([sent = 0, way](const any_request& request, const call_options&) mutable {
        const auto* put = std::get_if<put_item_request>(&request);
        if (!put || !find_string(put->new_item, "pk")->starts_with("queue#")) return fault{};
        return sent++ == 0 ? fault{.before = way} : fault{.what = fault::kind::lose_request};
    });
    on.b.machine.network().set_plan([](const any_request& request, const call_options&) {
        const auto* put = std::get_if<put_item_request>(&request);
        return put && put->new_item.contains("void") ? fault{.before = 400ms} : fault{};
    });
    on.a.queue().enter(enter_options{}, on.handler([&on](error_code, queue_turn got) { on.a.turn = std::move(got); }));
    on.run_for(100ms);
    const auto ticket = find_integer(on.world.row("coordination", "queue#x", "/").value(), "tail").value_or(0);
    on.b.queue().enter(enter_options{}, on.handler([&on](error_code, queue_turn got) { on.b.turn = std::move(got); }));
    on.c.turn.leave(on.handler(ignore));
    bool lived = false;
    for (int i = 0; i < 600; ++i) {
        on.run_for(10ms);
        for (const auto& row : on.world.image("coordination")) {
            if (!find_string(row, "sk")->ends_with(std::to_string(ticket))) continue;
            if (lived && row.contains("void")) on.fail("Q1: a ticket was buried though it was written down");
            lived = lived || !row.contains("void");
        }
    }
}

/// Who asks, and what it is told.
using told_later = std::shared_ptr<std::optional<error_code>>;

told_later ask(stage& on) {
    auto told = std::make_shared<std::optional<error_code>>();
    enter_options options{.wait = until_known};
    on.c.queue().enter(std::move(options), on.handler([told, &on](error_code code, queue_turn got) {
        *told = code;
        on.c.turn = std::move(got);
    }));
    return told;
}

void end_asking(stage& on) {
    on.c.turn = {};
    on.b.turn = {};
    on.run_for(500ms);
}

/// Who asks once, and never before, passes over the dead.
void one_call_at_a_dead_holder(stage& on) {
    on.hold(on.b);
    on.run_for(2s);
    on.b.machine.crash();
    ask(on);
    on.run_for(8s);
    if (!on.c.turn) on.fail("fate: who asks once never finds out that a holder is dead");
    end_asking(on);
}

void one_call_at_a_living_holder(stage& on) {
    on.hold(on.b);
    on.run_for(2s);
    const auto told = ask(on);
    on.run_for(8s);
    if (!*told) on.fail("fate: who asks is never told that the holder lives");
    end_asking(on);
}

/// What a job has just done is not done again.
void one_call_at_a_short_turn(stage& on) {
    on.hold(on.b);
    ask(on);
    on.run_for(200ms);
    on.b.turn.leave(on.handler(ignore));
    on.run_for(8s);
    if (on.c.turn) on.fail("fate: what a living holder left was taken");
    end_asking(on);
}

// Of no weight: campaigns draw from larger worlds, and the mutants name these.
const contribution queue_directed{
    {.name = "queue",
     .scenarios = {{"article", 0, play_directed<follow_the_article>},
                   {"own-ghost", 0, play_directed<own_ghost>},
                   {"dropped-turn", 0, play_directed<dropped_turn>},
                   {"row-against-grave", 0, play_directed<row_against_grave>},
                   {"one-call-at-a-dead-holder", 0, play_directed<one_call_at_a_dead_holder>},
                   {"one-call-at-a-living-holder", 0, play_directed<one_call_at_a_living_holder>},
                   {"one-call-at-a-short-turn", 0, play_directed<one_call_at_a_short_turn>}}}};

}  // namespace

}  // namespace dynalease::simulation::queues
