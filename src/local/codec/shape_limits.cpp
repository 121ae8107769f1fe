// Whether a body keeps to the limits of the model; all that does not is told at once, as the service tells it.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/json_reader.hpp"
#include "dynamodb/json_writer.hpp"
#include "local/codec/shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::codec {

namespace {

using json = json_value;

const json* member_of(const json& object, std::string_view name) {
    return json_input{object}.find(name);
}

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

constexpr std::int64_t shortest_name = 3;
constexpr std::int64_t longest_name = 255;

bool is_arn(std::string_view text) {
    return text.starts_with("arn:");
}

/// The nearest integer that there is, for a number beyond them.
std::int64_t whole_part(double value) {
    constexpr double limit = 9223372036854775808.0;
    if (value >= limit) return std::numeric_limits<std::int64_t>::max();
    return value < -limit ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(std::floor(value));
}

std::string in_lower_first(std::string_view name) {
    std::string text(name);
    if (text.front() >= 'A' && text.front() <= 'Z') text.front() = static_cast<char>(text.front() - 'A' + 'a');
    return text;
}

constexpr std::size_t most_shown = 1024;
constexpr std::size_t most_of_map = 64 * 1024;

std::string shown(const json& value, const shape& model);

std::string shown_scalar(const json& value) {
    if (value.IsString()) return std::string(text_of(value).substr(0, most_shown));
    if (value.IsNull()) return "null";
    if (value.IsBool()) return value.IsTrue() ? "true" : "false";
    if (value.IsInt64()) return std::to_string(value.GetInt64());
    if (value.IsNumber()) return std::to_string(whole_part(value.GetDouble()));
    return value.IsArray() ? "[…]" : "{…}";
}

/// "KeySchemaElement(attributeName=pk, keyType=HASH)"
std::string shown_structure(const json& value, const shape& model) {
    std::string text;
    for (const shape_member& each : model.members) {
        const json* held = member_of(value, each.name);
        text += (text.empty() ? "" : ", ") + in_lower_first(each.name) + "=" +
                (held ? shown(*held, *each.type) : std::string("null"));
    }
    return std::string(model.type_name) + "(" + text.substr(0, most_shown) + ")";
}

std::string shown(const json& value, const shape& model) {
    if (model.kind == shape_kind::structure && value.IsObject()) return shown_structure(value, model);
    const bool is_list = model.kind == shape_kind::list && value.IsArray();
    if (!is_list && (model.kind != shape_kind::map || !value.IsObject())) return shown_scalar(value);
    std::string text;
    const auto append = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (is_list) {
        for (const json& each : value.GetArray()) append(shown(each, *model.element));
        return "[" + text.substr(0, most_shown) + "]";
    }
    for (const auto& each : value.GetObject()) {
        append(std::string(text_of(each.name)) + "=" + shown(each.value, *model.element));
    }
    return "{" + text.substr(0, most_of_map) + "}";
}

std::string as_json(const json& value) {
    text_sink sink;
    sink_writer writer(sink);
    value.Accept(writer);
    return std::move(sink).take().substr(0, most_of_map);
}

/// The service counts texts in the units of its own strings.
std::int64_t utf16_length(std::string_view text) {
    std::int64_t units = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        constexpr unsigned continued = 0x80;
        constexpr unsigned continued_mask = 0xc0;
        constexpr unsigned beyond_one_unit = 0xf0;
        if ((byte & continued_mask) != continued) units += byte >= beyond_one_unit ? 2 : 1;
    }
    return units;
}

std::int64_t length_of(const json& value) {
    if (value.IsArray()) return value.Size();
    if (value.IsObject()) return value.MemberCount();
    return value.IsString() ? utf16_length(text_of(value)) : 0;
}

