// What the lists of known differences look for in a difference.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/known_differences.hpp"

#include "dynamodb/codec.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dynalease::conformance {

inline bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

/// The message of a refusal, and those of its reasons.
inline std::string words_of(const answer& refusal) {
    std::string out = refusal.message();
    const auto* reasons = refusal.body.find("CancellationReasons");
    if (!reasons) return out;
    for (const auto& each : reasons->items) {
        if (const auto* message = each.find("Message")) out += "\n" + message->text;
    }
    return out;
}

/// The request as it was sent.
inline std::string text_of(const call& what) {
    return what.raw.empty() ? codec::encode_request(what.request) : what.raw;
}

/// What a Query or Scan found.
inline const std::vector<json>& items_in(const answer& found) {
    static const std::vector<json> none;
    const auto* items = found.body.find("Items");
    return items ? items->items : none;
}

inline double number_in(const answer& found, std::string_view name) {
    const auto* held = found.body.find(name);
    return held ? std::strtod(held->text.c_str(), nullptr) : 0;
}

template <class Request>
bool is(const difference& found) {
    return std::holds_alternative<Request>(found.what.request);
}

inline bool both_answer(const difference& found) {
    return !found.ours.refused && !found.theirs.refused;
}

/// Ours finds the request malformed. The other has not looked, or only at its condition.
inline bool passes_elsewhere(const difference& found) {
    const auto theirs = found.theirs.error();
    return found.ours.error() == "ValidationException" &&
           (theirs.empty() || theirs == "ConditionalCheckFailedException" || theirs == "TransactionCanceledException");
}

/// An update that sets nothing, so that it makes no item: here it is asked for the new one.
inline bool only_takes_away(const difference& found) {
    const auto* update = std::get_if<update_item_request>(&found.what.request);
    return update && update->returned == return_values::all_new &&
           !has_any(update->update_expression, {"SET ", "set ", "ADD ", "add "});
}

inline bool made_by_taking_away(const difference& found) {
    if (!both_answer(found)) return false;
    if (only_takes_away(found)) return found.path == "Attributes" && found.our_value == "absent";
    // An item that is made is paid for in an index too.
    const auto* update = std::get_if<update_item_request>(&found.what.request);
    return update && !has_any(update->update_expression, {"SET ", "set ", "ADD ", "add "}) &&
           found.path.starts_with("ConsumedCapacity.") && found.our_value < found.their_value;
}

inline bool taken_away_from_nothing(const difference& found) {
    return !found.ours.refused && only_takes_away(found) && !found.ours.body.find("Attributes") &&
           has_any(found.theirs.message(), {"The document path provided in the update expression is invalid"});
}

}  // namespace dynalease::conformance
