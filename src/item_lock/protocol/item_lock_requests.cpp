// The requests of an item lock. The texts are the protocol; only the attribute names are filled in by search.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/protocol/item_lock_requests.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <utility>

namespace dynalease::protocol {

namespace {

constexpr std::string_view item_exists = "attribute_exists(#k) AND attribute_not_exists(#gone)";
/// What makes tokens rise and late copies fail.
constexpr std::string_view above_item_floor = "(attribute_not_exists(#F) OR #F < :t)";

/// No intent, or this very one.
std::string no_other_intent(const std::optional<std::string>& allowed, attribute_values& values) {
    if (!allowed) return "attribute_not_exists(#I)";
    values.emplace(":i", *allowed);
    return "(attribute_not_exists(#I) OR #I = :i)";
}

std::string same_life(const item_grant& held, attribute_values& values) {
    if (!held.born) return {};
    values.emplace(":b", bytes_of(*held.born));
    return " AND #born = :b";
}

}  // namespace

update_item_request item_lock_requests::draft(std::string update, std::string condition,
                                              attribute_values values) const {
    update_item_request request{.table_name = layout_.table,
                                .key = key_,
                                .update_expression = std::move(update),
                                .condition_expression = std::move(condition),
                                .values = std::move(values),
                                .current_on_refusal = true};
    keep_used_names(layout_, request.names, request.update_expression, request.condition_expression);
    return request;
}

get_item_request item_lock_requests::look() const {
    get_item_request request{.table_name = layout_.table,
                             .key = key_,
                             .consistent_read = true,
                             .projection_expression = "#k, #W, #R, #I, #F, #tx, #gone, #born"};
    keep_used_names(layout_, request.names, request.projection_expression, {});
    return request;
}

update_item_request item_lock_requests::take(const claim& mine, const item_take_form& form,
                                             std::size_t most_readers) const {
    attribute_values values{{":t", mine.token}};
    auto condition = std::string(item_exists) + " AND " + std::string(above_item_floor) +
                     " AND attribute_not_exists(#tx) AND " + no_other_intent(form.intent, values);
    if (form.over_writer) {
        condition += " AND #W = :seen";
        values.emplace(":seen", *form.over_writer);
    } else {
        condition += " AND attribute_not_exists(#W)";
    }
    std::string update;
    if (form.access == item_access::exclusive) {
        if (form.over_readers.empty()) {
            condition += " AND attribute_not_exists(#R)";
        } else {
            condition += " AND #R = :over";
            values.emplace(":over", string_set(form.over_readers.begin(), form.over_readers.end()));
        }
        update = form.over_readers.empty() ? "SET #W = :w, #F = :t REMOVE #I" : "SET #W = :w, #F = :t REMOVE #I, #R";
        values.emplace(":w", writer_text(self_, mine.attempt, 0));
    } else {
        condition += " AND (attribute_not_exists(#R) OR size(#R) < :max)";
        values.emplace(":max", static_cast<std::int64_t>(most_readers));
        update = form.over_writer ? "SET #F = :t REMOVE #I, #W ADD #R :me" : "SET #F = :t REMOVE #I ADD #R :me";
        values.emplace(":me", string_set{reader_text(self_, mine.attempt)});
    }
    auto request = draft(std::move(update), std::move(condition), std::move(values));
    request.returned = return_values::all_new;
    return request;
}

update_item_request item_lock_requests::intend(const claim& mine, const std::optional<std::string>& replaced) const {
    attribute_values values{{":t", mine.token}, {":mine", reader_text(self_, mine.attempt)}};
    auto condition = std::string(item_exists) + " AND (attribute_exists(#W) OR attribute_exists(#R)) AND " +
                     no_other_intent(replaced, values) + " AND " + std::string(above_item_floor);
    auto request = draft("SET #I = :mine", std::move(condition), std::move(values));
    request.returned = return_values::all_new;
    return request;
}

update_item_request item_lock_requests::reap(const std::vector<std::string>& over) const {
    auto request = draft("DELETE #R :over", "contains(#R, :dead)",
                         {{":dead", over.front()}, {":over", string_set(over.begin(), over.end())}});
    request.returned = return_values::all_new;
    return request;
}

update_item_request item_lock_requests::close(const claim& mine) const {
    auto request =
        draft("SET #F = :t", std::string(item_exists) + " AND " + std::string(above_item_floor), {{":t", mine.token}});
    request.returned = return_values::all_new;
    return request;
}

update_item_request item_lock_requests::leave(const claim& mine, const std::string& intent) const {
    return draft("SET #F = :t REMOVE #I", "#I = :mine AND " + std::string(above_item_floor),
                 {{":t", mine.token}, {":mine", intent}});
}

update_item_request item_lock_requests::leave_closed(const std::string& intent) const {
    return draft("REMOVE #I", "#I = :mine", {{":mine", intent}});
}

update_item_request item_lock_requests::change(const item_grant& held, const guarded_change& what) const {
    attribute_values values{{":k", writer_text(self_, held.id.attempt, held.step)}};
    auto condition = "#W = :k" + same_life(held, values);
    auto update = what.update;
    update += what.release ? remove(layout_.writer())
                           : set(layout_.writer(), writer_text(self_, held.id.attempt, held.step + 1));
    if (what.versioned) {
        update += raised_version(layout_, what.stamp);
        condition += " AND (attribute_not_exists(#ver) OR #ver <= :top)";
        values.emplace(":top", layout_.version_limit - layout_.step);
        // Of a life that is known, the version's name is known, too.
        if (!held.born) condition += " AND " + goes_by_name(layout_, values);
    }
    auto request = draft({}, std::move(condition), std::move(values));
    apply(request, what.condition);
    apply(request, update);
    request.returned = return_values::all_new;
    return request;
}

delete_item_request item_lock_requests::erase(const item_grant& held, const condition_expression& condition) const {
    delete_item_request request{.table_name = layout_.table, .key = key_, .current_on_refusal = true};
    request.values = {{":k", writer_text(self_, held.id.attempt, held.step)}};
    request.condition_expression = "#W = :k" + same_life(held, request.values);
    keep_used_names(layout_, request.names, {}, request.condition_expression);
    apply(request, condition);
    return request;
}

update_item_request item_lock_requests::release(const item_grant& held) const {
    if (held.access == item_access::shared) {
        const auto me = reader_text(self_, held.id.attempt);
        string_set gone(held.ghosts.begin(), held.ghosts.end());
        gone.insert(me);
        return draft("DELETE #R :gone", "contains(#R, :reader)", {{":gone", std::move(gone)}, {":reader", me}});
    }
    auto request = draft("REMOVE #W", "begins_with(#W, :sa)", {{":sa", reader_text(self_, held.id.attempt) + "."}});
    request.returned = return_values::updated_old;
    return request;
}

update_item_request item_lock_requests::downgrade(const item_grant& held) const {
    attribute_values values{{":k", writer_text(self_, held.id.attempt, held.step)},
                            {":me", string_set{reader_text(self_, held.id.attempt)}}};
    auto condition = "#W = :k" + same_life(held, values);
    return draft("REMOVE #W ADD #R :me", std::move(condition), std::move(values));
}

update_item_request item_lock_requests::extend(const item_grant& held) const {
    attribute_values values{{":k", writer_text(self_, held.id.attempt, held.step)},
                            {":next", writer_text(self_, held.id.attempt, held.step + 1)}};
    auto condition = "#W = :k" + same_life(held, values);
    return draft("SET #W = :next", std::move(condition), std::move(values));
}

update_item_request item_lock_requests::succeed(const item_grant& held, std::int64_t attempt) const {
    attribute_values values{{":me", reader_text(self_, held.id.attempt)},
                            {":next", string_set{reader_text(self_, attempt)}}};
    auto condition = "contains(#R, :me)" + same_life(held, values);
    return draft("ADD #R :next", std::move(condition), std::move(values));
}

update_item_request item_lock_requests::hand_over(const item_grant& from, const claim& to) const {
    attribute_values values{{":k", writer_text(self_, from.id.attempt, from.step)},
                            {":w", writer_text(self_, to.attempt, 0)},
                            {":t", to.token}};
    auto condition = "#W = :k AND #F < :t" + same_life(from, values);
    auto request = draft("SET #W = :w, #F = :t", std::move(condition), std::move(values));
    request.returned = return_values::all_new;
    return request;
}

condition_expression item_lock_requests::condition(const item_grant& held) const {
    const auto me = reader_text(self_, held.id.attempt);
    auto holds = held.access == item_access::exclusive ? begins_with(layout_.writer(), me + ".")
                                                       : contains(layout_.readers(), me);
    if (held.born) return std::move(holds) && attr(item_attribute::born) == bytes_of(*held.born);
    return holds;
}

condition_check item_lock_requests::fence(const item_grant& held) const {
    condition_check check;
    check.table_name = layout_.table;
    check.key = key_;
    const auto me = reader_text(self_, held.id.attempt);
    if (held.access == item_access::exclusive) {
        check.condition_expression = "begins_with(#W, :sa)";
        check.values.emplace(":sa", me + ".");
    } else {
        check.condition_expression = "contains(#R, :reader)";
        check.values.emplace(":reader", me);
    }
    check.condition_expression += same_life(held, check.values);
    keep_used_names(layout_, check.names, {}, check.condition_expression);
    return check;
}

}  // namespace dynalease::protocol
