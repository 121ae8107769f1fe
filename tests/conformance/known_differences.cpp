// The one list of known differences. AWS's documents decide; where they are silent, the reason says what does.
#include "conformance/known_differences.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace dynalease::conformance {

namespace {

bool has_any(const std::string& text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
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
           has_any(found.ours.message(), {"Incorrect operand type", "BETWEEN operator requires", "is not defined",
                                          "must be distinct", "Invalid attribute type name"});
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

bool wrong_json_type(const difference& found) {
    return !found.what.raw.empty() && found.ours.error() == "SerializationException" &&
           found.theirs.error() == "ValidationException";
}

bool names_without_expression(const difference& found) {
    return only_ours_refuses_as_malformed(found) &&
           has_any(found.ours.message(), {"can only be specified when using expressions"});
}

constexpr std::array list{
    known_difference{"", "AWS changes the words of its refusals by region and over time; their names stay", true,
                     words_of_a_refusal},
    known_difference{"dynoxide",
                     "operands that cannot be and placeholders that are not defined: AWS refuses them before it looks "
                     "at the item, dynoxide when it evaluates them, if it does",
                     false, operand_checked_before},
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
                     "JSON of another type than the model's is a SerializationException (dynalite's tests of AWS); "
                     "dynoxide finds other words for some of it",
                     true, wrong_json_type},
    known_difference{"dynoxide",
                     "names without an expression are refused, in transactions too; dynoxide takes them there", false,
                     names_without_expression},
};

}  // namespace

const known_difference* find_known(std::string_view server, const difference& found) {
    const auto at = std::ranges::find_if(list, [&](const known_difference& each) {
        return (each.server.empty() || each.server == server) && each.matches(found);
    });
    return at == list.end() ? nullptr : at;
}

}  // namespace dynalease::conformance
