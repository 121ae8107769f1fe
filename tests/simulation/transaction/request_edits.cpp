// What each of them leaves out.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/request_edits.hpp"

#include "simulation/framework/played_world.hpp"
#include "simulation/transaction/item_history.hpp"
#include "support/changed_texts.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::simulation::transfers {

namespace asio = boost::asio;
using tests::prune;
using tests::replace;

namespace {

constexpr std::string_view this_lock = "#tx = :tx AND #stamp = :held AND #before = :before";
constexpr std::string_view pending = "#state = :pending AND ";

bool has(const std::string& text, std::string_view what) {
    return text.find(what) != text.npos;
}

template <class Request>
void drop_clauses(Request& from, std::initializer_list<std::string_view> clauses) {
    bool found = false;
    for (const auto clause : clauses) found = replace(from.condition_expression, clause, "") || found;
    if (found) prune(from);
}

/// Calls it with each write of the request that has a condition, whether alone or among others.
template <class What>
void for_each_write(any_request& request, What what) {
    const auto try_it = [&](auto& write) {
        if constexpr (requires {
                          write.condition_expression;
                          write.names;
                          write.table_name;
                      })
            what(write);
    };
    std::visit(
        [&](auto& whole) {
            if constexpr (requires { whole.actions; }) {
                for (auto& action : whole.actions) std::visit(try_it, action);
            } else {
                try_it(whole);
            }
        },
        request);
}

template <class Write>
bool updates(const Write& write, std::string_view what) {
    if constexpr (requires { write.update_expression; }) return has(write.update_expression, what);
    return false;
}

update_item_request* update_with(any_request& request, std::string_view in_it) {
    auto* update = std::get_if<update_item_request>(&request);
    return update && has(update->update_expression, in_it) ? update : nullptr;
}

/// An undo gives the stamp back, and so does the end of a read lock.
update_item_request* unlock_in(any_request& request) {
    auto* update = update_with(request, "REMOVE #tx");
    return update && !has(update->update_expression, "#stamp = #before") ? update : nullptr;
}
update_item_request* undo_in(any_request& request) {
    auto* update = update_with(request, "REMOVE #tx");
    return update && has(update->update_expression, "#stamp = #before") && has(update->update_expression, "#i0")
               ? update
               : nullptr;
}

void in_condition_of(update_item_request* update, std::string_view what, std::string_view with) {
    if (update && replace(update->condition_expression, what, with)) prune(*update);
}

/// Whatever is there, passes it.
void void_check(condition_check& check) {
    check.condition_expression = "attribute_not_exists(#nothing)";
    check.names = {{"#nothing", "nothing"}};
    check.values.clear();
}

/// Of items, or of the lock that is required.
std::vector<condition_check*> checks_in(any_request& request, std::string_view of_table = table) {
    std::vector<condition_check*> found;
    auto* call = std::get_if<transact_write_items_request>(&request);
    if (!call) return found;
    for (auto& action : call->actions) {
        auto* check = std::get_if<condition_check>(&action);
        if (check && check->table_name == of_table) found.push_back(check);
    }
    return found;
}

update_item_request* commit_in(any_request& request) {
    return update_with(request, "#state = :committed");
}

}  // namespace

// ---- the row -------------------------------------------------------------------------------------------------

void begin_over_anything(any_request& request, purpose, const environment&) {
    auto* put = std::get_if<put_item_request>(&request);
    if (!put || put->table_name != coordination || !put->new_item.contains("run")) return;
    put->condition_expression.clear();
    put->names.clear();
    put->values.clear();
}

void begin_for_everybody(any_request& request, purpose, const environment&) {
    auto* put = std::get_if<put_item_request>(&request);
    if (put && put->table_name == coordination) put->new_item.erase("fenced");
}

void commit_whatever_the_row_says(any_request& request, purpose, const environment&) {
    for_each_write(request, [](auto& write) {
        if (updates(write, "#state = :committed")) drop_clauses(write, {pending});
    });
}

void roll_back_whatever_the_row_says(any_request& request, purpose, const environment&) {
    for_each_write(request, [](auto& write) {
        if (updates(write, "#state = :rolled_back")) drop_clauses(write, {pending});
    });
}

namespace {

/// The call that stores pages, or null.
transact_write_items_request* pages_in(any_request& request) {
    auto* call = std::get_if<transact_write_items_request>(&request);
    if (!call || !std::holds_alternative<condition_check>(call->actions.front())) return nullptr;
    const auto* page = call->actions.size() > 1 ? std::get_if<transact_put>(&call->actions[1]) : nullptr;
    return page && page->table_name == coordination ? call : nullptr;
}

}  // namespace

void page_untied(any_request& request, purpose, const environment&) {
    auto* call = pages_in(request);
    if (!call) return;
    void_check(std::get<condition_check>(call->actions.front()));
}

