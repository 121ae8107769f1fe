// Where dynoxide 3.2 reads DynamoDB in another way than AWS's documents, or they leave it open.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/answers_of_dynoxide.hpp"
#include "conformance/difference_marks.hpp"
#include "conformance/fault_proofs.hpp"

#include <array>
#include <vector>

namespace dynalease::conformance {

namespace {

// ---- checked by one before the other has come so far ------------------------------------------------------

bool expression_checked_before(const difference& found) {
    const auto words = found.ours.message();
    if (!passes_elsewhere(found)) return false;
    if (words.starts_with("ExpressionAttributeValues contains invalid value")) {
        return has_any(words, {"not be empty"}) &&
               has_any(text_of(found.what), {"\"SS\":[]", "\"NS\":[]", "\"BS\":[]"});
    }
    return words.starts_with("Invalid ") && has_told_fault(found.what, words);
}

bool expression_before_table(const difference& found) {
    if (found.ours.error() == "ResourceNotFoundException") {
        return has_any(found.theirs.message(),
                       {"operator in KeyConditionExpression", "cannot have conditions on nested attributes"});
    }
    const auto words = found.ours.message();
    return found.theirs.error() == "ResourceNotFoundException" && found.ours.error() == "ValidationException" &&
           (words.starts_with("Invalid ") ||
            has_any(words, {"unused in expressions", "must not be empty", "only be specified when using expressions",
                            "KeyConditionExpression parameter must be specified"}));
}

bool key_updated(const difference& found) {
    return is<update_item_request>(found) && found.theirs.error() == "ConditionalCheckFailedException" &&
           found.ours.error() == "ValidationException" &&
           has_any(found.ours.message(), {"This attribute is part of the key"});
}

bool index_key_mistyped(const difference& found) {
    return is<update_item_request>(found) && found.theirs.error() == "ConditionalCheckFailedException" &&
           found.ours.error() == "ValidationException" &&
           has_any(found.ours.message(), {"Type mismatch for Index Key"});
}

bool index_key_emptied(const difference& found) {
    return found.ours.error() == "ValidationException" &&
           (found.theirs.error() == "ConditionalCheckFailedException" ||
            found.theirs.error() == "TransactionCanceledException") &&
           has_any(found.ours.message(), {"attempted to update a secondary index key to a value"});
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
           found.theirs.error() == "TransactionCanceledException" && found.path.starts_with("CancellationReasons[]");
}

bool key_updated_in_a_transaction(const difference& found) {
    return is<transact_write_items_request>(found) && !found.theirs.refused &&
           has_any(words_of(found.ours), {"This attribute is part of the key"});
}

bool has_a_late_fault(const answer& refusal) {
    return refusal.error() == "ResourceNotFoundException" ||
           refusal.error() == "IdempotentParameterMismatchException" ||
           has_any(refusal.message(), {"cannot include multiple operations on one item", "contains duplicates",
                                       "ValidationError", "cannot contain an empty", "Empty attribute name"});
}

/// One of a table that is not there, one of the items of another table.
bool faults_of_two_tables(const difference& found) {
    const bool of_two = std::visit(
        [](const auto& request) {
            if constexpr (requires { request.tables; }) return request.tables.size() > 1;
            return false;
        },
        found.what.request);
    constexpr std::string_view no_table = "ResourceNotFoundException";
    constexpr std::string_view malformed = "ValidationException";
    return of_two && ((found.ours.error() == no_table && found.theirs.error() == malformed) ||
                      (found.ours.error() == malformed && found.theirs.error() == no_table));
}

bool one_of_two_faults(const difference& found) {
    return found.path == "__type" &&
           ((has_a_late_fault(found.ours) && has_a_late_fault(found.theirs)) || faults_of_two_tables(found));
}

bool no_json_of_the_model(const difference& found) {
    constexpr std::string_view of_json = "SerializationException";
    return !found.what.raw.empty() && found.path == "__type" && found.ours.refused && found.theirs.refused &&
           (found.ours.error() == of_json || found.theirs.error() == of_json);
}

// ---- let pass -------------------------------------------------------------------------------------------

bool unused_without_update(const difference& found) {
    const auto text = text_of(found.what);
    return is<update_item_request>(found) && passes_elsewhere(found) &&
           has_any(found.ours.message(), {"unused in expressions"}) &&
           (!has_any(text, {"UpdateExpression"}) || has_any(text, {"\"UpdateExpression\":null"}));
}

bool same_number_key(const difference& found) {
    return (is<batch_get_item_request>(found) || is<batch_write_item_request>(found)) && !found.theirs.refused &&
           found.ours.error() == "ValidationException" && has_any(found.ours.message(), {"contains duplicates"});
}

bool part_of_a_key(const difference& found) {
    return found.path == "__type" &&
           has_any(words_of(found.ours) + words_of(found.theirs), {"Key attributes must be scalars"});
}

bool refused_as(const difference& found, std::string_view words) {
    return !found.theirs.refused && found.ours.error() == "ValidationException" &&
           has_any(found.ours.message(), {words});
}

bool names_without_expression(const difference& found) {
    return passes_elsewhere(found) && has_any(found.ours.message(), {"can only be specified when using expressions",
                                                                     "must not be empty", "contains invalid key"});
}

// ---- refused by the other -----------------------------------------------------------------------------------

bool size_of_a_value(const difference& found) {
    const auto words = words_of(found.theirs);
    return found.theirs.error() == "ValidationException" && has_any(words, {"Syntax error; token: \":"}) &&
           has_any(words, {"near: \"(:"}) && has_any(text_of(found.what), {"size"});
}

bool number_twice_in_a_set(const difference& found) {
    return !found.ours.refused && has_any(words_of(found.theirs), {"Input collection contains duplicates"}) &&
           has_any(text_of(found.what), {"\"NS\""});
}

constexpr std::array list{
    known_difference{
        "expressions and their values are checked whole before any is evaluated; dynoxide finds an operand "
        "that cannot be when it comes to it",
        false, expression_checked_before},
    known_difference{"expressions are checked before the table is looked for, but what a key condition may say depends "
                     "on the table; dynoxide takes some of it the other way round",
                     true, expression_before_table},
    known_difference{"an update of a key attribute is malformed, whatever the condition and the item say (API "
                     "reference of UpdateItem); with dynoxide the condition comes first",
                     false, key_updated},
    known_difference{"the same in a transaction; dynoxide takes it there", false, key_updated_in_a_transaction},
    known_difference{
        "AWS's documents do not say which comes first: an update whose text gives a key of an index another "
        "type, or its condition; with dynoxide the condition does",
        false, index_key_mistyped},
    known_difference{"an empty key of an index is refused before any condition is looked at (dynamodb-conformance's "
                     "pull request 46 asked AWS, in transactions); with dynoxide the condition comes first",
                     false, index_key_emptied},
    known_difference{"a transaction is checked before any condition is, up to the first fault (Scylla's tests of AWS, "
                     "test_transact_write_cancellation_reasons_validationerror); dynoxide gathers all reasons",
                     false, first_malformed_action},
    known_difference{"AWS's documents do not say which of two faults is told: an item named twice, a table that is not "
                     "there, a token used before, a key that does not fit",
                     true, one_of_two_faults},
    known_difference{"JSON of another type than the model's is a SerializationException (dynalite's tests of AWS); "
                     "dynoxide finds other words for some of it, and tells another of two faults first",
                     true, no_json_of_the_model},
    known_difference{"a table's name has at least 3 characters (API reference); dynoxide looks for shorter ones", true,
                     [](const difference& found) {
                         return found.theirs.error() == "ResourceNotFoundException" &&
                                has_any(found.ours.message(), {"TableName must be at least 3 characters long"});
                     }},
    known_difference{"a placeholder that no expression uses is refused; dynoxide does not look where an update has no "
                     "UpdateExpression",
                     false, unused_without_update},
    known_difference{"names without an expression, and no names at all, are refused, in transactions too; dynoxide "
                     "takes them there",
                     false, names_without_expression},
    known_difference{"1 and 1.0 are one key, and a batch refuses a key named twice; dynoxide compares the texts", true,
                     same_number_key},
    known_difference{"of a global index only projected attributes can be asked for, in a Scan too (API reference, "
                     "Select); dynoxide checks that in a Query",
                     true, [](const difference& found) { return refused_as(found, "does not project"); }},
    known_difference{
        "a condition of a key has no empty value (moto's issue 7062 quotes AWS); dynoxide finds nothing by it", false,
        [](const difference& found) {
            return is<query_request>(found) && refused_as(found, "cannot contain an empty");
        }},
    known_difference{"a second UpdateTimeToLive within the hour is a ValidationException (API reference of "
                     "UpdateTimeToLive); dynoxide takes it",
                     false, [](const difference& found) { return refused_as(found, "TimeToLive is "); }},
    known_difference{
        "no path leads into a key attribute, which is a scalar: with dynoxide that is a fault of a filter, "
        "with ours of a projection and an update",
        true, part_of_a_key},
    known_difference{"size() takes a value as well as a path (Scylla's tests of AWS, test_update_condition_size); "
                     "dynoxide's takes a path",
                     false, size_of_a_value},
    known_difference{
        "numbers are equal by value; dynoxide keeps 0 and -0, or 1E40 twice, in a set that grows, and then "
        "finds them equal",
        false, number_twice_in_a_set},
    known_difference{"where there is no item, what is to be taken away from it may be any path (Scylla's tests of "
                     "AWS, test_nested_attribute_remove_from_missing_item); dynoxide wants it to exist",
                     false, taken_away_from_nothing},
    known_difference{"an update that only takes away makes no item where there was none (Scylla's tests of AWS, "
                     "test_update_item_non_existent); with dynoxide DELETE makes one",
                     false, made_by_taking_away},
    known_difference{"ExclusiveStartKey is exclusive; a query of a table without a range key that starts at an item "
                     "finds that item again, with dynoxide",
                     true, resumed_at_a_hash_key},
    known_difference{"TransactGetItems answers with the projected attributes, and if there are none with an empty map "
                     "(API reference, Responses); dynoxide adds the key, or leaves the map out",
                     true, projected_in_a_transaction},
    known_difference{"what a local index does not hold is fetched from the table (developer guide, Local Secondary "
                     "Indexes); dynoxide does not",
                     true, fetched_beside_an_index},
    known_difference{"AWS's documents do not say in which order items of one key of an index come, and so not what is "
                     "behind one of them",
                     true, resumed_within_a_key},
    known_difference{"ALL_OLD gives the item as it was, and there was none (API reference, ReturnValues); dynoxide "
                     "gives its key, where something is taken away too",
                     true, old_key_of_a_new_item},
    known_difference{"numbers are equal by value, in DELETE too; dynoxide looks for the text, such as +3, in the set",
                     false, number_left_in_a_set},
    known_difference{"ours gives an empty list of items beside a count of 0, where only a count was asked for: no "
                     "client can tell",
                     true, counted_nothing},
    known_difference{"AWS's documents do not say whether a transaction pays twice for its writes to indexes too; ours "
                     "does, with dynoxide it does not",
                     true, index_in_a_transaction},
};

}  // namespace

std::span<const known_difference> differences_of_dynoxide() {
    return list;
}

}  // namespace dynalease::conformance
