// Looking at the request for what the words say.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/fault_proofs.hpp"

#include "local/codec/server_codec.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::conformance {

namespace {

/// Expressions, and what they are bound to.
struct bound_texts {
    std::string texts{};
    attribute_names names{};
    attribute_values values{};
};

template <class Part>
void gather(const Part& part, std::vector<bound_texts>& out) {
    bound_texts found;
    if constexpr (requires { part.names; }) found.names = part.names;
    if constexpr (requires { part.values; }) found.values = part.values;
    const auto add = [&](const std::string& text) { found.texts += text + "\n"; };
    if constexpr (requires { part.key_condition_expression; }) add(part.key_condition_expression);
    if constexpr (requires { part.filter_expression; }) add(part.filter_expression);
    if constexpr (requires { part.condition_expression; }) add(part.condition_expression);
    if constexpr (requires { part.update_expression; }) add(part.update_expression);
    if constexpr (requires { part.projection_expression; }) add(part.projection_expression);
    out.push_back(std::move(found));
}

std::vector<bound_texts> parts_of(const call& what) {
    const auto name = std::visit([](const auto& each) { return std::string(each.name); }, what.request);
    const auto decoded = what.raw.empty() ? result<any_request>(what.request) : codec::decode_request(name, what.raw);
    std::vector<bound_texts> out;
    if (!decoded) return out;
    std::visit(
        [&](const auto& request) {
            gather(request, out);
            if constexpr (requires { request.actions; }) {
                for (const auto& action : request.actions) {
                    std::visit([&](const auto& each) { gather(each, out); }, action);
                }
            }
            if constexpr (requires { request.gets; }) {
                for (const auto& each : request.gets) gather(each, out);
            }
            if constexpr (requires { request.tables.begin()->second.names; }) {
                for (const auto& [table, each] : request.tables) gather(each, out);
            }
        },
        *decoded);
    return out;
}

/// What follows a mark, up to one of the ends.
std::optional<std::string> told(const std::string& words, std::string_view mark, std::string_view end = {}) {
    const auto at = words.find(mark);
    if (at == std::string::npos) return std::nullopt;
    const auto begin = at + mark.size();
    return words.substr(begin, end.empty() ? std::string::npos : words.find(end, begin) - begin);
}

template <class Items, class Test>
bool any(const Items& items, Test test) {
    return std::ranges::any_of(items, test);
}

/// "[a, [0], b]" in its steps.
std::vector<std::string> steps_of(std::string shown) {
    std::vector<std::string> out;
    if (shown.size() < 2) return out;
    shown = shown.substr(1, shown.size() - 2);
    for (std::size_t at = 0; at <= shown.size();) {
        const auto comma = std::min(shown.find(", ", at), shown.size());
        out.push_back(shown.substr(at, comma - at));
        at = comma + 2;
    }
    return out;
}

bool meet(const std::string& words) {
    const auto one = told(words, "path one: ", ", path two: ");
    const auto two = told(words, ", path two: ");
    if (!one || !two) return false;
    const auto left = steps_of(*one);
    const auto right = steps_of(*two);
    const auto [first, second] = std::ranges::mismatch(left, right);
    if (first == left.end() || second == right.end()) return words.find("paths overlap") != std::string::npos;
    return first->starts_with('[') != second->starts_with('[') && words.find("paths conflict") != std::string::npos;
}

/// "{N:5}"
struct shown_value {
    std::string type;
    std::string text;
};
std::optional<shown_value> value_after(const std::string& words, std::string_view mark, std::string_view end) {
    const auto shown = told(words, mark, end);
    const auto colon = shown ? shown->find(':') : std::string::npos;
    if (colon == std::string::npos || shown->size() < 3) return std::nullopt;
    return shown_value{shown->substr(1, colon - 1), shown->substr(colon + 1, shown->size() - colon - 2)};
}

bool bounds_are_wrong(const std::string& words) {
    const auto low = value_after(words, "lower bound operand: AttributeValue: ", ", upper bound operand");
    const auto high = value_after(words, "upper bound operand: AttributeValue: ", {});
    if (!low || !high) return false;
    if (words.find("requires same data type") != std::string::npos) return low->type != high->type;
    if (low->type != high->type) return false;
    if (low->type == "N") return number(low->text) > number(high->text);
    // Base64 keeps no order; that the two differ is all that its text can show.
    return low->type == "B" ? low->text != high->text : low->text > high->text;
}

struct operator_types {
    std::string_view name;
    std::string_view types;  ///< each in blanks
};
constexpr std::array<operator_types, 13> takes{{
    {"<", " S N B "},
    {"<=", " S N B "},
    {">", " S N B "},
    {">=", " S N B "},
    {"BETWEEN", " S N B "},
    {"begins_with", " S B "},
    {"size", " S B SS NS BS L M "},
    {"attribute_type", " S "},
    {"list_append", " L "},
    {"+", " N "},
    {"-", " N "},
    {"ADD", " NUMBER STRING_SET NUMBER_SET BINARY_SET "},
    {"DELETE", " STRING_SET NUMBER_SET BINARY_SET "},
}};

bool type_is_wrong(const std::string& words) {
    const bool is_function = words.find("operator or function: ") != std::string::npos;
    const auto name = told(words, is_function ? "operator or function: " : "operator: ", ", operand type: ");
    const auto type = told(words, ", operand type: ", is_function ? std::string_view{} : ", typeSet");
    const auto known = std::ranges::find(takes, name.value_or(""), &operator_types::name);
    return type && known != takes.end() && known->types.find(" " + *type + " ") == std::string_view::npos;
}

bool is_undefined(const std::vector<bound_texts>& parts, const std::string& words) {
    const auto name = told(words, "; attribute name: ");
    const auto value = told(words, "; attribute value: ");
    return any(parts, [&](const bound_texts& part) {
        const auto uses = [&](const std::optional<std::string>& each) {
            return each && part.texts.find(*each) != std::string::npos;
        };
        return (uses(name) && !part.names.contains(*name)) || (uses(value) && !part.values.contains(*value));
    });
}

std::size_t times_in(const std::string& text, const std::string& word) {
    std::size_t times = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++times;
    return times;
}

/// The path is written twice, by its name or by what stands for it.
bool is_repeated(const std::vector<bound_texts>& parts, const std::string& words) {
    const auto steps = steps_of(told(words, "first operand: ").value_or(""));
    if (steps.empty()) return false;
    return any(parts, [&](const bound_texts& part) {
        auto times = times_in(part.texts, steps.front());
        for (const auto& [placeholder, name] : part.names) {
            if (name == steps.front()) times += times_in(part.texts, placeholder);
        }
        return times >= 2;
    });
}

bool is_no_type(const std::string& words) {
    constexpr std::string_view types = " B BOOL BS L M N NS NULL S SS ";
    const auto type = told(words, "Invalid attribute type name found; type: ", ", valid types");
    return type && types.find(" " + *type + " ") == std::string_view::npos;
}

}  // namespace

bool has_told_fault(const call& what, const std::string& words) {
    const auto says = [&](std::string_view part) { return words.find(part) != std::string::npos; };
    if (says("is not defined")) return is_undefined(parts_of(what), words);
    if (says("must be distinct")) return is_repeated(parts_of(what), words);
    if (says("Two document paths")) return meet(words);
    if (says("BETWEEN operator requires")) return bounds_are_wrong(words);
    if (says("Invalid attribute type name")) return is_no_type(words);
    return says("Incorrect operand type") && type_is_wrong(words);
}

}  // namespace dynalease::conformance
