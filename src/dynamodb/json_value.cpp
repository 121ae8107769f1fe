// Attribute values as JSON: {"S":"text"}, {"N":"1"}, {"M":{…}}.
#include "dynamodb/base64.hpp"
#include "dynamodb/codec.hpp"
#include "dynamodb/decimal.hpp"
#include "dynamodb/json_reader.hpp"
#include "dynamodb/json_writer.hpp"

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
    if (!parsed) refuse_value(describe(decimal::parse(text).error()));
    out = *std::move(parsed);
}

void read_element(json_input in, binary& out) {
    auto bytes = decode_base64(in.text());
    if (!bytes) throw malformed{errc::bad_response, "expected base64"};
    out = *std::move(bytes);
}

attribute_value read_value(json_input in, unsigned depth);

template <class Element>
attribute_value read_scalar(json_input in) {
    Element value;
    read_element(in, value);
    return value;
}

template <class Set>
attribute_value read_set(json_input in) {
    in.expect_array();
    if (in.value.Empty()) refuse_value("a set may not be empty");
    Set values;
    for (const auto& element : in.value.GetArray()) {
        typename Set::key_type value;
        read_element(json_input{element}, value);
        const auto before = values.size();
        values.emplace_hint(values.end(), std::move(value));
        if (values.size() == before) refuse_value("a set may not hold a member twice");
    }
    return values;
}

attribute_map read_members(json_input in, unsigned depth) {
    in.expect_object();
    attribute_map out;
    for (const auto& member : in.value.GetObject()) {
        const auto name = text_of(member.name);
        const auto before = out.size();
        auto value = within(name, [&] { return read_value(json_input{member.value}, depth); });
        // The service sends members in no certain order, our own server sorted: then each goes to the end.
        out.emplace_hint(out.end(), name, std::move(value));
        if (out.size() == before) {
            throw malformed{errc::bad_response, "the member \"" + std::string(name) + "\" occurs twice"};
        }
    }
    return out;
}

attribute_value read_list(json_input in, unsigned depth) {
    in.expect_array();
    attribute_list values;
    values.reserve(in.value.Size());
    for (const auto& element : in.value.GetArray()) {
        values.push_back(within("[]", [&] { return read_value(json_input{element}, depth); }));
    }
    return values;
}

/// @param depth how many lists and maps the value lies in.
attribute_value read_value(json_input in, unsigned depth) {
    in.expect_object();
    if (in.value.MemberCount() != 1) refuse_value("an attribute value must have exactly one type");
    const auto& member = *in.value.MemberBegin();
    const auto type = text_of(member.name);
    const json_input held{member.value};
    if (type == "S") return read_scalar<std::string>(held);
    if (type == "N") return read_scalar<number>(held);
    if (type == "B") return read_scalar<binary>(held);
    if (type == "BOOL" || type == "NULL") {
        bool value = false;
        read(held, value);
        if (type == "BOOL") return value;
        if (!value) refuse_value("the value of NULL must be true");
        return null{};
    }
    if (type == "SS") return read_set<string_set>(held);
    if (type == "NS") return read_set<number_set>(held);
    if (type == "BS") return read_set<binary_set>(held);
    if (type != "L" && type != "M") refuse_value("there is no type \"" + std::string(type.substr(0, 16)) + "\"");
    if (depth == max_nesting) refuse_value("lists and maps are nested more than 32 deep");
    if (type == "L") return read_list(held, depth + 1);
    return read_members(held, depth + 1);
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
    out = read_value(in, 0);
}
void read(json_input in, attribute_map& out) {
    out = read_members(in, 0);
}

}  // namespace dynalease::codec
