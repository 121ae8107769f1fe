// One number for several queues, and the transaction that takes it.
// SPDX-License-Identifier: BSL-1.0
#include "queue/protocol/enter_all.hpp"

#include "database/protocol/joint_reasons.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol {

std::vector<place> choose_places(const seen_heads& heads, std::int64_t beyond, wall_time now) {
    std::int64_t highest = beyond;
    for (const auto& head : heads) {
        highest = std::max<std::int64_t>(highest, head ? head->tail : now.time_since_epoch().count());
    }
    if (highest >= last_ticket_ever) return {};
    const auto number = highest + 1;
    std::vector<place> places;
    for (const auto& head : heads) {
        const bool waits = head && !head->free();
        places.push_back({.ticket = number,
                          .from = waits ? head->tail + 1 : number,
                          .rank = head ? head->tail - head->skipped + 1 : number});
    }
    return places;
}

namespace {

transact_update take_number(const std::string& table, const queue_name& queue, const std::optional<queue_head>& head,
                            std::int64_t number, std::string_view attempt) {
    transact_update update{.table_name = table, .key = queue_head_key(queue), .update_expression = {}};
    update.names = {{"#last", attribute::last},
                    {"#tail", attribute::tail},
                    {"#ttl", attribute::time_to_live},
                    {"#v", attribute::version}};
    update.values = {{":attempt", attempt}, {":t", number}, {":v", schema_version}};
    update.current_on_refusal = true;
    update.update_expression = "SET #tail = :t, #last = :attempt, #v = :v";
    if (head) {
        update.condition_expression = "#v = :v AND #tail = :seen";
        update.values.emplace(":seen", head->tail);
    } else {
        update.condition_expression = "attribute_not_exists(#pk)";
        update.names.emplace("#pk", attribute::partition);
    }
    const bool free = !head || head->free();
    if (free) {
        update.update_expression += ", #passed = :before";
        update.names.emplace("#passed", attribute::passed);
        update.values.emplace(":before", number - 1);
    }
    if (head && free) update.condition_expression += " AND #passed = :seen";
    if (const auto skipped = head ? number - 1 - head->tail : 0; skipped > 0) {
        update.update_expression += ", #skipped = if_not_exists(#skipped, :none) + :skipped";
        if (free) update.update_expression += ", #skipped_passed = if_not_exists(#skipped_passed, :none) + :skipped";
        update.names.emplace("#skipped", attribute::skipped);
        if (free) update.names.emplace("#skipped_passed", attribute::skipped_passed);
        update.values.emplace(":none", 0);
        update.values.emplace(":skipped", skipped);
    }
    update.update_expression += " REMOVE #ttl";
    return update;
}

}  // namespace

transact_write_items_request enter_all(const std::string& table, const std::vector<queue_name>& queues,
                                       const seen_heads& heads, const std::vector<place>& places,
                                       std::string_view attempt, const std::string& self, const ticket_face& face) {
    transact_write_items_request request;
    request.client_request_token = std::string(attempt);
    for (std::size_t i = 0; i < queues.size(); ++i) {
        auto row = queue_requests(table, queues[i], self).enter(places[i], attempt, face);
        request.actions.emplace_back(take_number(table, queues[i], heads[i], places[i].ticket, attempt));
        request.actions.emplace_back(transact_put{.table_name = std::move(row.table_name),
                                                  .new_item = std::move(row.new_item),
                                                  .condition_expression = std::move(row.condition_expression),
                                                  .names = std::move(row.names),
                                                  .current_on_refusal = true});
    }
    return request;
}

queue_head head_after(const std::optional<queue_head>& before, const place& mine, std::string_view attempt) {
    auto head = before.value_or(queue_head{.tail = mine.ticket - 1, .passed = mine.ticket - 1});
    const auto skipped = mine.ticket - 1 - head.tail;
    head.skipped += skipped;
    if (head.free()) {
        head.skipped_passed += skipped;
        head.passed = mine.ticket - 1;
    }
    head.tail = mine.ticket;
    head.last = attempt;
    return head;
}

using detail::joint_reason;

enter_all_step decide_enter_all(const failure& why, std::string_view attempt, seen_heads& heads) {
    auto next = enter_all_step::again;
    auto where_taken = enter_all_step::again;
    bool ours = false;
    for (std::size_t i = 0; i < why.reasons.size() && i / 2 < heads.size(); ++i) {
        const auto& reason = why.reasons[i];
        const bool about_head = i % 2 == 0;
        const auto kind = detail::kind_of(reason);
        if (kind != joint_reason::condition) {
            if (kind == joint_reason::stays) next = enter_all_step::refused;
        } else if (about_head) {
            if (next == enter_all_step::again) next = enter_all_step::renew;
            heads[i / 2].reset();
            if (!reason.current) continue;
            const auto shown = parse_queue_head(*reason.current);
            if (!shown) return enter_all_step::refused;
            heads[i / 2] = *shown;
            ours = ours || shown->last == attempt;
        } else {
            // The row is ours even where others have entered since. Another's is explained by a head that moved, or
            // else is of a time before the table went back; or what stands in the way is no row of a queue.
            const auto shown = reason.current ? parse_ticket_row(*reason.current) : result<ticket_row>(failure());
            ours = ours || (shown && !shown->is_void && shown->attempt == attempt);
            if (!shown) where_taken = enter_all_step::refused;
            if (where_taken == enter_all_step::again) where_taken = enter_all_step::beyond;
        }
    }
    if (ours) return enter_all_step::entered;
    return next == enter_all_step::again ? where_taken : next;
}

}  // namespace dynalease::protocol
