// Rows are lost, and come back.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/table_faults.hpp"

#include "session/protocol/session_requests.hpp"
#include "simulation/framework/mutant.hpp"
#include "simulation/framework/request_text.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace dynalease::simulation {

void table_faults::lose_rows(nemesis_fault kind, item_key key, std::function<void()> told) {
    const auto image =
        std::make_shared<std::vector<item>>(std::exchange(backup_, where_.simulated().image(coordination)));
    for (auto& each : *image) {
        if (each.contains("v")) each["v"] = 1;  // a newer program's rows would stay for ever
    }
    // Nothing is under way while it happens: a copy of an old write that lands on an empty row has nothing there to be
    // measured against, and no protocol could tell it from a new one.
    where_.network().close_for_all(window::outage, where_.now() + std::chrono::seconds(12));
    auto lose = [this, kind, key = std::move(key), image, told = std::move(told)] {
        if (where_.calm()) return;
        if (kind == nemesis_fault::operator_delete) {
            where_.simulated().call(delete_item_request{.table_name = coordination, .key = key}).value();
        } else {
            where_.simulated().restore(coordination,
                                       kind == nemesis_fault::table_restored ? *image : std::vector<item>());
        }
        told();
    };
    where_.simulated().scheduler().add_timer(where_.now() + std::chrono::seconds(6), std::move(lose));
}

bool table_faults::set_version(const item_key& key, std::int64_t version) {
    update_item_request edit{.table_name = coordination, .key = key};
    edit.update_expression = "SET #v = :v";
    edit.condition_expression = "attribute_exists(#v)";
    edit.names = {{"#v", "v"}};
    edit.values = {{":v", version}};
    return where_.simulated().call(std::move(edit)).has_value();
}

void table_faults::change_version(const item_key& key, const std::function<void()>& told) {
    if (!set_version(key, 2)) return;
    told();
    where_.simulated().scheduler().add_timer(where_.now() + std::chrono::seconds(5), [this, key, told] {
        if (set_version(key, 1)) told();
    });
}

std::string table_faults::revoke_a_session() {
    std::vector<std::string> alive;
    for (const auto& row : where_.simulated().image(coordination)) {
        const auto* key = find_string(row, "pk");
        const auto* state = find_string(row, "state");
        const bool lives = key->starts_with(session_prefix) && state && *state == "alive";
        if (lives) alive.push_back(key->substr(session_prefix.size()));
    }
    if (alive.empty()) return {};
    const auto id = alive[where_.choices().choose("which session", alive.size())];
    auto request = protocol::revoke_session(coordination, id, "an operator");
    if (active("REVOKE_DEAD")) {
        request.update_expression += ", #state = :dead";
        request.values.emplace(":dead", "dead");
    }
    if (active("REVOKE_NEXT")) request.values[":last"] = 1'000'000;
    where_.simulated().call(std::move(request)).value();
    return id;
}

}  // namespace dynalease::simulation
