// The one list of known differences. AWS's documents decide; where they are silent, the reason says what does.
#include "conformance/known_differences.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

namespace dynalease::conformance {

namespace {

bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

/// The message, and those of the reasons.
std::string words_of(const answer& refusal) {
    std::string out = refusal.message();
    const auto* reasons = refusal.body.find("CancellationReasons");
    if (!reasons) return out;
    for (const auto& each : reasons->items) {
        if (const auto* message = each.find("Message")) out += "\n" + message->text;
    }
    return out;
}

bool only_ours_refuses_as_malformed(const difference& found) {
    return found.ours.error() == "ValidationException" && found.theirs.error() != "ValidationException" &&
           found.theirs.error() != "SerializationException";
}

bool words_of_a_refusal(const difference& found) {
    return found.path == "message" || found.path == "CancellationReasons[].Message";
}

bool operand_checked_before(const difference& found) {
    return only_ours_refuses_as_malformed(found) &&
           has_any(found.ours.message(),
                   {"Incorrect operand type", "BETWEEN operator requires", "is not defined", "must be distinct",
                    "Invalid attribute type name", "Two document paths", "may not be empty"});
}

bool expression_before_table(const difference& found) {
    const bool other_way = found.ours.error() == "ResourceNotFoundException" &&
                           has_any(found.theirs.message(), {"operator in KeyConditionExpression"});
    return other_way || (only_ours_refuses_as_malformed(found) && found.theirs.error() == "ResourceNotFoundException");
}

bool key_updated(const difference& found) {
    return only_ours_refuses_as_malformed(found) &&
           has_any(found.ours.message(), {"This attribute is part of the key"});
}

/// The codes of our reasons, without those that are "None".
std::vector<std::string> codes_of(const answer& refusal) {
    std::vector<std::string> out;
    const auto* reasons = refusal.body.find("CancellationReasons");
    if (!reasons) return out;
    for (const auto& each : reasons->items) {
        const auto* code = each.find("Code");
        if (code && code->text != "None") out.push_back(code->text);
    }
    return out;
}

bool first_malformed_action(const difference& found) {
    return codes_of(found.ours) == std::vector<std::string>{"ValidationError"} &&
           (found.theirs.error() == "TransactionCanceledException" || !found.theirs.refused);
}

bool same_number_key(const difference& found) {
    return only_ours_refuses_as_malformed(found) && has_any(found.ours.message(), {"contains duplicates"});
}

/// Every one of the query's keys is its hash key.
bool resumed_at_a_hash_key(const difference& found) {
    const auto* query = std::get_if<query_request>(&found.what.request);
    if (!query) return false;
    const auto* pages = found.theirs.body.find("Pages");
    return query->exclusive_start_key.size() == 1 || (pages && pages->text == "200");
}

bool index_does_not_project(const difference& found) {
    return only_ours_refuses_as_malformed(found) && has_any(found.ours.message(), {"does not project"});
}

bool part_of_a_key(const difference& found) {
    return has_any(found.ours.message() + found.theirs.message(), {"Key attributes must be scalars"});
}

bool projected_in_a_transaction(const difference& found) {
    return std::holds_alternative<transact_get_items_request>(found.what.request) &&
           found.path.starts_with("Responses[].Item");
}

bool taken_away_from_nothing(const difference& found) {
    return !found.ours.refused && !found.ours.body.find("Attributes") &&
           has_any(found.theirs.message(), {"The document path provided in the update expression is invalid"});
}

bool key_of_an_item_in_the_making(const difference& found) {
    return (!found.theirs.refused || found.theirs.error() == "TransactionCanceledException") &&
           has_any(words_of(found.ours), {"refers to an attribute that does not exist in the item"});
}

bool item_made_by_delete(const difference& found) {
    const auto* update = std::get_if<update_item_request>(&found.what.request);
    return update && found.path.starts_with("Attributes") && !found.ours.body.find("Attributes");
}

bool time_to_live_again(const difference& found) {
    return only_ours_refuses_as_malformed(found) && has_any(found.ours.message(), {"TimeToLive is "});
}

bool size_of_a_value(const difference& found) {
    return found.theirs.error() == "ValidationException" &&
           has_any(found.theirs.message(), {"Syntax error; token: \":"}) &&
           has_any(found.theirs.message(), {"near: \"(:"});
}

bool operand_in_parentheses(const difference& found) {
    return found.ours.error() != "ValidationException" &&
           has_any(words_of(found.theirs), {"Syntax error; token: \"(\""});
}

bool wrong_json_type(const difference& found) {
    const auto of_json = [](const answer& each) {
        return each.error() == "SerializationException" || each.error() == "ValidationException" ||
               each.error() == "ResourceNotFoundException";
    };
    return !found.what.raw.empty() && of_json(found.ours) && of_json(found.theirs);
}

bool names_without_expression(const difference& found) {
    return only_ours_refuses_as_malformed(found) &&
           has_any(found.ours.message(), {"can only be specified when using expressions", "must not be empty"});
}

bool capacity(const difference& found) {
    return found.path.starts_with("ConsumedCapacity");
}

bool lets_it_pass(const difference& found) {
    return found.ours.error() == "ValidationException" && found.theirs.error() != "ValidationException";
}

bool number_texts(const difference& found) {
    return found.path.ends_with(".N") || found.path.ends_with(".NS[]");
}

bool projection_not_understood(const difference& found) {
    return !found.ours.refused && has_any(found.theirs.message(), {"unused in expressions", "Bad Filter Expression"});
}

bool condition_on_nothing(const difference& found) {
    return found.ours.error() == "ConditionalCheckFailedException" && !found.theirs.refused;
}

bool fails_inside(const difference& found) {
    return found.theirs.error() == "InternalServerError";
}

bool unused_without_update(const difference& found) {
    const auto* update = std::get_if<update_item_request>(&found.what.request);
    return update && only_ours_refuses_as_malformed(found) &&
           has_any(found.ours.message(), {"unused in expressions"}) &&
           (found.what.raw.find("UpdateExpression") == std::string::npos ||
            found.what.raw.find("\"UpdateExpression\":null") != std::string::npos);
}

bool two_faults_of_a_transaction(const difference& found) {
    if (!operation_name(found.what.request).starts_with("Transact")) return false;
    constexpr std::string_view twice = "cannot include multiple operations on one item";
    const bool ours =
        has_any(found.ours.message(), {twice, "ValidationError"}) || found.ours.error() == "ResourceNotFoundException";
    return ours && (has_any(found.theirs.message(),
                            {twice, "ValidationError", "cannot contain an empty", "Empty attribute name"}) ||
                    found.theirs.error() == "IdempotentParameterMismatchException");
}

bool fetched_beside_an_index(const difference& found) {
    const auto* scan = std::get_if<scan_request>(&found.what.request);
    return scan && !scan->index_name.empty() && !scan->projection_expression.empty() &&
           found.path.starts_with("Items[].") && found.their_value == "absent";
}

bool old_elements(const difference& found) {
    const auto* update = std::get_if<update_item_request>(&found.what.request);
    return update && found.path.starts_with("Attributes.") && update->returned == return_values::updated_old &&
           has_any(update->update_expression, {"["});
}

bool length_of_a_text(const difference& found) {
    const auto text = std::visit(
        [](const auto& request) {
            if constexpr (requires { request.filter_expression; }) {
                return request.filter_expression;
            } else if constexpr (requires { request.condition_expression; }) {
                return request.condition_expression;
            } else {
                return std::string();
            }
        },
        found.what.request);
    const bool decided = found.path == "Count" || found.path == "Items" ||
                         found.ours.error() == "ConditionalCheckFailedException" ||
                         found.theirs.error() == "ConditionalCheckFailedException";
    return decided && has_any(text, {"size("});
}

bool taken_in_another_json_type(const difference& found) {
    return !found.what.raw.empty() && found.ours.error() == "SerializationException" && !found.theirs.refused;
}

bool appended_by_an_index(const difference& found) {
    const auto* update = std::get_if<update_item_request>(&found.what.request);
    return update && found.path.starts_with("Attributes.") && update->returned == return_values::updated_new &&
           found.our_value == "absent" && has_any(update->update_expression, {"["});
}

bool counted_nothing(const difference& found) {
    const auto* count = found.ours.body.find("Count");
    return found.path == "Items" && count && count->text == "0" && has_any(found.what.raw, {"\"COUNT\""});
}

bool capacity_of_a_repeat(const difference& found) {
    const auto* request = std::get_if<transact_write_items_request>(&found.what.request);
    return request && !request->client_request_token.empty() && found.path == "ConsumedCapacity" &&
           found.our_value == "absent";
}

bool set_of_texts(const difference& found) {
    return !found.ours.refused && has_any(words_of(found.theirs), {"Input collection contains duplicates"});
}

bool index_in_a_transaction(const difference& found) {
    return std::holds_alternative<transact_write_items_request>(found.what.request) &&
           found.path.starts_with("ConsumedCapacity[].") && found.path.ends_with("CapacityUnits") &&
           std::strtod(found.our_value.c_str(), nullptr) > std::strtod(found.their_value.c_str(), nullptr);
}

constexpr std::array list{
    known_difference{"", "AWS changes the words of its refusals by region and over time; their names stay", true,
                     words_of_a_refusal},
    known_difference{"dynoxide",
                     "operands that cannot be and placeholders that are not defined: AWS refuses them before it looks "
                     "at the item, dynoxide when it evaluates them, if it does",
                     false, operand_checked_before},
    known_difference{"dynoxide",
                     "expressions are checked before the table is looked for, but what a key condition may say depends "
                     "on the table; dynoxide takes some of it the other way round",
                     true, expression_before_table},
    known_difference{"dynoxide",
                     "an update of a key attribute is malformed, whatever the condition and the item say (API "
                     "reference of UpdateItem); with dynoxide the condition comes first",
                     false, key_updated},
    known_difference{"dynoxide",
                     "a transaction is checked before any condition is, up to the first fault (Scylla's tests of AWS, "
                     "test_transact_write_cancellation_reasons_validationerror); dynoxide gathers all reasons",
                     false, first_malformed_action},
    known_difference{"dynoxide",
                     "1 and 1.0 are one key, and BatchGetItem refuses a key named twice; dynoxide compares "
                     "the texts",
                     true, same_number_key},
    known_difference{"dynoxide",
                     "ExclusiveStartKey is exclusive; a query of a table without a range key that starts at an item "
                     "finds that item again, with dynoxide",
                     true, resumed_at_a_hash_key},
    known_difference{"dynoxide",
                     "of a global index only projected attributes can be asked for, in a Scan too (API reference, "
                     "Select); dynoxide checks that in a Query",
                     true, index_does_not_project},
    known_difference{
        "dynoxide",
        "no path leads into a key attribute, which is a scalar: with dynoxide that is a fault of a filter, "
        "with ours of a projection and an update",
        true, part_of_a_key},
    known_difference{"dynoxide",
                     "TransactGetItems answers with the projected attributes, and if there are none with an empty map "
                     "(API reference, Responses); dynoxide adds the key, or leaves the map out",
                     true, projected_in_a_transaction},
    known_difference{"dynoxide",
                     "where there is no item, what is to be taken away from it may be any path (Scylla's tests of "
                     "AWS, test_nested_attribute_remove_from_missing_item); dynoxide wants the path to exist",
                     false, taken_away_from_nothing},
    known_difference{"dynoxide",
                     "AWS's documents do not say whether an update that makes an item can read the key it will have; "
                     "ours sees the item as it was, and there was none",
                     false, key_of_an_item_in_the_making},
    known_difference{"dynoxide",
                     "an update that only takes away makes no item where there was none (Scylla's tests of AWS, "
                     "test_update_item_non_existent); with dynoxide DELETE makes one",
                     false, item_made_by_delete},
    known_difference{"dynoxide",
                     "a second UpdateTimeToLive within the hour is a ValidationException (API reference of "
                     "UpdateTimeToLive); dynoxide takes it",
                     false, time_to_live_again},
    known_difference{"dynoxide",
                     "size() takes a value as well as a path (Scylla's tests of AWS, test_update_condition_size); "
                     "dynoxide's takes a path",
                     false, size_of_a_value},
    known_difference{"dynoxide",
                     "an operand may stand in parentheses (dynalite's grammar, made from AWS); not in dynoxide", false,
                     operand_in_parentheses},
    known_difference{"dynoxide",
                     "JSON of another type than the model's is a SerializationException (dynalite's tests of AWS); "
                     "dynoxide finds other words for some of it, and tells another of two faults first",
                     true, wrong_json_type},
    known_difference{"dynoxide",
                     "a placeholder that no expression uses is refused; dynoxide does not look where an update has no "
                     "UpdateExpression",
                     false, unused_without_update},
    known_difference{"dynoxide",
                     "an item named twice, a token used before, and a key that does not fit: AWS's documents do not "
                     "say which of two faults of a transaction is told",
                     true, two_faults_of_a_transaction},
    known_difference{"dynoxide",
                     "what a local index does not hold is fetched from the table (developer guide, Local Secondary "
                     "Indexes); dynoxide does not in a Scan",
                     true, fetched_beside_an_index},
    known_difference{"dynoxide",
                     "UPDATED_OLD gives those elements of a list that an update touches and that were there (Scylla's "
                     "tests of AWS, test_returnvalues); dynoxide gives the whole list, now and then",
                     true, old_elements},
    known_difference{
        "dynoxide",
        "AWS's documents do not say in what a text's size() counts: dynalite and ours count bytes, dynoxide "
        "UTF-16 units",
        false, length_of_a_text},
    known_difference{"dynoxide",
                     "JSON of another type than the model's, such as a text for NULL, is a SerializationException; "
                     "dynoxide takes some of it",
                     false, taken_in_another_json_type},
    known_difference{"dynoxide",
                     "UPDATED_NEW does not give an element set beyond the end of its list (Scylla's tests of AWS, "
                     "test_returnvalues); dynoxide gives the list",
                     true, appended_by_an_index},
    known_difference{"dynoxide",
                     "ours gives an empty list of items beside a count of 0, where only a count was asked for: no "
                     "client can tell",
                     true, counted_nothing},
    known_difference{"dynoxide",
                     "ours tells no capacity of a transaction that is repeated by its token; AWS tells the reads of it",
                     true, capacity_of_a_repeat},
    known_difference{"dynoxide", "-0 is 0; dynoxide keeps both in a set, and then finds them equal", false,
                     set_of_texts},
    known_difference{"dynoxide",
                     "AWS's documents do not say whether a transaction pays twice for its writes to indexes too; ours "
                     "does, with dynoxide it does not",
                     true, index_in_a_transaction},
    known_difference{"dynoxide",
                     "names without an expression, and no names at all, are refused, in transactions too; dynoxide "
                     "takes them there",
                     false, names_without_expression},
    known_difference{"moto", "moto leaves out many of the service's checks", false, lets_it_pass},
    known_difference{"moto", "numbers are given back in their one plain form (data types, Number); moto keeps the text",
                     true, number_texts},
    known_difference{"moto", "moto misreads names before an index, and filters on attributes that are not there", true,
                     projection_not_understood},
    known_difference{"moto", "a comparison with what is not there is false; moto takes some for true, dynoxide none",
                     false, condition_on_nothing},
    known_difference{"moto", "an update that only takes away makes no item where there was none; with moto it does",
                     false, item_made_by_delete},
    known_difference{"moto", "moto does not reckon capacity as the service does", true, capacity},
    known_difference{"moto", "moto answers with a status of 500, and no JSON, where an expression surprises it", false,
                     fails_inside},
};

}  // namespace

const known_difference* find_known(std::string_view server, const difference& found) {
    const auto at = std::ranges::find_if(list, [&](const known_difference& each) {
        return (each.server.empty() || each.server == server) && each.matches(found);
    });
    return at == list.end() ? nullptr : at;
}

}  // namespace dynalease::conformance
