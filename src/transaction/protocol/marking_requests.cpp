// The texts of the requests about items.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/marking_requests.hpp"

#include "item/protocol/item_state.hpp"
#include "transaction/protocol/item_texts.hpp"
#include "transaction/protocol/transaction_header.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <string_view>
#include <utility>

namespace dynalease::protocol {

namespace {

std::string letter(mark_kind kind) {
    return {static_cast<char>(kind)};
}

void name_lock(attribute_names& names, attribute_values& values, const item_mark& mark) {
    names.emplace("#tx", mark_attribute::owner);
    names.emplace("#stamp", mark.stamp_name);
    names.emplace("#before", mark_attribute::before);
    protocol::name_lock(mark, values);
}

// ---- ends --------------------------------------------------------------------------------------------------

delete_item_request erased(const item_ref& where, const item_mark& mark) {
    delete_item_request request{.table_name = where.table,
                                .key = where.key,
                                .condition_expression = std::string(this_lock),
                                .current_on_refusal = true};
    name_lock(request.names, request.values, mark);
    return request;
}

/// An update under this lock. What the mark consists of is removed; what else, is up to the caller.
struct ending {
    ending(const item_ref& where, const item_mark& mark)
        : request{.table_name = where.table,
                  .key = where.key,
                  .condition_expression = std::string(this_lock),
                  .current_on_refusal = true} {
        name_lock(request.names, request.values, mark);
        request.names.emplace("#kind", mark_attribute::kind);
        request.names.emplace("#write", mark_attribute::write);
        removes = "#tx, #before, #kind, #write";
        if (mark.stamp_name != item_layout{}.stamp) {
            request.names.emplace("#name", mark_attribute::stamp_name);
            removes += ", #name";
        }
        for (const auto& image : mark.images) {
            const auto number = std::to_string(images++);
            request.names.emplace("#i" + number, image_name(image.name));
            removes += ", #i" + number;
        }
        for (const auto& name : mark.versions) {
            request.names.emplace("#next", next_version_name(name));
            removes += ", #next";
        }
    }

    void set(const std::string& text) {
        sets += sets.empty() ? "SET " : ", ";
        sets += text;
    }
    /// The item's stamp as it was before.
    void give_stamp_back(const item_mark& mark) {
        if (mark.lock.before) return set("#stamp = #before");
        removes += ", #stamp";
    }
    update_item_request finish() && {
        request.update_expression = sets + (sets.empty() ? "" : " ") + "REMOVE " + removes;
        return std::move(request);
    }

