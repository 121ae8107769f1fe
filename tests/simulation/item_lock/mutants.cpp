// The known mistakes of item locks: what requests lack, and each by its rule. In brackets the section of the protocol
// of items.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/framework/rewriting_database.hpp"
#include "simulation/versioned/item_history.hpp"
#include "support/changed_texts.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace dynalease::simulation::item_locks {

// ---- requests ----------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view above_floor = " AND (attribute_not_exists(#F) OR #F < :t)";

update_item_request* update_in(any_request& request) {
    auto* update = std::get_if<update_item_request>(&request);
    return update && versions::item_history::item_in(update->key) ? update : nullptr;
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// An update of an item whose text begins so, or null.
update_item_request* beginning(any_request& request, std::string_view text) {
    auto* update = update_in(request);
    return update && update->update_expression.starts_with(text) ? update : nullptr;
}
update_item_request* exclusive_take(any_request& request) {
    return beginning(request, "SET #W = :w, #F = :t REMOVE #I");
}
update_item_request* shared_take(any_request& request) {
    auto* update = beginning(request, "SET #F = :t REMOVE #I");
    return update && has(update->update_expression, "ADD #R :me") ? update : nullptr;
}
/// A guarded write: it raises the step, or ends the grant with a change.
update_item_request* guarded(any_request& request) {
    auto* update = update_in(request);
    if (!update || !has(update->condition_expression, "#W = :k")) return nullptr;
    const bool about_the_lock = update->update_expression.starts_with("SET #W = :w, #F") ||
                                update->update_expression.starts_with("REMOVE #W ADD");
    return about_the_lock ? nullptr : update;
}

void take_without_floor(any_request& request, purpose, const environment&) {
    if (auto* update = exclusive_take(request)) drop_clause(*update, above_floor);
}
void read_without_floor(any_request& request, purpose, const environment&) {
    if (auto* update = shared_take(request)) drop_clause(*update, above_floor);
}
void read_below_floor(any_request& request, purpose, const environment&) {
    if (auto* update = shared_take(request)) drop_clause(*update, "SET #F = :t ");
}
void intend_without_floor(any_request& request, purpose, const environment&) {
    if (auto* update = beginning(request, "SET #I = :mine")) drop_clause(*update, above_floor);
}
void write_what_is_not_there(any_request& request, purpose, const environment&) {
    constexpr std::string_view exists = "attribute_exists(#k) AND attribute_not_exists(#gone) AND ";
    auto* update = update_in(request);
    const bool takes = exclusive_take(request) || shared_take(request);
    if (takes || (update && update->update_expression == "SET #F = :t")) drop_clause(*update, exists);
}
void take_from_any_writer(any_request& request, purpose, const environment&) {
    if (auto* update = exclusive_take(request); update && update->values.contains(":seen"))
        drop_clause(*update, " AND #W = :seen");
}
void take_from_any_readers(any_request& request, purpose, const environment&) {
    if (auto* update = exclusive_take(request); update && update->values.contains(":over"))
        drop_clause(*update, " AND #R = :over");
}
void read_past_intents(any_request& request, purpose, const environment&) {
    auto* update = shared_take(request);
    if (!update) return;
    drop_clause(*update, has(update->condition_expression, "(attribute_not_exists(#I) OR #I = :i)")
                             ? " AND (attribute_not_exists(#I) OR #I = :i)"
                             : " AND attribute_not_exists(#I)");
}

/// "<session>." of "<session>.<attempt>...", or with the attempt.
std::string beginning_of(const std::string& claimant, bool with_attempt) {
    auto end = claimant.find('.') + 1;
    if (with_attempt) end = claimant.find('.', end) + 1;
    return claimant.substr(0, end);
}
void release_for_the_session(any_request& request, purpose, const environment&) {
    auto* update = beginning(request, "REMOVE #W");
    if (!update || !update->values.contains(":sa")) return;
    auto& text = update->values.at(":sa");
    text = beginning_of(*text.get_if<std::string>(), false);
}
void guard_by(any_request& request, bool attempt) {
    auto* update = guarded(request);
    if (!update) return;
    auto& text = update->values.at(":k");
    text = beginning_of(*text.get_if<std::string>(), attempt);
    replace_clause(*update, "#W = :k", "begins_with(#W, :k)");
}
void guard_by_attempt(any_request& request, purpose, const environment&) {
    guard_by(request, true);
}
void guard_by_session(any_request& request, purpose, const environment&) {
    guard_by(request, false);
}
void guard_any_life(any_request& request, purpose, const environment&) {
    constexpr std::string_view same_life = " AND #born = :b";
    auto* update = guarded(request);
    if (update && has(update->condition_expression, same_life)) drop_clause(*update, same_life);
}
void fence_of_any_life(any_request& request, purpose, const environment&) {
    auto* all = std::get_if<transact_write_items_request>(&request);
    if (!all) return;
    for (auto& action : all->actions) {
        auto* check = std::get_if<condition_check>(&action);
        if (!check || !has(check->condition_expression, " AND #born = :b")) continue;
        tests::replace(check->condition_expression, " AND #born = :b", "");
        tests::prune(*check);
    }
}
void guarded_raises_nothing(any_request& request, purpose, const environment&) {
    auto* update = guarded(request);
    if (!update) return;
    for (const auto& [name, value] : update->values) {
        if (value.is<number>() && has(update->update_expression, ") + " + name)) {
            update->values.at(name) = 0;
            return;
        }
    }
}
void save_through_locks(any_request& request, purpose, const environment&) {
    if (auto* update = beginning(request, "SET #ver = :n1"))
        drop_clause(*update, " AND attribute_not_exists(#W) AND attribute_not_exists(#R)");
}
void void_without_floor(any_request& request, purpose, const environment&) {
    auto* update = update_in(request);
    if (update && update->update_expression == "SET #F = :t") drop_clause(*update, above_floor);
}

/// The item that comes with a grant does not tell whose its last writes were.
class grants_without_stamps final : public rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request& sent, purpose) override {
        auto request = sent;
        if (!answer || !exclusive_take(request)) return;
        auto& shown = std::get<update_item_response>(*answer).attributes;
        shown.erase("_stamp");
        shown.erase("_trail");
    }
};

