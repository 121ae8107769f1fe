// What operators, backups and time do to the rows of a lock's world.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/process.hpp"
#include "simulation/lock/world.hpp"

#include <chrono>
#include <utility>

namespace dynalease::simulation::locks {

void lock_world::tell_replaced(std::size_t lock) {
    tell("", lock_replaced{.lock = lock, .after = row_of(lock)});
}

/// As impatient people do.
bool lock_world::free_by_hand(const item_key& key) {
    update_item_request edit{.table_name = coordination, .key = key};
    edit.update_expression = "REMOVE #holder, #attempt";
    edit.condition_expression = "attribute_exists(#holder)";
    edit.names = {{"#holder", "holder"}, {"#attempt", "attempt"}};
    return simulated().call(std::move(edit)).has_value();
}

void lock_world::disturb_store(nemesis_fault kind) {
    const auto lock = choices().choose("which lock", lock_count_);
    const item_key key{{"pk", "lock#" + lock_name(lock)}, {"sk", "-"}};
    if (kind == nemesis_fault::operator_edit) {
        if (free_by_hand(key)) tell_replaced(lock);
    } else if (kind == nemesis_fault::operator_revoke) {
        if (auto id = table_faults_.revoke_a_session(); !id.empty()) tell("", session_revoked{std::move(id)});
    } else if (kind == nemesis_fault::newer_version) {
        table_faults_.change_version(key, [this, lock] { tell_replaced(lock); });
    } else {
        table_faults_.lose_rows(kind, key, [this] {
            tell("", sessions_disturbed{});
            for (std::size_t each = 0; each < lock_count_; ++each) tell_replaced(each);
        });
    }
}

void lock_world::let_days_go_by() {
    end_faults();
    stop_everyone("P5");
    close_programs();
    let_last_copies_land();
    const std::chrono::hours idle(choices().between("days go by", 12, 9 * 24));
    simulated().scheduler().advance(idle);
    run().coverage.lived -= static_cast<std::int64_t>(lock_count_) * idle;
    for (std::size_t lock = 0; lock < lock_count_; ++lock) {
        const bool removed = checker_.row(lock).exists && !row_of(lock).exists;
        if (!removed) continue;
        run().coverage.fault("ttl_deletion");
        tell_replaced(lock);
    }
    go_on_living();
    for (const auto& each : processes_) each->reopen();
}

}  // namespace dynalease::simulation::locks