    update_item_request request;
    std::string sets;
    std::string removes;
    std::size_t images = 0;
};

}  // namespace

// ---- locks -------------------------------------------------------------------------------------------------

update_item_request marking_requests::draft(const item_key& key, const planned_write& write,
                                            std::int64_t number) const {
    update_item_request request{.table_name = on_.layout.table,
                                .key = key,
                                .names = names_in_texts(on_.layout),
                                .returned = return_values::updated_new,
                                .current_on_refusal = true};
    request.values.emplace(":tx", self_.text());
    request.values.emplace(":n", bytes_of(write.stamp));
    request.values.emplace(":kind", letter(write.kind));
    request.values.emplace(":write", number);
    return request;
}

void marking_requests::complete(update_item_request& request) const {
    keep_used_names(on_.layout, request.names, request.update_expression, request.condition_expression);
}

/// @param held the mark that is there already; null: none
void marking_requests::change(update_item_request& request, const planned_write& write, const item_mark* held) const {
    const auto& layout = on_.layout;
    update_clauses text(request.names, request.values);
    if (!held) {
        request.values.emplace(":none", no_stamp());
        text.set("#tx = :tx, #before = if_not_exists(#stamp, :none)");
        if (layout.stamp != item_layout{}.stamp) {
            request.values.emplace(":name", layout.stamp);
            text.set("#name = :name");
        }
    }
    text.set("#stamp = :n, #kind = :kind, #write = :write");

    auto touched = touched_by(write.change);
    const bool raises = on_.versioned && write.kind == mark_kind::updated && (!held || held->versions.empty());
    if (raises) {
        touched.push_back(layout.version);
        touched.push_back(item_attribute::trail);
        if (layout.names_version()) touched.push_back(item_attribute::versioned_by);
    }
    if (!touched.empty()) request.values.emplace(":absent", absent_image());
    for (const auto& name : touched) {
        const auto image = text.name(image_name(name));
        const auto now = "if_not_exists(" + text.name(name) + ", :absent)";
        // The oldest image stays.
        text.set(image + " = " + (held ? "if_not_exists(" + image + ", " + now + ")" : now));
    }
    if (raises) {
        // What is not committed has no version, so that nobody can ever save onto it.
        request.values.emplace(":base", layout.first_version - layout.step);
        request.values.emplace(":step", layout.step);
        text.set("#next = if_not_exists(#ver, :base) + :step");
        const bool remembers = held && held->lock.before;
        request.values.emplace(":trail", remembers ? bytes_of(*held->lock.before) : binary{});
        text.set(held ? "#trail = :trail" : "#trail = if_not_exists(#stamp, :trail)");
        if (layout.names_version()) {
            request.values.emplace(":by", layout.version);
            text.set("#by = :by");
        }
        text.remove("#ver");
    }
    text.apply(write.change);
    request.update_expression = text.text();
}

update_item_request marking_requests::lock_item(const item_key& key, const planned_write& write, std::int64_t number,
                                                const std::optional<item_sight>& seen) const {
    auto request = draft(key, write, number);
    // Who locks an item to read it, wants to see it.
    if (write.kind == mark_kind::read) request.returned = return_values::all_new;
    request.condition_expression = free_item(on_, write.kind, seen, request.values);
    change(request, write, nullptr);
    apply(request, write.demand);
    complete(request);
    return request;
}

update_item_request marking_requests::lock_item_again(const item_key& key, const planned_write& write,
                                                      std::int64_t number, const item_mark& held) const {
    auto request = draft(key, write, number);
    request.returned = return_values::all_new;  // most of the mark is not touched
    request.condition_expression = this_lock;
    name_lock(held, request.values);
    change(request, write, &held);
    apply(request, write.demand);
    complete(request);
    return request;
}

transact_put marking_requests::lock_insert(const planned_write& write, std::int64_t number) const {
    const auto& layout = on_.layout;
    transact_put put{.table_name = layout.table,
                     .new_item = made_item(on_, write),
                     .condition_expression = "attribute_not_exists(#k)",
                     .names = {{"#k", layout.key}},
                     .current_on_refusal = true};
    auto& made = put.new_item;
    made.insert_or_assign(mark_attribute::owner, self_.text());
    made.insert_or_assign(mark_attribute::before, no_stamp());
    made.insert_or_assign(mark_attribute::kind, letter(write.kind));
    made.insert_or_assign(mark_attribute::write, number);
    if (layout.stamp != item_layout{}.stamp) made.insert_or_assign(mark_attribute::stamp_name, layout.stamp);
    return put;
}

transact_write_items_request lock_inserts(const std::string& coordination, const run_name& self,
                                          std::vector<transact_put> inserts, std::string token) {
    transact_write_items_request request{.actions = {transaction_requests(coordination, self).still_pending()},
                                         .client_request_token = std::move(token)};
    for (auto& each : inserts) request.actions.emplace_back(std::move(each));
    return request;
}

get_item_request look_at_item(const item_ref& where) {
    return {.table_name = where.table, .key = where.key, .consistent_read = true};
}

ending_request unlock(const item_ref& where, const item_mark& mark) {
    if (mark.kind == mark_kind::to_erase) return erased(where, mark);
    ending end(where, mark);
    if (mark.kind == mark_kind::read) end.give_stamp_back(mark);
    for (const auto& name : mark.versions) {
        end.request.names.emplace("#ver", name);
        end.set("#ver = #next");
    }
    return std::move(end).finish();
}

ending_request undo(const item_ref& where, const item_mark& mark) {
    if (mark.kind == mark_kind::inserted) return erased(where, mark);
    ending end(where, mark);
    end.give_stamp_back(mark);
    if (!mark.images.empty()) end.request.values.emplace(":absent", absent_image());
    std::size_t count = 0;
    for (const auto& image : mark.images) {
        const auto number = std::to_string(count++);
        end.request.names.emplace("#u" + number, image.name);
        end.request.condition_expression += " AND #i" + number + (image.absent ? " = " : " <> ") + ":absent";
        if (image.absent) {
            end.removes += ", #u" + number;
        } else {
            end.set("#u" + number + " = #i" + number);
        }
    }
    return std::move(end).finish();
}

}  // namespace dynalease::protocol
