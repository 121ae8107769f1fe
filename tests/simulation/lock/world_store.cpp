// What operators, backups and time do to the rows of a lock's world.
#include "simulation/lock/site.hpp"
#include "simulation/lock/world.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::locks {

void lock_world::tell_replaced() {
    tell("", sessions_disturbed{});
    for (std::size_t lock = 0; lock < lock_count_; ++lock) {
        tell("", lock_replaced{.lock = lock, .after = row_of(lock)});
    }
}

void lock_world::disturb_store(mishap kind) {
    auto& scheduler = simulated_.scheduler();
    const auto lock = run_.choices.choose("which lock", lock_count_);
    const item_key key{{"pk", "lock#" + lock_name(lock)}, {"sk", "-"}};
    if (kind == mishap::operator_edit) {
        // Frees a lock by hand, as impatient people do.
        update_item_request edit{.table_name = table, .key = key};
        edit.update_expression = "REMOVE #holder, #attempt";
        edit.condition_expression = "attribute_exists(#holder)";
        edit.names = {{"#holder", "holder"}, {"#attempt", "attempt"}};
        if (simulated_.call(std::move(edit))) tell("", lock_replaced{.lock = lock, .after = row_of(lock)});
        return;
    }
    if (kind == mishap::newer_version) {
        update_item_request edit{.table_name = table, .key = key};
        edit.update_expression = "SET #v = :v";
        edit.condition_expression = "attribute_exists(#v)";
        edit.names = {{"#v", "v"}};
        edit.values = {{":v", 2}};
        if (!simulated_.call(std::move(edit))) return;
        tell("", lock_replaced{.lock = lock, .after = row_of(lock)});
        scheduler.add_timer(now() + std::chrono::seconds(5), [this, lock, key] {
            update_item_request back{.table_name = table, .key = key};
            back.update_expression = "SET #v = :v";
            back.names = {{"#v", "v"}};
            back.values = {{":v", 1}};
            if (simulated_.call(std::move(back))) tell("", lock_replaced{.lock = lock, .after = row_of(lock)});
        });
        return;
    }
    // Rows are lost. Nothing is under way while it happens: a copy of an old grant that lands on an empty row has
    // nothing there to be measured against, and no protocol could tell it from a new one.
    const auto image = std::make_shared<std::vector<item>>(std::exchange(backup_, simulated_.image(table)));
    for (auto& each : *image) {
        if (each.contains("v")) each["v"] = 1;  // a newer program's rows would stay for ever
    }
    sky_.close_for_all(window::outage, now() + std::chrono::seconds(12));
    scheduler.add_timer(now() + std::chrono::seconds(6), [this, kind, key, image] {
        if (calm_) return;
        if (kind == mishap::operator_delete) {
            simulated_.call(delete_item_request{.table_name = table, .key = key}).value();
        } else {
            simulated_.restore(table, kind == mishap::table_restored ? *image : std::vector<item>());
        }
        tell_replaced();
    });
}

void lock_world::end_programs() {
    stop_everyone();
    for (const auto& each : sites_) each->close();
    const auto closing = [&] {
        return std::any_of(sites_.begin(), sites_.end(), [](const auto& each) { return !each->closed(); });
    };
    if (!go_on_while(closing, now() + std::chrono::minutes(1))) fail("R1", "a session does not close");
    for (const auto& each : sites_) each->shut();
    throw_broken();
}

void lock_world::let_days_go_by() {
    sky_.calm();
    director_.calm();
    end_programs();
    const auto last_copies = now() + std::chrono::minutes(7);
    while (now() < last_copies && simulated_.step()) {
    }
    throw_broken();
    const std::chrono::hours idle(run_.choices.between("days go by", 12, 9 * 24));
    simulated_.scheduler().advance(idle);
    run_.census.lived -= static_cast<std::int64_t>(lock_count_) * idle;
    for (std::size_t lock = 0; lock < lock_count_; ++lock) {
        const bool removed = judge_.row(lock).exists && !row_of(lock).exists;
        if (!removed) continue;
        run_.census.fault("ttl_deletion");
        tell("", lock_replaced{.lock = lock, .after = {}});
    }
    stopping_ = false;
    for (const auto& each : sites_) each->reopen();
}

}  // namespace dynalease::simulation::locks
