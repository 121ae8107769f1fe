// Whether a body has the types of the model, in the words of the service's own deserialiser.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/base64.hpp"
#include "dynamodb/json_reader.hpp"
#include "local/codec/common_shapes.hpp"
#include "local/codec/shape.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace dynalease::codec {

namespace {

using json = json_value;

[[noreturn]] void refuse_type(std::string what) {
    throw malformed{errc::bad_response, std::move(what)};
}

std::string_view token_of(const json& value) {
    if (value.IsBool()) return value.IsTrue() ? "TRUE_VALUE" : "FALSE_VALUE";
    if (value.IsString()) return "STRING_VALUE";
    if (value.IsNull()) return "NULL_VALUE";
    return value.IsDouble() ? "DECIMAL_VALUE" : "NUMBER_VALUE";
}

void expect_scalar(const json& value, std::string_view type) {
    if (value.IsArray()) refuse_type("Unrecognized collection type class java.lang." + std::string(type));
    if (value.IsObject()) refuse_type("Start of structure or map found where not expected");
}

[[noreturn]] void refuse_conversion(const json& value, std::string_view type) {
    refuse_type(std::string(token_of(value)) + " cannot be converted to " + std::string(type));
}

void check_text(const json& value) {
    expect_scalar(value, "String");
    if (!value.IsString()) refuse_conversion(value, "String");
}

void check_boolean(const json& value) {
    expect_scalar(value, "Boolean");
    if (boolean_of(value)) return;
    if (value.IsString()) refuse_type("Unexpected token received from parser");
    refuse_conversion(value, "Boolean");
}

void check_number(const json& value, std::string_view type) {
    expect_scalar(value, type);
    if (!value.IsNumber()) refuse_conversion(value, type);
}

void check_blob(const json& value) {
    if (value.IsArray()) refuse_type("Unrecognized collection type class java.nio.ByteBuffer");
    if (value.IsObject()) refuse_type("Start of structure or map found where not expected");
    if (!value.IsString()) refuse_type("only base-64-encoded strings are convertible to bytes");
    if (is_base64(text_of(value))) return;
    if (value.GetStringLength() % 4 == 0) refuse_type("Invalid last non-pad Base64 character dectected");
    refuse_type("Base64 encoded length is expected a multiple of 4 bytes but found: " +
                std::to_string(value.GetStringLength()));
}

/// Of collections within collections the service's deserialiser speaks like this.
constexpr const char* no_class_for_elements =
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class "
    "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of "
    "loader 'bootstrap')";

void check_list_type(const json& value, bool inside = false) {
    if (value.IsObject()) refuse_type("Start of structure or map found where not expected");
    if (!value.IsArray()) refuse_type(inside ? no_class_for_elements : "Unexpected field type");
}

std::string class_of(const shape& element) {
    if (element.kind == shape_kind::text) return "java.lang.String";
    if (element.kind == shape_kind::list) return "java.util.List<" + class_of(*element.element) + ">";
    return "com.amazonaws.dynamodb.v20120810." + std::string(element.type_name);
}

void check_map_type(const json& value, const shape& element, bool inside = false) {
    if (value.IsArray()) {
        refuse_type("Unrecognized collection type java.util.Map<java.lang.String, " + class_of(element) + ">");
    }
    if (!value.IsObject()) refuse_type(inside ? no_class_for_elements : "Unexpected field type");
}

/// @param inside whether the structure is an element of a list or map, for which the service has other words.
void check_structure_type(const json& value, std::string_view type, bool inside) {
    if (value.IsArray()) {
        refuse_type("Unrecognized collection type class com.amazonaws.dynamodb.v20120810." + std::string(type));
    }
    if (!value.IsObject()) refuse_type(inside ? "Unexpected value type in payload" : "Unexpected field type");
}

void check_elements(const json& list, void (*check)(const json&)) {
    check_list_type(list);
    for (const json& each : list.GetArray()) {
        if (!each.IsNull()) check(each);
    }
}

/// The depth was bounded when the body was parsed.
void check_value_type(const json& value, bool inside) {
    check_structure_type(value, "AttributeValue", inside);
    for (const auto& [name, held] : value.GetObject()) {
        const std::string_view type = text_of(name);
        if (held.IsNull()) continue;
        if (type == "S" || type == "N") check_text(held);
        if (type == "B") check_blob(held);
        if (type == "BOOL" || type == "NULL") check_boolean(held);
        if (type == "SS" || type == "NS") check_elements(held, check_text);
        if (type == "BS") check_elements(held, check_blob);
        if (type == "L") {
            check_list_type(held);
            for (const json& each : held.GetArray()) check_value_type(each, true);
        }
        if (type == "M") {
            check_map_type(held, shapes::any_value);
            for (const auto& each : held.GetObject()) check_value_type(each.value, true);
        }
    }
}

void check_types(const json& value, const shape& model, bool inside) {
    switch (model.kind) {
        case shape_kind::text:
            return check_text(value);
        case shape_kind::boolean:
            return check_boolean(value);
        case shape_kind::integer:
            return check_number(value, "Integer");
        case shape_kind::long_integer:
            return check_number(value, "Long");
        case shape_kind::value:
            return check_value_type(value, inside);
        case shape_kind::list:
            check_list_type(value, inside);
            for (const json& each : value.GetArray()) {
                if (!each.IsNull()) check_types(each, *model.element, true);
            }
            return;
        case shape_kind::map:
            check_map_type(value, *model.element, inside);
            for (const auto& each : value.GetObject()) {
                if (!each.value.IsNull()) check_types(each.value, *model.element, true);
            }
            return;
        case shape_kind::structure:
            check_structure_type(value, model.type_name, inside);
            const auto held = members_of(value, model);
            for (std::size_t i = 0; i < model.members.size(); ++i) {
                if (held[i]) check_types(*held[i], *model.members[i].type, false);
            }
            return;
    }
}

}  // namespace

std::array<const json_value*, most_members> members_of(const json_value& object, const shape& model) {
    // Of a member that occurs twice the first counts.
    std::array<const json_value*, most_members> held{};
    for (const auto& [name, value] : object.GetObject()) {
        const auto member = std::ranges::find(model.members, text_of(name), &shape_member::name);
        if (member == model.members.end()) continue;
        const json*& place = held.at(static_cast<std::size_t>(member - model.members.begin()));
        if (!place) place = &value;
    }
    for (const json*& each : held) {
        if (each && each->IsNull()) each = nullptr;
    }
    return held;
}

void check_types(const json_value& body, const shape& model) {
    if (!body.IsObject()) refuse_type("Unexpected value type in payload");
    check_types(body, model, false);
}

}  // namespace dynalease::codec
