// Reading requests.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/recorder.hpp"

#include "simulation/framework/played_world.hpp"

#include <algorithm>
#include <string_view>
#include <variant>

namespace dynalease::simulation::transfers {

namespace {

constexpr std::string_view prefix = "tx#";

/// Of the transaction to whose row the key belongs; empty: none.
std::string id_in(const std::string& of_table, const item_key& key) {
    const auto* text = find_string(key, "pk");
    if (of_table != coordination || !text || !text->starts_with(prefix)) return {};
    return text->substr(prefix.size());
}

/// Of the row that the call changes; null: it changes none.
const item* row_written_in(const transact_write_items_request& request) {
    for (const auto& action : request.actions) {
        const auto* update = std::get_if<transact_update>(&action);
        const auto* put = std::get_if<transact_put>(&action);
        if (put && put->table_name == coordination) return &put->new_item;
        if (update && update->table_name == coordination) return &update->key;
    }
    return nullptr;
}

const transact_put* row_put_in(const transact_write_items_request& request) {
    for (const auto& action : request.actions) {
        const auto* put = std::get_if<transact_put>(&action);
        if (put && put->table_name == coordination) return put;
    }
    return nullptr;
}

std::string id_of_row(const any_request& request) {
    return std::visit(
        [](const auto& write) -> std::string {
            if constexpr (requires { id_in(write.table_name, write.new_item); })
                return id_in(write.table_name, write.new_item);
            if constexpr (requires { id_in(write.table_name, write.key); }) return id_in(write.table_name, write.key);
            if constexpr (requires { write.actions; }) {
                if (const auto* key = row_written_in(write)) return id_in(coordination, *key);
            }
            return {};
        },
        request);
}

/// What a row that is about to be put says of its run; null: none is.
const std::string* run_in(const any_request& request) {
    const auto* call = std::get_if<transact_write_items_request>(&request);
    const auto* in_call = call ? row_put_in(*call) : nullptr;
    if (in_call) return find_string(in_call->new_item, "run");
    const auto* put = std::get_if<put_item_request>(&request);
    return put && put->table_name == coordination ? find_string(put->new_item, "run") : nullptr;
}

/// Of the row by which a call commits writes that stand in it; null: none is.
const transact_update* row_of_call(const any_request& request) {
    const auto* call = std::get_if<transact_write_items_request>(&request);
    const auto* row = call ? std::get_if<transact_update>(&call->actions.front()) : nullptr;
    if (!row || row->table_name != coordination || !row->values.contains(":committed")) return nullptr;
    const auto writes = [](const auto& action) { return !std::holds_alternative<condition_check>(action); };
    return std::ranges::count_if(call->actions, writes) > 1 ? row : nullptr;
}

/// Of the run whose row it ends: its id and its name; empty: none.
std::string run_ended_by(const any_request& request) {
    const auto of = [](const auto& update) -> std::string {
        const auto* run = find_string(update.values, ":run");
        if (run == nullptr || !update.values.contains(":decided")) return {};
        return id_in(update.table_name, update.key) + "/" + *run;
    };
    if (const auto* update = std::get_if<update_item_request>(&request)) return of(*update);
    const auto* call = std::get_if<transact_write_items_request>(&request);
    const auto* first = call ? std::get_if<transact_update>(&call->actions.front()) : nullptr;
    return first ? of(*first) : std::string();
}

}  // namespace

/// It is known by its token. One that but reads has none of its own; the network gives it one.
bool recorder::leaves_no_row(const transact_write_items_request& request) {
    const auto writes = [](const auto& action) { return !std::holds_alternative<condition_check>(action); };
    return is_whole(request) && std::ranges::any_of(request.actions, writes) && !row_written_in(request);
}

bool recorder::is_whole(const transact_write_items_request& request) {
    return std::ranges::none_of(request.actions, [](const auto& action) {
        const auto* put = std::get_if<transact_put>(&action);
        const auto* update = std::get_if<transact_update>(&action);
        const bool commits_row = update && update->table_name == coordination;
        return commits_row || (put && put->new_item.contains("_TxId"));
    });
}

void recorder::sent(const testing::logged_request&, const any_request& request) {
    if (const auto* run = run_in(request)) {
        item_history_.begun(id_of_row(request), *run, attempt_());
        begun_.insert(id_of_row(request) + "/" + *run);
    }
    // It began before its body ran.
    if (const auto* row = row_of_call(request)) {
        item_history_.begun_by(id_of_row(request), *row->values.at(":run").get_if<std::string>(), attempt_());
    }
    const auto* whole = std::get_if<transact_write_items_request>(&request);
    if (whole && leaves_no_row(*whole)) calls_.try_emplace(whole->client_request_token, attempt_());
}

void recorder::applied(const testing::logged_request& entry, const any_request& request,
                       const result<any_response>& answer) {
    if (!is_write(request) || !answer) return;
    carried_out(entry.completed.has_value());
    const auto* lock = std::get_if<update_item_request>(&request);
    if (lock && lock->values.contains(":kind")) {
        const bool was_told = entry.completed && entry.code != errc::in_doubt;
        const auto& run = *find_string(lock->values, ":tx");
        item_history_.locked(name_, lock->key, run, was_told, !begun_.contains(run));
    }
    if (auto run = run_ended_by(request); begun_.contains(run)) item_history_.ended_by_itself(std::move(run));
    std::optional<std::int64_t> by;
    const auto* call = std::get_if<transact_write_items_request>(&request);
    if (call && leaves_no_row(*call)) {
        const auto known = calls_.find(call->client_request_token);
        const bool first = done_.insert(call->client_request_token).second;
        if (known != calls_.end() && first) by = known->second;
    }
    item_history_.look(name_, id_of_row(request), by, entry.fate == testing::fault::kind::answer_copy);
}

void recorder::answered(const testing::logged_request& entry, const any_request&, const result<any_response>& answer) {
    told(entry, answer.has_value());
}

}  // namespace dynalease::simulation::transfers
