// What operators, backups and time do to the rows of a queues' world.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/queue/process.hpp"
#include "simulation/queue/world.hpp"

#include <chrono>
#include <utility>

namespace dynalease::simulation::queues {

void queue_world::tell_replaced(std::size_t queue) {
    tell("", head_replaced{.queue = queue, .after = head_of(queue)});
}

/// As impatient people do.
bool queue_world::free_by_hand(std::size_t queue, const item_key& key) {
    const auto head = head_of(queue);
    if (!head.exists) return false;
    update_item_request edit{.table_name = coordination, .key = key};
    edit.update_expression = "SET #passed = :tail";
    edit.names = {{"#passed", "passed"}};
    edit.values = {{":tail", head.tail}};
    return simulated().call(std::move(edit)).has_value();
}

/// As if the backup were from so many turns ago, when nobody was in the queue.
void queue_world::make_older() {
    const auto turns = config_.turns_back[choices().choose("turns back", config_.turns_back.size())];
    for (std::size_t queue = 0; queue < queue_count_ && turns != 0; ++queue) {
        if (!head_of(queue).exists) continue;
        const auto place = place_of(queue);
        update_item_request edit{.table_name = coordination,
                                 .key = {{"pk", place.partition()}, {"sk", place.sort_key()}}};
        edit.update_expression = "SET #tail = #tail - :turns, #passed = #tail - :turns";
        edit.names = {{"#tail", "tail"}, {"#passed", "passed"}};
        edit.values = {{":turns", turns}};
        if (!simulated().call(std::move(edit)).has_value()) continue;
        run().coverage.hit("head from long ago");
        for (const auto& row : simulated().image(coordination)) {
            const auto which = row_in(row);
            if (!which || which->queue != queue || which->ticket == 0) continue;
            simulated()
                .call(delete_item_request{.table_name = coordination,
                                          .key = {{"pk", row.at("pk")}, {"sk", row.at("sk")}}})
                .value();
        }
    }
}

void queue_world::disturb_store(nemesis_fault kind) {
    const auto queue = choices().choose("which queue", queue_count_);
    const auto place = place_of(queue);
    const item_key key{{"pk", place.partition()}, {"sk", place.sort_key()}};
    if (kind == nemesis_fault::operator_edit) {
        if (free_by_hand(queue, key)) tell_replaced(queue);
    } else if (kind == nemesis_fault::operator_revoke) {
        if (auto id = table_faults_.revoke_a_session(); !id.empty()) tell("", session_revoked{std::move(id)});
    } else if (kind == nemesis_fault::newer_version) {
        table_faults_.change_version(key, [this, queue] { tell_replaced(queue); });
    } else {
        table_faults_.lose_rows(kind, key, [this, kind] {
            if (kind == nemesis_fault::operator_delete) run().coverage.hit("head row lost");
            tell("", sessions_disturbed{});
            if (kind == nemesis_fault::table_restored) make_older();
            for (std::size_t each = 0; each < queue_count_; ++each) tell_replaced(each);
        });
    }
}

void queue_world::let_weeks_go_by() {
    end_faults();
    stop_everyone("P5");
    close_programs();
    let_last_copies_land();
    const std::chrono::hours idle(choices().between("weeks go by", 12, 40 * 24));
    simulated().scheduler().advance(idle);
    run().coverage.lived -= static_cast<std::int64_t>(queue_count_) * idle;
    for (std::size_t queue = 0; queue < queue_count_; ++queue) {
        const auto& before = checker_.head(queue);
        const bool removed = before.exists && !head_of(queue).exists;
        if (!removed) continue;
        run().coverage.fault("ttl_deletion");
        if (before.tail != before.passed) fail("Q1", "TTL removed a busy queue");
        tell_replaced(queue);
    }
    go_on_living();
    for (const auto& each : processes_) each->reopen();
}

}  // namespace dynalease::simulation::queues
