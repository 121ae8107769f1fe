// Attribute values as JSON: {"S":"text"}, {"N":"1"}, {"M":{…}}.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/base64.hpp"
#include "dynamodb/codec.hpp"
#include "dynamodb/decimal.hpp"
#include "dynamodb/json_reader.hpp"
#include "dynamodb/json_writer.hpp"

#include <algorithm>
#include <array>

namespace dynalease::codec {

namespace {

void write_held(json_writer& out, const std::string& value) {
    out.text(value);
}
void write_held(json_writer& out, const number& value) {
    out.text(value.text());
}
void write_held(json_writer& out, const binary& value) {
    out.text(encode_base64(value));
}
void write_held(json_writer& out, bool value) {
    out.boolean(value);
}
void write_held(json_writer& out, null) {
    out.boolean(true);
}
void write_held(json_writer& out, const attribute_list& values) {
    write(out, values);
}
void write_held(json_writer& out, const attribute_map& values) {
    write(out, values);
}
template <class Element, class... Rest>
void write_held(json_writer& out, const std::set<Element, Rest...>& values) {
    out.begin_array();
    for (const auto& value : values) write_held(out, value);
    out.end_array();
}

[[noreturn]] void refuse_value(std::string_view what) {
    throw malformed{errc::validation, std::string(what)};
}

void read_element(json_input in, std::string& out) {
    read(in, out);
}

void read_element(json_input in, number& out) {
    const auto text = in.text();
    auto parsed = number::parse(text);
    if (!parsed) {
        const auto why = decimal::parse(text).error();
        std::string what(describe(why));
        if (why == decimal_error::malformed && !text.empty()) what += ": " + std::string(text);
        refuse_value(what);
    }
    // Zeros without end would be counted again at each comparison. Those that the number needs stay.
    constexpr std::size_t longest_plain = 48;
    out = text.size() > longest_plain ? decimal::of(*parsed).to_number() : *std::move(parsed);
}

void read_element(json_input in, binary& out) {
    auto bytes = decode_base64(in.text());
    if (!bytes) throw malformed{errc::bad_response, "expected base64"};
    out = *std::move(bytes);
}

/// What the service says of empty and repeating sets, which is not the same for each kind.
struct set_words {
    std::string_view empty;
    std::string_view before, after;  ///< of the members as they were sent; empty: they are not told
};
template <class Set>
constexpr set_words words_for{};
template <>
constexpr set_words words_for<string_set>{"One or more parameter values were invalid: An string set  may not be empty",
                                          "One or more parameter values were invalid: Input collection ",
                                          " contains duplicates."};
template <>
constexpr set_words words_for<number_set>{"One or more parameter values were invalid: An number set  may not be empty",
                                          {},
                                          "Input collection contains duplicates"};
template <>
constexpr set_words words_for<binary_set>{"One or more parameter values were invalid: Binary sets should not be empty",
                                          "One or more parameter values were invalid: Input collection ",
                                          "of type BS contains duplicates."};

[[noreturn]] void refuse_duplicates(const json_value& members, const set_words& words) {
    if (words.before.empty()) refuse_value(words.after);
    std::string text(words.before);
    text += '[';
    for (rapidjson::SizeType i = 0; i < members.Size(); ++i) {
        if (i != 0) text += ", ";
        text += text_of(members[i]);
    }
    refuse_value(text + "]" + std::string(words.after));
}

attribute_value read_value(json_input in);

template <class Element>
attribute_value read_scalar(json_input in) {
    Element value;
    read_element(in, value);
    return value;
}

template <class Set>
attribute_value read_set(json_input in) {
    in.expect_array();
    if (in.value.Empty()) refuse_value(words_for<Set>.empty);
    Set values;
    for (const auto& element : in.value.GetArray()) {
        typename Set::key_type value;
        read_element(json_input{element}, value);
        const auto before = values.size();
        values.emplace_hint(values.end(), std::move(value));
        if (values.size() == before) refuse_duplicates(in.value, words_for<Set>);
    }
    return values;
}

attribute_map read_members(json_input in) {
    in.expect_object();
    attribute_map out;
    for (const auto& member : in.value.GetObject()) {
        const auto name = text_of(member.name);
        const auto before = out.size();
        auto value = within(name, [&] { return read_value(json_input{member.value}); });
        // The service sends members in no certain order, our own server sorted: then each goes to the end.
        out.emplace_hint(out.end(), name, std::move(value));
        if (out.size() == before) {
            throw malformed{errc::bad_response, "the member \"" + std::string(name) + "\" occurs twice"};
        }
    }
    return out;
}

attribute_value read_list(json_input in) {
    in.expect_array();
    attribute_list values;
    values.reserve(in.value.Size());
    for (const auto& element : in.value.GetArray()) {
        values.push_back(within("[]", [&] { return read_value(json_input{element}); }));
    }
    return values;
}

bool is_type(std::string_view name) {
    constexpr std::array<std::string_view, 10> names{"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"};
    return std::ranges::find(names, name) != names.end();
}

/// Whether the member is one of the value's types: null and unknown ones are passed over, as the service does.
bool is_typed(const json_value::Member& member) {
    return !member.value.IsNull() && is_type(text_of(member.name));
}

attribute_value read_typed(std::string_view type, json_input held) {
    if (type == "S") return read_scalar<std::string>(held);
    if (type == "N") return read_scalar<number>(held);
    if (type == "B") return read_scalar<binary>(held);
    if (type == "BOOL" || type == "NULL") {
        bool value = false;
        read(held, value);
        if (type == "BOOL") return value;
        if (!value) {
            refuse_value(
                "One or more parameter values were invalid: Null attribute value types must have the value of true");
        }
        return null{};
    }
    if (type == "SS") return read_set<string_set>(held);
    if (type == "NS") return read_set<number_set>(held);
    if (type == "BS") return read_set<binary_set>(held);
    if (type == "L") return read_list(held);
    return read_members(held);
}

/// The service tells what is wrong with any of the types before it tells that there are several.
[[noreturn]] void refuse_several(const json_value& value) {
    for (const auto& member : value.GetObject()) {
        if (is_typed(member)) read_typed(text_of(member.name), json_input{member.value});
    }
    refuse_value(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported "
        "datatypes");
}

attribute_value read_value(json_input in) {
    in.expect_object();
    const json_value::Member* found = nullptr;
    for (const auto& member : in.value.GetObject()) {
        if (!is_typed(member)) continue;
        if (found) refuse_several(in.value);
        found = &member;
    }
    if (!found) {
        refuse_value("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
    }
    return read_typed(text_of(found->name), json_input{found->value});
}

}  // namespace

void write(json_writer& out, const attribute_value& value) {
    out.begin_object();
    out.key(value.type_name());
    std::visit([&out](const auto& held) { write_held(out, held); }, value.get());
    out.end_object();
}

void write(json_writer& out, const attribute_map& values) {
    out.begin_object();
    for (const auto& [name, value] : values) {
        out.key(name);
        write(out, value);
    }
    out.end_object();
}

void read(json_input in, attribute_value& out) {
    out = read_value(in);
}
void read(json_input in, attribute_map& out) {
    out = read_members(in);
}

}  // namespace dynalease::codec