std::string joined(std::span<const std::string_view> words) {
    std::string text;
    for (const auto word : words) text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

/// Where a value lies; written out only for a fault, of which most requests have none.
struct place {
    const place* parent = nullptr;
    std::string_view name{};   ///< of a member
    std::string_view key{};    ///< of a map's element
    std::size_t position = 0;  ///< of a list's element, from 1

    /// @param as_sent with the names as the request has them, which begin with capitals.
    std::string text(bool as_sent = false) const {
        if (!parent) return {};
        const std::string outer = parent->parent ? parent->text(as_sent) + "." : "";
        if (!name.empty()) return outer + (as_sent ? std::string(name) : in_lower_first(name));
        return outer + (position != 0 ? std::to_string(position) : std::string(key)) + ".member";
    }
};

class limit_check {
public:
    explicit limit_check(wording words) : words_(words) {}

    void structure(const json& value, const shape& model, const place& parent) {
        const auto held = members_of(value, model);
        for (std::size_t i = 0; i < model.members.size(); ++i) {
            member(held[i], model.members[i], parent);
        }
    }

    /// @param held null: it is missing.
    void member(const json* held, const shape_member& model, const place& parent) {
        const place where{&parent, model.name};
        if (held) {
            check(*held, *model.type, where);
        } else if (model.presence != presence::optional) {
            add_null(where);
        }
    }

    void finish() const {
        const auto& told = faults_.empty() ? told_alone_ : faults_;
        if (told.empty()) return;
        std::string text = std::to_string(told.size()) + " validation error" + (told.size() > 1 ? "s" : "") +
                           " detected: " + told.front();
        for (std::size_t i = 1; i < told.size(); ++i) text += "; " + told[i];
        throw malformed{errc::validation, std::move(text)};
    }

private:
    void tell(const std::string& what, const std::string& where, const std::string& constraint) {
        if (faults_.size() == most_told) return;
        faults_.push_back(what + " at '" + where + "' failed to satisfy constraint: " + constraint);
    }
    void add_null(const place& where) { tell("Value null", where.text(), "Member must not be null"); }
    void add(const json& value, const shape& model, const place& where, const std::string& constraint) {
        if (faults_.size() == most_told) return;  // what is not told need not be written out either
        if (model.newer && words_ == wording::newer) return tell("Value", where.text(true), constraint);
        tell("Value '" + shown(value, model) + "'", where.text(), constraint);
    }

    void check(const json& value, const shape& model, const place& where) {
        if (!model.words.empty() && std::ranges::find(model.words, text_of(value)) == model.words.end()) {
            add(value, model, where, "Member must satisfy enum value set: [" + joined(model.words) + "]");
        }
        if (model.is_name) return check_name(value, model, where);
        if (model.has_table_keys) check_table_keys(value, model, where);
        if (model.most_each) check_lengths(value, model, where);
        check_bounds(value, model, where);
        switch (model.kind) {
            case shape_kind::structure:
                return structure(value, model, where);
            case shape_kind::list:
                return check_list(value, *model.element, where);
            case shape_kind::map:
                return check_map(value, *model.element, where);
            default:
                return;
        }
    }

    void check_list(const json& value, const shape& element, const place& where) {
        std::size_t position = 0;
        for (const json& each : value.GetArray()) {
            const place inside{&where, {}, {}, ++position};
            if (each.IsNull()) {
                add_null(inside);
            } else {
                check(each, element, inside);
            }
        }
    }

    void check_map(const json& value, const shape& element, const place& where) {
        if (element.kind == shape_kind::value || element.kind == shape_kind::text) return;
        for (const auto& each : value.GetObject()) {
            const place inside{&where, {}, text_of(each.name)};
            if (each.value.IsNull()) {
                add_null(inside);
            } else {
                check(each.value, element, inside);
            }
        }
    }

    void check_name(const json& value, const shape& model, const place& where) {
        if (is_arn(text_of(value))) return;
        // Where one character is enough, an empty name is told to be short and nothing else.
        const bool empty = length_of(value) == 0 && model.least > 1;
        if (empty || !std::ranges::all_of(text_of(value), is_name_character)) {
            add(value, model, where, "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+");
        }
        check_bounds(value, model, where);
    }

    void check_bounds(const json& value, const shape& model, const place& where) {
        const bool counted = model.kind == shape_kind::integer || model.kind == shape_kind::long_integer;
        const double size = counted                     ? std::floor(value.GetDouble())
                            : model.least || model.most ? static_cast<double>(length_of(value))
                                                        : 0;
        const auto add_bound = [&](const char* side, std::int64_t bound) {
            add(value, model, where,
                std::string("Member must have ") + (counted ? "value " : "length ") + side + std::to_string(bound));
        };
        if (model.least && size < static_cast<double>(*model.least)) {
            add_bound("greater than or equal to ", *model.least);
        }
        if (model.most && size > static_cast<double>(*model.most)) add_bound("less than or equal to ", *model.most);
    }

    void check_table_keys(const json& value, const shape& model, const place& where) {
        for (const auto& each : value.GetObject()) {
            const std::string_view name = text_of(each.name);
            const auto length = static_cast<std::int64_t>(name.size());
            const bool fits = length >= shortest_name && length <= longest_name;
            if (is_arn(name) || (fits && std::ranges::all_of(name, is_name_character))) continue;
            const bool writes = model.most_each.has_value();
            (writes ? told_alone_ : faults_)
                .push_back("Value '" + (writes ? shown(value, model) : as_json(value)) + "' at '" + where.text() +
                           "' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length "
                           "less than or equal to 255, Member must have length greater than or equal to 3, Member must "
                           "satisfy regular expression pattern: [a-zA-Z0-9_.-]+]");
            return;
        }
    }

    void check_lengths(const json& value, const shape& model, const place& where) {
        const std::int64_t most = *model.most_each;
        for (const auto& each : value.GetObject()) {
            if (length_of(each.value) >= 1 && length_of(each.value) <= most) continue;
            add(value, model, where,
                "Map value must satisfy constraint: [Member must have length less than or equal to " +
                    std::to_string(most) + ", Member must have length greater than or equal to 1]");
        }
    }

    static constexpr std::size_t most_told = 10;
    wording words_;
    std::vector<std::string> faults_;
    std::vector<std::string> told_alone_;  ///< of a batch of writes its tables' names give way to any other fault
};

void check_required(const json& body, const shape& model) {
    for (const shape_member& each : model.members) {
        if (each.presence != presence::required && each.presence != presence::created) continue;
        const json* held = member_of(body, each.name);
        if (!held) {
            throw malformed{errc::validation, "The parameter '" + std::string(each.name) +
                                                  "' is required but was not present in the request"};
        }
        if (is_arn(text_of(*held))) continue;
        const bool told_later = each.presence == presence::created && length_of(*held) < shortest_name;
        if (told_later) continue;
        if (length_of(*held) < shortest_name || length_of(*held) > longest_name) {
            throw malformed{errc::validation, std::string(each.name) +
                                                  " must be at least 3 characters long and at most 255 characters "
                                                  "long"};
        }
    }
}

void check_table_name(const json& body, const shape& model) {
    const auto name = std::ranges::find(model.members, "TableName", &shape_member::name);
    limit_check alone(wording::newer);
    alone.member(member_of(body, name->name), *name, {});
    alone.finish();
}

}  // namespace

void check_limits(const json_value& body, const shape& model, wording words) {
    check_required(body, model);
    if (model.table_first && words == wording::newer) check_table_name(body, model);
    limit_check limits(words);
    limits.structure(body, model, {});
    limits.finish();
}

}  // namespace dynalease::codec