const contribution item_lock_mutants{{
    .name = "item_lock",
    .mutants =
        {
            {.name = "X_NO_FLOOR",
             .rule = "an exclusive grant tests the floor [7]",
             .wrap = editing<take_without_floor>},
            {.name = "S_NO_FLOOR", .rule = "a reader's grant tests the floor [7]", .wrap = editing<read_without_floor>},
            {.name = "S_KEEPS_FLOOR",
             .rule = "a reader's grant raises the floor [7]",
             .wrap = editing<read_below_floor>},
            {.name = "I_NO_FLOOR",
             .rule = "an intent tests the floor [7]",
             .wrap = editing<intend_without_floor>,
             .scenario = "late-intent"},
            {.name = "NO_EX",
             .rule = "no lock request makes an item [7]",
             .wrap = editing<write_what_is_not_there>,
             .scenario = "take-of-nothing"},
            {.name = "T_UNCOND",
             .rule = "a take-over names the writer that it saw [7]",
             .wrap = editing<take_from_any_writer>,
             .scenario = "two-take-over"},
            {.name = "XR_UNCOND",
             .rule = "a take-over names the readers that it saw [7]",
             .wrap = editing<take_from_any_readers>,
             .scenario = "reader-before-a-take-over"},
            {.name = "ASK_GUESSED",
             .rule = "whether a holder lives is known by its next sign of life, not before [ask]",
             .scenario = "one-call-at-a-dead-holder-of-an-item"},
            {.name = "ASK_FORGETS",
             .rule = "what a living holder gives back is not for who only asked for it [ask]",
             .scenario = "one-call-at-a-short-hold-of-an-item"},
            {.name = "XR_LIVE", .rule = "only readers that are over are taken from [7]"},
            {.name = "S_IGNORES_I",
             .rule = "no reader passes a writer that waits [8]",
             .wrap = editing<read_past_intents>},
            {.name = "REL_SESSION",
             .rule = "a release names the attempt [7]",
             .wrap = editing<release_for_the_session>},
            {.name = "G_BY_ATTEMPT", .rule = "a guarded write names the step [7]", .wrap = editing<guard_by_attempt>},
            {.name = "G_BY_SESSION",
             .rule = "a guarded write names the attempt [7]",
             .wrap = editing<guard_by_session>},
            {.name = "G_NO_BORN",
             .rule = "a guarded write names the life of the item [7]",
             .wrap = editing<guard_any_life>,
             .scenario = "reborn-under-a-holder"},
            {.name = "F_NO_BORN",
             .rule = "... and so does a fence [7]",
             .wrap = editing<fence_of_any_life>,
             .scenario = "reborn-under-a-holder"},
            {.name = "G_NO_SETTLE", .rule = "the next step in the item is the own write's [8]"},
            {.name = "G_NO_BUMP",
             .rule = "guarded writes raise the version [9]",
             .wrap = editing<guarded_raises_nothing>},
            {.name = "NO_RESPECT",
             .rule = "versioned writes respect locks [1]",
             .wrap = editing<save_through_locks>,
             .scenario = "both-controls"},
            {.name = "P_NO_STAMP",
             .rule = "under its own lock an update looks for its earlier copies first [6]",
             .wrap = wrap<grants_without_stamps>,
             .scenario = "save-before-its-promotion"},
            {.name = "NO_VOID",
             .rule = "a given-up claim with an unanswered copy is closed [8]",
             .scenario = "late-take"},
            {.name = "VOID_FREE_ONLY", .rule = "... also under a holder [8]", .scenario = "late-take-under-a-holder"},
            {.name = "V_LOWERS", .rule = "a void only raises the floor [7]", .wrap = editing<void_without_floor>},
            {.name = "I_STAYS", .rule = "who gives up takes the intent back [8]"},
            {.name = "NO_AUDIT", .rule = "copies of refused claims are looked after [7]", .scenario = "copy-of-a-try"},
            {.name = "AUDIT_EARLY", .rule = "... once no copy can land any more [7]", .scenario = "copy-of-a-try"},
            {.name = "BEATS_TOO_OFTEN", .rule = "one heartbeat for each period, whatever is held [budget S2]"},
            {.name = "GHOST_STAYS", .rule = "forgotten holds of the own session go at once [7]"},
        },
}};

}  // namespace

}  // namespace dynalease::simulation::item_locks
