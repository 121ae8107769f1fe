// What operators, backups and time do to the rows of a queues' world.
#include "simulation/queue/site.hpp"
#include "simulation/queue/world.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::simulation::queues {

void queue_world::tell_replaced() {
    tell("", sessions_disturbed{});
    for (std::size_t queue = 0; queue < queue_count_; ++queue) {
        tell("", head_replaced{.queue = queue, .after = head_of(queue)});
    }
}

void queue_world::change_version(std::size_t queue, std::int64_t version) {
    const auto place = place_of(queue);
    update_item_request edit{.table_name = table, .key = {{"pk", place.partition()}, {"sk", place.sort_key()}}};
    edit.update_expression = "SET #v = :v";
    edit.condition_expression = "attribute_exists(#v)";
    edit.names = {{"#v", "v"}};
    edit.values = {{":v", version}};
    if (simulated_.call(std::move(edit))) tell("", head_replaced{.queue = queue, .after = head_of(queue)});
}

void queue_world::disturb_store(mishap kind) {
    auto& scheduler = simulated_.scheduler();
    const auto queue = run_.choices.choose("which queue", queue_count_);
    const auto place = place_of(queue);
    const item_key key{{"pk", place.partition()}, {"sk", place.sort_key()}};
    if (kind == mishap::operator_edit) {
        // Frees a queue by hand, as impatient people do.
        const auto head = head_of(queue);
        if (!head.exists) return;
        update_item_request edit{.table_name = table, .key = key};
        edit.update_expression = "SET #passed = :tail";
        edit.names = {{"#passed", "passed"}};
        edit.values = {{":tail", head.tail}};
        if (simulated_.call(std::move(edit))) tell("", head_replaced{.queue = queue, .after = head_of(queue)});
        return;
    }
    if (kind == mishap::newer_version) {
        change_version(queue, 2);
        scheduler.add_timer(now() + std::chrono::seconds(5), [this, queue] { change_version(queue, 1); });
        return;
    }
    // Rows are lost. Nothing is under way while it happens: a copy of an old draw that lands on an empty row has
    // nothing there to be measured against.
    const auto image = std::make_shared<std::vector<item>>(std::exchange(backup_, simulated_.image(table)));
    for (auto& each : *image) {
        if (each.contains("v")) each["v"] = 1;  // a newer program's rows would stay for ever
    }
    sky_.close_for_all(window::outage, now() + std::chrono::seconds(12));
    scheduler.add_timer(now() + std::chrono::seconds(6), [this, kind, key, image] {
        if (calm_) return;
        if (kind == mishap::operator_delete) {
            simulated_.call(delete_item_request{.table_name = table, .key = key}).value();
            run_.census.hit("head row lost");
        } else {
            simulated_.restore(table, kind == mishap::table_restored ? *image : std::vector<item>());
        }
        tell_replaced();
    });
}

void queue_world::end_programs() {
    stop_everyone();
    for (const auto& each : sites_) each->close();
    const auto closing = [&] {
        return std::any_of(sites_.begin(), sites_.end(), [](const auto& each) { return !each->closed(); });
    };
    if (!go_on_while(closing, now() + std::chrono::minutes(1))) fail("R1: a session does not close");
    for (const auto& each : sites_) each->shut();
    throw_broken();
}

void queue_world::let_weeks_go_by() {
    sky_.calm();
    director_.calm();
    end_programs();
    const auto last_copies = now() + std::chrono::minutes(7);
    while (now() < last_copies && simulated_.step()) {
    }
    throw_broken();
    const std::chrono::hours idle(run_.choices.between("weeks go by", 12, 40 * 24));
    simulated_.scheduler().advance(idle);
    run_.census.lived -= static_cast<std::int64_t>(queue_count_) * idle;
    for (std::size_t queue = 0; queue < queue_count_; ++queue) {
        const auto& before = judge_.head(queue);
        const bool removed = before.exists && !head_of(queue).exists;
        if (!removed) continue;
        run_.census.fault("ttl_deletion");
        if (before.tail != before.passed) fail("Q1: TTL removed a busy queue");
        tell("", head_replaced{.queue = queue, .after = {}});
    }
    stopping_ = false;
    for (const auto& each : sites_) each->reopen();
}

}  // namespace dynalease::simulation::queues
