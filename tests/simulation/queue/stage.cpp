// What must hold while an operation is disturbed, and after.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/queue/stage.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dynalease::simulation::queues {

namespace {
constexpr std::array queue_names{"x", "y"};
}  // namespace

void actor::drop_turns() {
    turn = {};
    second = {};
    turns.clear();
}

// ---- settings ------------------------------------------------------------------------------------------------

void stage::hold(actor& who) {
    who.queue().enter(enter_options{}, handler([&who](error_code, queue_turn got) { who.turn = std::move(got); }));
    run_for(200ms);
    if (!who.turn.held()) fail("the setting does not come about");
}

void stage::warm_up(actor& who) {
    hold(who);
    who.turn.leave(handler(ignore));
    run_for(200ms);
    who.turn = {};
}

void stage::destroy_handles() {
    a.drop_turns();
    a.session.reset();
}

// ---- what must hold --------------------------------------------------------------------------------------------

void stage::look() {
    for (const std::string name : queue_names) {
        int valid = 0;
        const auto count = [&](const queue_turn& turn) { valid += turn.held() && turn.name() == name ? 1 : 0; };
        for (const auto* who : {&a, &b, &c}) {
            if (who->machine.crashed()) continue;
            count(who->turn);
            count(who->second);
            std::for_each(who->turns.begin(), who->turns.end(), count);
        }
        if (valid > 1) fail("P1: two valid turns");
    }
}

std::int64_t stage::last_ticket(const std::string& queue) {
    const auto head = world.row(coordination, "queue#" + queue, "/");
    return head ? find_integer(*head, "tail").value_or(0) : 0;
}

void stage::check_rows(const char* when) {
    for (const auto& row : world.image(coordination)) {
        const auto& partition = *find_string(row, "pk");
        if (!partition.starts_with("queue#") || *find_string(row, "sk") == "/" || row.contains("void")) continue;
        const auto head = world.row(coordination, partition, "/");
        const auto ticket = std::stoll(find_string(row, "sk")->substr(1));
        if (!head || ticket <= find_integer(*head, "passed").value_or(0)) continue;
        for (const auto* who : {&a, &b, &c}) {
            if (who->live() && *find_string(row, "session") == who->session->id()) {
                fail(std::string("P7: a ticket stands by nobody's will ") + when);
            }
        }
    }
}

void stage::serve_a_third() {
    const std::array before{last_ticket("x"), last_ticket("y")};
    c.turns.resize(queue_names.size());
    for (std::size_t i = 0; i < queue_names.size(); ++i) {
        const enter_options patience{.wait = 20s};
        c.queue(queue_names[i]).enter(patience, handler([this, i](error_code, queue_turn got) {
                                          c.turns[i] = std::move(got);
                                      }));
    }
    const auto unserved = [&] { return std::any_of(c.turns.begin(), c.turns.end(), [](const auto& t) { return !t; }); };
    for (int i = 0; i < 40 && unserved(); ++i) run_for(500ms);
    if (unserved()) fail("P6: another never has its turn");
    for (std::size_t i = 0; i < queue_names.size(); ++i) {
        if (c.turns[i] && c.turns[i].fencing_token() <= before[i]) fail("P2: the token did not rise");
        if (c.turns[i]) c.turns[i].leave(handler(ignore));
    }
    run_for(500ms);
    c.turns.clear();
}

void stage::conclude() {
    // Whoever still waits has its turn when those before it have let go.
    for (int i = 0; i < 3; ++i) {
        if (!crashed()) a.drop_turns();
        b.drop_turns();
        c.drop_turns();
        run_for(4s);
    }
    check_rows("after all let go");
    check_counters(a);
    check_counters(b);
    serve_a_third();
    check_rows("at the end");
    close_all();
}

}  // namespace dynalease::simulation::queues
