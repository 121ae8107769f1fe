// The search notices each rule of the protocol that is left out.
// SPDX-License-Identifier: BSL-1.0
#include "mistaken_worlds.hpp"
#include "transaction_search.hpp"

#include "item/protocol/item_state.hpp"
#include "session/protocol/row.hpp"
#include "support/changed_texts.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::protocol::test {

namespace {

using tests::prune;
using tests::replace;
using request_change = std::function<void(any_request&, const small_store&)>;

constexpr std::string_view mine = "#tx = :tx AND #stamp = :held AND #before = :before";

/// Texts of updates that have this in them; an ending names the lock, and nothing else does.
update_item_request* update_with(any_request& request, std::string_view in_it) {
    auto* update = std::get_if<update_item_request>(&request);
    return update && update->update_expression.find(in_it) != std::string::npos ? update : nullptr;
}

bool is_undo(const update_item_request& update) {
    return update.update_expression.find("#stamp = #before") != std::string::npos;
}

update_item_request* unlock_in(any_request& request) {
    auto* update = update_with(request, "REMOVE #tx");
    return update && !is_undo(*update) ? update : nullptr;
}

update_item_request* undo_in(any_request& request) {
    auto* update = update_with(request, "REMOVE #tx");
    return update && is_undo(*update) ? update : nullptr;
}

request_change in_condition(update_item_request* (*which)(any_request&), std::string_view what, std::string_view with) {
    return [=](any_request& request, const small_store&) {
        auto* update = which(request);
        if (update && replace(update->condition_expression, what, with)) prune(*update);
    };
}

request_change in_texts(std::string_view of, std::string_view what, std::string_view with) {
    return [=](any_request& request, const small_store&) {
        auto* update = update_with(request, of);
        if (!update) return;
        if (replace(update->condition_expression, what, with) || replace(update->update_expression, what, with)) {
            prune(*update);
        }
    };
}

bool shows_images(const update_item_request& undo, const small_store& store) {
    const auto* seen = store.find(undo.table_name, undo.key);
    return seen && std::ranges::all_of(undo.names, [&](const auto& each) {
               return !each.first.starts_with("#i") || find(*seen, each.second);
           });
}

/// What it was is written back as it was read, and not copied from what is there.
void restore_values(update_item_request& undo, const small_store& store) {
    const auto* seen = store.find(undo.table_name, undo.key);
    for (std::size_t i = 0; seen; ++i) {
        const auto number = std::to_string(i);
        const auto name = undo.names.find("#i" + number);
        if (name == undo.names.end()) break;
        const auto* value = find(*seen, name->second);
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
    prune(undo);
}

request_change undo_by_values(std::string_view condition) {
    return [=](any_request& request, const small_store& store) {
        auto* undo = undo_in(request);
        if (!undo || !shows_images(*undo, store)) return;
        restore_values(*undo, store);
        replace(undo->condition_expression, mine, condition);
        prune(*undo);
    };
}

constexpr std::string_view no_owner = "attribute_not_exists(#tx) AND ";
constexpr std::string_view no_leftovers = " AND attribute_not_exists(#before)";

void lock_over_any_mark(any_request& request, const small_store& store) {
    for (const auto text : {no_owner, no_leftovers}) in_texts("#tx = :tx", text, "")(request, store);
}

void drop_stamp_at_unlock(any_request& request, const small_store&) {
    if (auto* unlock = unlock_in(request)) unlock->update_expression += ", #stamp";
}

void drop_stamp_of_insert(any_request& request, const small_store&) {
    auto* unlock = unlock_in(request);
    if (unlock && unlock->update_expression.starts_with("REMOVE #tx")) unlock->update_expression += ", #stamp";
}

void untie_insert(any_request& request, const small_store&) {
    auto* insert = std::get_if<transact_write_items_request>(&request);
    if (!insert) return;
    auto& check = std::get<condition_check>(insert->actions.front());
    check.condition_expression = "attribute_not_exists(#nothing)";
    check.names = {{"#nothing", "nothing"}};
    check.values.clear();
}

/// Of what is stored in pages.
void untie_page(any_request& request, const small_store& store) {
    auto* call = std::get_if<transact_write_items_request>(&request);
    const auto* put = call && call->actions.size() > 1 ? std::get_if<transact_put>(&call->actions[1]) : nullptr;
    if (put && put->table_name == coordination) untie_insert(request, store);
}

void leave_pages(any_request& request, const small_store&) {
    auto* call = std::get_if<transact_write_items_request>(&request);
    const auto* removed = call ? std::get_if<transact_delete>(&call->actions.back()) : nullptr;
    if (removed && removed->table_name == coordination) call->actions.resize(1);
}

void keep_undone_insert(any_request& request, const small_store& store) {
    const auto* erase = std::get_if<delete_item_request>(&request);
    const auto* shown = erase ? store.find(erase->table_name, erase->key) : nullptr;
    const auto* kind = shown ? find_string(*shown, "_TxO") : nullptr;
    if (!kind || *kind != "I") return;
    update_item_request update{.table_name = erase->table_name,
                               .key = erase->key,
                               .update_expression = "REMOVE #tx, #before, #kind, #write",
                               .condition_expression = erase->condition_expression,
                               .names = erase->names,
                               .values = erase->values,
                               .current_on_refusal = true};
    update.names.emplace("#kind", "_TxO");
    update.names.emplace("#write", "_TxR");
    request = std::move(update);
}

/// As if versioned items were like others: the uncommitted state has the version that it would get.
void show_version(any_request& request, const small_store&) {
    if (auto* lock = update_with(request, "#next = if_not_exists")) {
        replace(lock->update_expression, "#next = if_not_exists", "#ver = if_not_exists");
        if (!replace(lock->update_expression, " REMOVE #ver", ""))
            replace(lock->update_expression, "REMOVE #ver, ", "REMOVE ");
        prune(*lock);
    }
}

void leave_version(any_request& request, const small_store&) {
    if (auto* lock = update_with(request, "#next = if_not_exists")) {
        replace(lock->update_expression, "#next = if_not_exists(#ver, :base) + :step", "#next = #ver");
        prune(*lock);
    }
}

// ---- what depends on what was seen, and calls that do all ----------------------------------------------------

void ignore_pin(any_request& request, const small_store&) {
    if (auto* lock = update_with(request, "#tx = :tx")) {
        if (replace(lock->condition_expression, " AND #stamp = :seen AND #ver = :version", "")) prune(*lock);
    }
}

bool is_commit(const transact_write_items_request& all) {
    const auto* update = std::get_if<transact_update>(&all.actions.front());
    return update && update->update_expression.find("#locks") != std::string::npos;
}

void drop_checks(any_request& request, const small_store&) {
    auto* all = std::get_if<transact_write_items_request>(&request);
    if (all && is_commit(*all)) all->actions.erase(all->actions.begin() + 1, all->actions.end());
}

/// The updates that a call makes of items.
request_change in_call(std::string_view what, std::string_view with) {
    return [=](any_request& request, const small_store&) {
        auto* all = std::get_if<transact_write_items_request>(&request);
        if (!all || is_commit(*all)) return;
        for (auto& action : all->actions) {
            auto* update = std::get_if<transact_update>(&action);
            if (!update) continue;
            replace(update->condition_expression, what, with);
            replace(update->update_expression, what, with);
            prune(*update);
        }
    };
}

void write_over_any_mark(any_request& request, const small_store& store) {
    for (const auto text : {no_owner, no_leftovers}) in_call(text, "")(request, store);
}

void insert_over_anything(any_request& request, const small_store&) {
    auto* all = std::get_if<transact_write_items_request>(&request);
    auto* put = all ? std::get_if<transact_put>(&all->actions.back()) : nullptr;
    if (!put || put->new_item.contains("_TxId")) return;
    put->condition_expression = "";
    prune(*put);
}

void record_unconditionally(any_request& request, const small_store&) {
    auto* all = std::get_if<transact_write_items_request>(&request);
    auto* row = all ? std::get_if<transact_put>(&all->actions.front()) : nullptr;
    if (!row || row->table_name != coordination) return;
    row->condition_expression = "";
    prune(*row);
}

/// The row of what is given up takes another one's place.
void withdraw_elsewhere(any_request& request, const small_store&) {
    auto* put = std::get_if<put_item_request>(&request);
    const auto* state = put ? find_string(put->new_item, attribute::state) : nullptr;
    if (state && *state == "R") put->new_item.insert_or_assign(attribute::partition, "tx#elsewhere");
}

void set_aside_elsewhere(any_request& request, const small_store&) {
    auto* put = std::get_if<put_item_request>(&request);
    if (put && put->new_item.contains(header_attribute::until))
        put->new_item.insert_or_assign(attribute::partition, "tx#elsewhere");
}

void draw_token(any_request& request, const small_store& store) {
    auto* all = std::get_if<transact_write_items_request>(&request);
    if (all) all->client_request_token += std::to_string(store.hash());
}

// ---- what a resolver is told -------------------------------------------------------------------------------

const std::string* state_of_row(const std::optional<item>& row) {
    return row ? find_string(*row, attribute::state) : nullptr;
}

bool is_committed(const std::optional<item>& row) {
    const auto* state = state_of_row(row);
    return state && *state == "C" && !row->contains(header_attribute::done);
}

void name_any_lock(std::optional<item>& row, const item_mark& met) {
    if (is_committed(row)) row->insert_or_assign(header_attribute::locks, bytes_of({committed_lock{1, met.lock}}));
}

void name_stamps_alone(std::optional<item>& row, const item_mark& met) {
    if (!is_committed(row)) return;
    const auto header = parse_transaction_header(&*row).value().value();
    for (const auto& each : header.locks) {
        if (each.lock.stamp == met.lock.stamp) name_any_lock(row, met);
    }
}

void take_pending_for_undone(std::optional<item>& row, const item_mark&) {
    const auto* state = state_of_row(row);
    if (state && *state == "P") row->insert_or_assign(attribute::state, "R");
}

void take_committed_for_void(std::optional<item>& row, const item_mark&) {
    if (is_committed(row)) row->insert_or_assign(header_attribute::locks, binary{});
}

void take_absent_for_committed(std::optional<item>& row, const item_mark& met) {
    if (row) return;
    row = transaction_key(met.owner.id);
    row->emplace(attribute::version, 1);
    row->emplace(attribute::state, "C");
    row->emplace(header_attribute::run, met.owner.run);
    row->emplace(header_attribute::born, 0);
    row->emplace(attribute::beat, 0);
    name_any_lock(row, met);
}

// ---- the mistakes, and where they show ---------------------------------------------------------------------

struct mistake {
    const char* name;
    world_rules rules;
    world_setting where;
};

std::vector<mistake> mistakes() {
    constexpr std::string_view pending = "#state = :pending AND ";
    return {
        {"NO_NONCE: a commit is taken to hold for any lock", {.tell = name_any_lock}, two_coordinators()},
        {"NONCE_NO_PREV: ... for any lock of that stamp", {.tell = name_stamps_alone}, one_item()},
        {"UNLOCK_TXID_ONLY", {.change = in_condition(unlock_in, mine, "#tx = :tx")}, one_item()},
        {"UNLOCK_UNCOND", {.change = in_condition(unlock_in, mine, "attribute_exists(#tx)")}, one_item()},
        {"UNLOCK_DROPS_STAMP", {.change = drop_stamp_at_unlock}, one_item()},
        {"UNDO_TXID_ONLY", {.change = undo_by_values("#tx = :tx")}, one_item()},
        {"UNDO_BY_VALUES", {.change = undo_by_values("#tx = :tx AND #stamp = :held")}, one_item()},
        {"UNDO_UNCOND",
         {.change = undo_by_values("attribute_exists(#kind) OR attribute_not_exists(#kind)")},
         one_item()},
        {"UNDO_WHILE_P", {.tell = take_pending_for_undone}, one_item()},
        {"UNDO_KEEPS_ITEM", {.change = keep_undone_insert}, inserted_and_erased()},
        {"FINAL_EARLY", {.finish_early = true}, one_item()},
        {"TTL_ON_P", {.expire_undecided = true}, one_item()},
        {"ABSENT_IS_COMMITTED", {.tell = take_absent_for_committed}, one_item()},
        {"RESOLVE_ONCE_C_VOID", {.tell = take_committed_for_void}, one_item()},
        {"COMMIT_NO_STATE", {.change = in_texts("#state = :committed", pending, "")}, one_item()},
        {"COMMIT_BEFORE_LOCKS", {.commit_unseen = true}, one_item()},
        {"ABORT_NO_STATE", {.change = in_texts("#state = :rolled_back", pending, "")}, one_item()},
        {"LOCK_UNCOND", {.change = lock_over_any_mark}, one_item()},
        {"INSERT_NOT_TIED", {.change = untie_insert}, inserted_and_erased()},
        {"BIRTH_NO_STAMP", {.change = drop_stamp_of_insert}, inserted_and_erased()},
        {"SECOND_TXID_ONLY", {.change = in_texts("if_not_exists(#0, if", mine, "#tx = :tx")}, twice()},
        {"READER_RAW", {.read_raw = true}, one_item()},
        {"INSERT_READ_RAW", {.read_inserts_raw = true}, inserted_and_erased()},
        {"READER_ABSENT_IS_ABORT", {.absent_is_before = true}, looked_at("U", "U", true)},
        {"PAGES_UNSEEN: locks before it is stored what they are for", {.store_unseen = true}, paged()},
        {"PAGES_AWAITED: what is not stored yet, is taken for what never will be", {.trust_gaps = true}, paged()},
        {"PAGE_NOT_TIED", {.change = untie_page}, paged_with_a_fault()},
        {"PAGES_LEFT", {.change = leave_pages}, paged()},
        {"SURVEY_UNCUT: what was not there, is taken not to have come",
         {.survey_uncut = true},
         surveyed_with_an_insert()},
        {"SURVEY_ONCE: each item as it was at a moment of its own", {.survey_once = true}, surveyed()},
        {"PIN_IGNORED", {.change = ignore_pin}, pinned()},
        {"CHECK_NOT_IN_COMMIT", {.change = drop_checks}, skew({})},
        {"FENCE_RESUMED", {.resume_fenced = true}, guarded()},
        {"BEGIN_IN_DOUBT", {.silence_is_delay = true}, given_up()},
        {"NOT_WITHDRAWN", {.change = withdraw_elsewhere}, given_up()},
        {"NOT_SET_ASIDE, by its own process", {.change = set_aside_elsewhere}, given_up()},
        {"NOT_SET_ASIDE, by who takes over", {.change = set_aside_elsewhere}, dies()},
        {"NATIVE_NOT_FREE", {.change = write_over_any_mark}, called()},
        {"NATIVE_NO_STAMP", {.change = in_call("#stamp = :n, ", "")}, called()},
        {"NATIVE_NO_STAMP, where others read", {.change = in_call("#stamp = :n, ", "")}, skew({true})},
        {"OUTCOME_UNCONDITIONAL", {.change = record_unconditionally}, called_for_ever()},
        {"TOKEN_FRESH", {.change = draw_token}, called()},
        {"REFUSED_IN_DOUBT", {.silence_is_delay = true}, called_in_vain()},
        {"COMMIT_NO_STATE, of a call", {.change = in_call("#state = :pending AND ", "")}, held()},
        {"COMMIT_BEFORE_LOCKS, of a call", {.commit_unseen = true}, held()},
        {"HELD_RESUMED: others commit what only its own process knows", {.resume_fenced = true}, held()},
        {"HELD_KEEPS_STAMP: what was only held is not as before",
         {.change = in_call("SET #stamp = #before REMOVE", "REMOVE")},
         held("r")},
        {"HELD_NO_VERSION", {.change = in_call("#ver = if_not_exists(#ver, :base) + :step, ", "")}, held()},
        {"HELD_INSERT_UNCOND", {.change = insert_over_anything}, held_with_an_insert()},
        {"UNDO_WHILE_P, of what is held", {.tell = take_pending_for_undone}, held()},
        {"VERSION_SHOWN: what is not committed has a version", {.change = show_version}, saved()},
        {"VERSION_STAYS: a commit does not raise it", {.change = leave_version}, saved()},
    };
}

}  // namespace

TEST_CASE("the search of all orders finds each rule of transactions that is left out", "[exhaustive]") {
    for (const auto& each : mistakes()) {
        const auto end = search(each.where, each.rules, 400'000);
        INFO(each.name << " in " << each.where.name << ", " << end.states << " states");
        CHECK(end.wrong != "");
        // What the service would refuse as malformed, proves nothing of the protocol.
        CHECK(!end.wrong.starts_with("rejected"));
    }
}

}  // namespace dynalease::protocol::test