void pages_left(any_request& request, purpose, const environment&) {
    auto* call = std::get_if<transact_write_items_request>(&request);
    const auto* last = call ? std::get_if<transact_delete>(&call->actions.back()) : nullptr;
    if (last && last->table_name == coordination) call->actions.resize(1);
}

void set_aside_nowhere(any_request& request, purpose, const environment&) {
    auto* put = std::get_if<put_item_request>(&request);
    if (put && put->new_item.contains("until")) put->new_item.insert_or_assign("pk", "nowhere");
}

void set_aside_for_no_time(any_request& request, purpose, const environment&) {
    auto* put = std::get_if<put_item_request>(&request);
    if (put && put->new_item.contains("until")) put->new_item.insert_or_assign("until", 1);
}

void row_expires_undecided(any_request& request, purpose, const environment& world) {
    auto* put = std::get_if<put_item_request>(&request);
    if (!put || put->table_name != coordination || !put->new_item.contains("run")) return;
    const auto now = std::chrono::floor<std::chrono::seconds>(world.clock->wall().time_since_epoch());
    put->new_item.insert_or_assign("ttl", now.count() + 1);
}

// ---- locks ---------------------------------------------------------------------------------------------------

void lock_over_any_mark(any_request& request, purpose, const environment&) {
    for_each_write(request, [](auto& write) {
        if (write.table_name != table) return;
        drop_clauses(write, {"attribute_not_exists(#tx) AND ", " AND attribute_not_exists(#before)"});
    });
}

void lock_whatever_was_seen(any_request& request, purpose, const environment&) {
    for_each_write(request, [](auto& write) {
        if (write.table_name != table || !write.names.contains("#tx")) return;
        if constexpr (!std::is_same_v<std::decay_t<decltype(write)>, condition_check>) {
            if (!has(write.condition_expression, "attribute_not_exists(#tx)")) return;
            const bool plain = updates(write, "#trail = :tr");
            if (!plain) drop_clauses(write, {" AND #stamp = :seen", " AND #ver = :version"});
        }
    });
}

void commit_whatever_was_read(any_request& request, purpose, const environment&) {
    for (auto* check : checks_in(request)) void_check(*check);
}

void commit_whatever_was_demanded(any_request& request, purpose, const environment&) {
    for (auto* check : checks_in(request)) {
        const auto demand = check->condition_expression.find(") AND (");
        if (demand == std::string::npos) continue;
        check->condition_expression = check->condition_expression.substr(1, demand - 1);
        prune(*check);
    }
}

void commit_whoever_holds_the_lock(any_request& request, purpose, const environment&) {
    for (auto* check : checks_in(request, coordination)) {
        if (find_string(check->key, "pk")->starts_with("lock#")) void_check(*check);
    }
}

void insert_untied(any_request& request, purpose, const environment&) {
    auto* call = std::get_if<transact_write_items_request>(&request);
    const auto* put = call && call->actions.size() == 2 ? std::get_if<transact_put>(&call->actions.back()) : nullptr;
    if (!put || !put->new_item.contains("_TxId")) return;
    void_check(std::get<condition_check>(call->actions.front()));
}

void lock_again_by_name_alone(any_request& request, purpose, const environment&) {
    auto* update = update_with(request, "#stamp = :n, #kind = :kind");
    in_condition_of(update, this_lock, "#tx = :tx");
}

/// As if versioned items were like others: the uncommitted state has the version that it would get.
void version_shown(any_request& request, purpose, const environment&) {
    auto* lock = update_with(request, "#next = if_not_exists");
    if (!lock) return;
    replace(lock->update_expression, "#next = if_not_exists", "#ver = if_not_exists");
    if (!replace(lock->update_expression, " REMOVE #ver", "")) {
        replace(lock->update_expression, "REMOVE #ver, ", "REMOVE ");
    }
    prune(*lock);
}

void version_stays(any_request& request, purpose, const environment&) {
    auto* lock = update_with(request, "#next = if_not_exists(#ver, :base) + :step");
    if (!lock) return;
    replace(lock->update_expression, "#next = if_not_exists(#ver, :base) + :step",
            "#next = if_not_exists(#ver, :base)");
    prune(*lock);
}

// ---- their ends ----------------------------------------------------------------------------------------------

void unlock_by_name_alone(any_request& request, purpose, const environment&) {
    in_condition_of(unlock_in(request), this_lock, "#tx = :tx");
}

void unlock_whatever_is_there(any_request& request, purpose, const environment&) {
    in_condition_of(unlock_in(request), this_lock, "attribute_exists(#tx)");
}

void unlock_drops_stamp(any_request& request, purpose, const environment&) {
    if (auto* unlock = unlock_in(request)) unlock->update_expression += ", #stamp";
}

void birth_without_stamp(any_request& request, purpose, const environment&) {
    auto* unlock = unlock_in(request);
    if (unlock && unlock->update_expression.starts_with("REMOVE #tx")) unlock->update_expression += ", #stamp";
}

