// Whose every request is.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/recorder.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace dynalease::simulation::versions {

namespace {

/// What takes off a tombstone what its removal left there.
bool clears(const auto& write) {
    if constexpr (requires { write.update_expression; })
        return write.update_expression.starts_with("REMOVE ");
    else
        return false;
}

}  // namespace

recorder::account_of_requests recorder::requests_of(std::int64_t number) {
    const auto found = accounts_.find(number);
    if (found == accounts_.end()) return {};
    const auto met = found->second;
    accounts_.erase(found);
    return met;
}

// ---- requests ------------------------------------------------------------------------------------------------

void recorder::sent(const testing::logged_request& entry, const any_request& request) {
    requests_.erase(&entry);  // of an earlier one that lay in the same place
    if (is_write(request)) requests_[&entry] = {.number = number_()};
}

void recorder::applied(const testing::logged_request& entry, const any_request& request,
                       const result<any_response>& answer) {
    const auto known = requests_.find(&entry);
    if (known == requests_.end()) return;
    const auto number = known->second.number;
    if (entry.completed) late(entry, answer.has_value());
    // The service knows a transaction that it has carried out by its token, and does nothing when it comes again.
    const auto* together = std::get_if<transact_write_items_request>(&request);
    const bool again = together && answer && !carried_out_.insert(together->client_request_token).second;
    if (again) replayed(entry, true);
    const auto on_item = [&](const auto& write, const auto& key) {
        const auto index = item_history::item_in(key);
        if (!index) return;
        if (!answer) {
            // Of several items no single state says why they were refused.
            if (together) return;
            known->second.met = item_history_.now(*index);
            if (number != 0) item_history_.turned_away(name_, number, *index);
        } else if constexpr (std::is_same_v<std::decay_t<decltype(write)>, condition_check>) {
            if (!again) item_history_.tell(name_, found_right{.number = number, .item = *index});
        } else if (clears(write)) {
            item_history_.look_again(*index);
        } else {
            const bool copy = entry.applied.size() > 1;
            const bool repeated = !copy && entry.fate == testing::fault::kind::answer_copy;
            item_history_.written_by(name_, {.number = number, .item = *index, .copy = copy, .repeated = repeated});
        }
    };
    std::visit(
        [&](const auto& write) {
            using kind = std::decay_t<decltype(write)>;
            if constexpr (std::is_same_v<kind, put_item_request>) on_item(write, write.new_item);
            if constexpr (std::is_same_v<kind, update_item_request>) on_item(write, write.key);
            if constexpr (std::is_same_v<kind, delete_item_request>) on_item(write, write.key);
            if constexpr (std::is_same_v<kind, transact_write_items_request>) {
                for (const auto& action : write.actions) {
                    std::visit(
                        [&](const auto& each) {
                            if constexpr (requires { each.key; })
                                on_item(each, each.key);
                            else
                                on_item(each, each.new_item);
                        },
                        action);
                }
            }
        },
        request);
}

void recorder::answered(const testing::logged_request& entry, const any_request& request,
                        const result<any_response>& answer) {
    told(entry, answer.has_value());
    const auto known = requests_.find(&entry);
    if (known == requests_.end() || !is_write(request)) return;
    auto& account = accounts_[known->second.number];
    const bool unknown = !answer && answer.error().outcome == outcome::unknown;
    account.unanswered = account.unanswered || unknown;
    account.last_refusal = unknown ? std::optional<serial>() : known->second.met;
}

}  // namespace dynalease::simulation::versions
