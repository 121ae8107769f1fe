// Where moto 5.2 reads DynamoDB in another way than AWS's documents.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/difference_marks.hpp"
#include "conformance/fault_proofs.hpp"

#include <dynalease/dynamodb/attribute_value.hpp>

#include <array>

namespace dynalease::conformance {

namespace {

/// What the words say is wrong with an expression is so: nothing that we refuse without a reason hides behind moto.
bool fault_unseen(const difference& found) {
    return passes_elsewhere(found) && has_told_fault(found.what, found.ours.message());
}

/// Rules that no look at the request alone can prove, each by its words.
bool rule_unknown(const difference& found) {
    const std::initializer_list<std::string_view> words{"The provided starting key",
                                                        "cannot be restarted",
                                                        "list of item keys contains duplicates",
                                                        "TimeToLive is already",
                                                        "key element does not match the schema",
                                                        "non-primary key attributes",
                                                        "Key attributes must be scalars",
                                                        "secondary index key",
                                                        "This attribute is part of the key",
                                                        "parameter type does not match schema type",
                                                        "number of HASH key attributes",
                                                        "number of RANGE key attributes",
                                                        "Type mismatch for Index Key",
                                                        "does not project",
                                                        "key attribute cannot contain an empty",
                                                        "is a reserved keyword",
                                                        "section can only be used once",
                                                        "unused in expressions",
                                                        "can only be specified when using expressions",
                                                        "document path provided in the update expression is invalid",
                                                        "Number overflow",
                                                        "validation error detected",
                                                        "Syntax error; token"};
    return passes_elsewhere(found) && has_any(found.ours.message(), words);
}

bool asks_for_capacity(const difference& found, std::string_view how) {
    return has_any(text_of(found.what), {how});
}

/// "\"1.0\"" and "\"1\"".
bool same_number(const std::string& ours, const std::string& theirs) {
    const auto value = [](const std::string& quoted) { return number(quoted.substr(1, quoted.size() - 2)); };
    return ours.starts_with('"') && theirs.starts_with('"') && value(ours) == value(theirs);
}

bool number_text(const difference& found) {
    return (found.path.ends_with(".N") || found.path.ends_with(".NS[]")) &&
           same_number(found.our_value, found.their_value);
}

bool condition_turned(const difference& found) {
    if (both_answer(found)) {
        return (found.path == "Count" || found.path == "Items") &&
               has_any(text_of(found.what), {"\"FilterExpression\""});
    }
    constexpr std::string_view refused = "ConditionalCheckFailedException";
    // What stands behind the condition comes to light only where it holds.
    const bool ours_went_on = !found.ours.refused || has_any(found.ours.message(), {"attribute that does not exist"});
    return (found.ours.error() == refused && !found.theirs.refused) ||
           (found.theirs.error() == refused && ours_went_on);
}

bool update_before_condition(const difference& found) {
    return found.ours.error() == "ConditionalCheckFailedException" &&
           has_any(found.theirs.message(), {"document path provided in the update expression is invalid",
                                            "refers to an attribute that does not exist in the item"});
}

bool key_of_a_new_item(const difference& found) {
    const auto* update = std::get_if<update_item_request>(&found.what.request);
    return update && update->returned == return_values::updated_new && found.our_value == "absent" &&
           (found.path == "Attributes.pk" || found.path == "Attributes.sk");
}

bool last_page(const difference& found) {
    return (is<query_request>(found) || is<scan_request>(found)) &&
           ((found.path == "Pages" && std::stoi(found.our_value) > std::stoi(found.their_value)) ||
            (found.path == "LastEvaluatedKey" && found.their_value == "absent"));
}

/// Python's decimals have 28 digits, unless they are asked for more.
bool rounded_sum(const difference& found) {
    constexpr std::size_t kept = 26;
    return found.path.ends_with(".N") && found.our_value.size() > found.their_value.size() &&
           found.their_value.size() > kept && found.our_value.starts_with(found.their_value.substr(0, kept));
}

bool unchanged_value(const difference& found) {
    const auto* update = std::get_if<update_item_request>(&found.what.request);
    return update &&
           (update->returned == return_values::updated_old || update->returned == return_values::updated_new) &&
           found.their_value == "absent" && found.path.starts_with("Attributes");
}

bool placeholder_without_blank(const difference& found) {
    return is<update_item_request>(found) && found.ours.error() != "ValidationException" &&
           has_any(found.theirs.message(), {"Invalid UpdateExpression: Syntax error",
                                            "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#"});
}

constexpr std::array list{
    known_difference{"moto does not see many a fault of an expression", false, fault_unseen},
    known_difference{"moto leaves out many of the service's checks", false, rule_unknown},
    known_difference{"expressions are checked before the table is looked for; not by moto", true,
                     [](const difference& found) {
                         return found.ours.error() == "ValidationException" &&
                                found.theirs.error() == "ResourceNotFoundException";
                     }},
    known_difference{"numbers are given back in their one plain form (data types, Number); moto keeps the text", true,
                     number_text},
    known_difference{"moto misreads names before an index, and filters on attributes that are not there", true,
                     [](const difference& found) {
                         return !found.ours.refused &&
                                has_any(found.theirs.message(), {"unused in expressions", "Bad Filter Expression"});
                     }},
    known_difference{"a comparison with what is not there is false, and so its negation is true; moto takes some of "
                     "them the other way round, dynoxide none",
                     false, condition_turned},
    known_difference{"an update that only takes away makes no item where there was none; with moto it does", false,
                     made_by_taking_away},
    known_difference{"where there is no item, what is to be taken away from it may be any path; moto wants it to exist",
                     false, taken_away_from_nothing},
    known_difference{"UPDATED_NEW gives what the update names (API reference, ReturnValues); moto adds the key of an "
                     "item that it makes",
                     true, key_of_a_new_item},
    known_difference{"a page that ends at its limit names its last item, whether or not there are more (API "
                     "reference, LastEvaluatedKey); moto looks ahead",
                     true, last_page},
    known_difference{"one key may stand under two tables in a batch; moto takes them for one item", true,
                     [](const difference& found) {
                         return is<batch_write_item_request>(found) && !found.ours.refused &&
                                has_any(found.theirs.message(), {"list of item keys contains duplicates"});
                     }},
    known_difference{"a condition comes before its update; with moto the update does", true, update_before_condition},
    known_difference{"a key can be read by an update of another attribute; moto takes that for an update of the key",
                     false,
                     [](const difference& found) {
                         return found.ours.error() != "ValidationException" &&
                                has_any(found.theirs.message(), {"This attribute is part of the key"});
                     }},
    known_difference{"no blank is needed before a placeholder; moto needs one", false, placeholder_without_blank},
    known_difference{"sums are exact to 38 digits (data types, Number); moto's to 28", true, rounded_sum},
    known_difference{
        "sums beyond what a Number may be are refused (data types, Number); moto stores them, and no client "
        "can read them",
        false,
        [](const difference& found) {
            return found.theirs.error() == "SerializationException" &&
                   has_any(found.theirs.message(), {"Number overflow", "more than 38 significant digits"});
        }},
    known_difference{"UPDATED_OLD and UPDATED_NEW give all that the update names (API reference, ReturnValues); moto "
                     "what it changed",
                     true, unchanged_value},
    known_difference{"the time to live of a table that is not there: ResourceNotFoundException (API reference); moto "
                     "puts that name into the message",
                     true,
                     [](const difference& found) {
                         return found.ours.error() == "ResourceNotFoundException" &&
                                has_any(found.theirs.message(), {"ResourceNotFound: Table not found"});
                     }},
    known_difference{"moto does not reckon capacity as the service does", true,
                     [](const difference& found) {
                         return found.path.starts_with("ConsumedCapacity") && found.path.ends_with(".CapacityUnits") &&
                                found.our_value != "absent" && found.their_value != "absent";
                     }},
    known_difference{"capacity is told to those who ask for it; moto tells it of updates and batches", true,
                     [](const difference& found) {
                         return found.path == "ConsumedCapacity" && found.our_value == "absent" &&
                                !asks_for_capacity(found, "ReturnConsumedCapacity");
                     }},
    known_difference{"the table's part of the capacity is told to those who ask for indexes; moto always tells it",
                     true,
                     [](const difference& found) {
                         return found.path == "ConsumedCapacity[].Table" && found.our_value == "absent" &&
                                !asks_for_capacity(found, "INDEXES");
                     }},
    known_difference{"moto answers with a status of 500, and no JSON, where an expression surprises it", false,
                     [](const difference& found) { return found.theirs.error() == "InternalServerError"; }},
};

}  // namespace

std::span<const known_difference> differences_of_moto() {
    return list;
}

}  // namespace dynalease::conformance
