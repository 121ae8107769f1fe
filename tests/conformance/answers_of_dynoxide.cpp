// Answers of dynoxide that differ from ours for a reason.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/answers_of_dynoxide.hpp"

#include "conformance/difference_marks.hpp"

#include <cstdlib>
#include <functional>
#include <vector>

namespace dynalease::conformance {

/// Theirs is one item, again and again; ours is that item once, or nothing where it is the one to start behind.
bool resumed_at_a_hash_key(const difference& found) {
    const auto* query = std::get_if<query_request>(&found.what.request);
    if (!query || !query->index_name.empty() || !both_answer(found)) return false;
    const bool of_hash_alone = query->exclusive_start_key.size() == 1 || found.what.to_the_end;
    return of_hash_alone && items_in(found.ours).size() <= 1 &&
           std::ranges::adjacent_find(items_in(found.theirs), std::not_equal_to<>{}) == items_in(found.theirs).end() &&
           number_in(found.theirs, "ScannedCount") > number_in(found.ours, "ScannedCount");
}

namespace {

/// "{…}" of nothing but a key, or of nothing.
bool has_only_keys(const std::string& shown) {
    const auto held = parse_json(shown);
    return held && held->type == json::kind::object && std::ranges::all_of(held->members, [](const auto& each) {
               return each.first == "pk" || each.first == "sk";
           });
}

}  // namespace

bool projected_in_a_transaction(const difference& found) {
    const auto* request = std::get_if<transact_get_items_request>(&found.what.request);
    const auto projects = [](const transact_get& each) { return !each.projection_expression.empty(); };
    if (!request || std::ranges::none_of(request->gets, projects)) return false;
    if (found.path == "Responses[].Item") {
        return (found.our_value == "absent" && has_only_keys(found.their_value)) ||
               (found.their_value == "absent" && has_only_keys(found.our_value));
    }
    return (found.path == "Responses[].Item.pk" || found.path == "Responses[].Item.sk") && found.our_value == "absent";
}

namespace {

template <class Request>
bool fetches_beside_an_index(const difference& found) {
    const auto* request = std::get_if<Request>(&found.what.request);
    if (!request || request->index_name != "by-n2" || request->projection_expression.empty()) return false;
    const bool filtered = !request->filter_expression.empty() && (found.path == "Count" || found.path == "Items");
    return filtered || (found.path.starts_with("Items[].") && found.their_value == "absent");
}

}  // namespace

bool fetched_beside_an_index(const difference& found) {
    return both_answer(found) &&
           (fetches_beside_an_index<scan_request>(found) || fetches_beside_an_index<query_request>(found));
}

namespace {

/// What is only in one of two lists of items.
std::vector<json> difference_of(std::vector<json> one, std::vector<json> other) {
    for (const json& each : other) {
        const auto found = std::ranges::find(one, each);
        if (found != one.end()) one.erase(found);
    }
    return one;
}

}  // namespace

/// All that only one of the two found has the key of the item that they start behind: which of these come behind it
/// nobody knows. Parts of a key that a projection leaves out are taken for equal.
bool resumed_within_a_key(const difference& found) {
    const auto* query = std::get_if<query_request>(&found.what.request);
    if (!query || query->index_name.empty() || query->exclusive_start_key.empty() || !both_answer(found)) return false;
    const bool of_page = found.path.starts_with("Items") || found.path == "Pages" || found.path.ends_with("Count") ||
                         found.path.starts_with("LastEvaluatedKey");
    if (!of_page) return false;
    if (query->limit && !found.what.to_the_end) return true;  // a page of so many, which may all be others
    const auto start = parse_json(codec::encode_request(*query));
    const auto* behind = start ? start->find("ExclusiveStartKey") : nullptr;
    const auto has_key = [&](const json& each) {
        return std::ranges::all_of(each.members, [&](const auto& member) {
            const bool of_table = member.first == "pk" || member.first == "sk";
            const auto* part = behind->find(member.first);
            return of_table || !part || *part == member.second;
        });
    };
    const auto more = difference_of(items_in(found.ours), items_in(found.theirs));
    const auto less = difference_of(items_in(found.theirs), items_in(found.ours));
    return behind && std::ranges::all_of(more, has_key) && std::ranges::all_of(less, has_key);
}

/// Nothing beside the key.
bool old_key_of_a_new_item(const difference& found) {
    const auto* theirs = found.theirs.body.find("Attributes");
    return is<update_item_request>(found) && found.path == "Attributes" && found.our_value == "absent" && theirs &&
           has_any(text_of(found.what), {"\"ALL_OLD\""}) && std::ranges::all_of(theirs->members, [](const auto& each) {
               return each.first == "pk" || each.first == "sk";
           });
}

/// Their set has what ours has, and more.
bool number_left_in_a_set(const difference& found) {
    return both_answer(found) && found.path.ends_with(".NS") && found.their_value.size() > found.our_value.size();
}

bool counted_nothing(const difference& found) {
    const auto* count = found.ours.body.find("Count");
    return found.path == "Items" && found.our_value == "[]" && found.their_value == "absent" && count &&
           count->text == "0" && has_any(text_of(found.what), {"\"COUNT\""});
}

bool index_in_a_transaction(const difference& found) {
    return is<transact_write_items_request>(found) && found.path.starts_with("ConsumedCapacity[].") &&
           found.path.ends_with("CapacityUnits") &&
           std::strtod(found.our_value.c_str(), nullptr) > std::strtod(found.their_value.c_str(), nullptr);
}

}  // namespace dynalease::conformance