namespace {

/// @param lies the item as it was read just now
void restore_values(update_item_request& undo, const item& lies) {
    for (std::size_t i = 0;; ++i) {
        const auto number = std::to_string(i);
        const auto name = undo.names.find("#i" + number);
        if (name == undo.names.end()) break;
        const auto* value = find(lies, name->second);
        if (value &&
            replace(undo.update_expression, "#u" + number + " = #i" + number, "#u" + number + " = :w" + number)) {
            undo.values.emplace(":w" + number, *value);
        }
        if (!replace(undo.condition_expression, " AND #i" + number + " <> :absent", "")) {
            replace(undo.condition_expression, " AND #i" + number + " = :absent", "");
        }
    }
    const auto before = undo.values.find(":before");
    if (before != undo.values.end() && replace(undo.update_expression, "#stamp = #before", "#stamp = :was")) {
        undo.values.emplace(":was", before->second);
    }
    replace(undo.condition_expression, this_lock, "#tx = :tx");
    prune(undo);
}

asio::awaitable<void> send_alone(std::shared_ptr<database_backend> network, any_request request, call_options options) {
    co_await network->perform(std::move(request), options);
}

}  // namespace

asio::awaitable<result<any_response>> undoes_by_values::perform(any_request request, call_options options) {
    if (auto* undo = undo_in(request)) {
        any_request look(get_item_request{.table_name = undo->table_name, .key = undo->key, .consistent_read = true});
        auto seen = co_await network()->perform(std::move(look), options);
        const auto* found = seen ? std::get_if<get_item_response>(&*seen) : nullptr;
        if (found && found->found && found->found->contains("_TxId")) restore_values(*undo, *found->found);
    }
    co_return co_await network()->perform(std::move(request), options);
}

asio::awaitable<result<any_response>> finishes_early::perform(any_request request, call_options options) {
    const auto* commit = commit_in(request);
    std::optional<any_request> finish;
    if (commit) {
        update_item_request done{.table_name = commit->table_name, .key = commit->key};
        done.update_expression = "SET #done = :true";
        done.condition_expression = "#state = :committed";
        done.names = {{"#done", "done"}, {"#state", "state"}};
        done.values = {{":true", true}, {":committed", "C"}};
        finish.emplace(std::move(done));
    }
    auto answer = co_await network()->perform(std::move(request), options);
    if (finish) co_await network()->perform(*std::move(finish), options);
    co_return answer;
}

asio::awaitable<result<any_response>> tells_early::perform(any_request request, call_options options) {
    if (!commit_in(request)) {
        auto answer = co_await network()->perform(std::move(request), options);
        co_return answer;
    }
    asio::co_spawn(environment().executor, send_alone(network(), std::move(request), options), asio::detached);
    co_return any_response(update_item_response{});
}

asio::awaitable<result<any_response>> reads_apart::perform(any_request request, call_options options) {
    const auto* call = std::get_if<transact_get_items_request>(&request);
    if (!call) {
        auto answer = co_await network()->perform(std::move(request), options);
        co_return answer;
    }
    transact_get_items_response all;
    for (const auto& each : call->gets) {
        any_request look(get_item_request{.table_name = each.table_name, .key = each.key, .consistent_read = true});
        auto seen = co_await network()->perform(std::move(look), options);
        if (!seen) co_return seen;
        all.items.push_back(std::get<get_item_response>(*seen).found);
    }
    co_return any_response(std::move(all));
}

asio::awaitable<result<any_response>> reads_once::perform(any_request request, call_options options) {
    const auto* batch = std::get_if<batch_get_item_request>(&request);
    std::string first;
    if (batch) first = *find_string(batch->tables.begin()->second.keys.front(), "pk");
    const auto known = first_.find(first);
    if (batch && known != first_.end()) {
        auto again = known->second;
        first_.erase(known);
        co_return again;
    }
    auto answer = co_await network()->perform(std::move(request), options);
    if (batch && answer) first_.insert_or_assign(first, answer);
    co_return answer;
}

void holds_unseen::change_answer(result<any_response>& answer, const any_request& sent, purpose) {
    const auto* lock = std::get_if<update_item_request>(&sent);
    if (answer || !lock || answer.error().code != errc::condition_failed) return;
    if (!has(lock->update_expression, "#tx = :tx, #before = if_not_exists(#stamp, :none)")) return;
    update_item_response made;
    const auto& values = lock->values;
    made.attributes = item{{"_TxId", values.at(":tx")},
                           {"_stamp", values.at(":n")},
                           {"_TxP", values.at(":none")},
                           {"_TxO", values.at(":kind")},
                           {"_TxR", values.at(":write")}};
    answer = any_response(std::move(made));
}

void fresh_tokens::change_request(any_request& request, purpose) {
    auto* call = std::get_if<transact_write_items_request>(&request);
    if (call && !call->client_request_token.empty()) call->client_request_token = environment().new_id();
}

}  // namespace dynalease::simulation::transfers
