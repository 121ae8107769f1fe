// OTLP as JSON: https://opentelemetry.io/docs/specs/otlp/ and its trace.proto say what the members are.
// SPDX-License-Identifier: BSL-1.0
#include "open_telemetry/spans.hpp"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <chrono>
#include <stdexcept>

namespace telemetry {

namespace {

using writer = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr int kind_internal = 1;
constexpr int kind_client = 3;
constexpr int status_error = 2;

void put(writer& to, std::string_view text) {
    to.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
void put(writer& to, std::string_view name, std::string_view text) {
    put(to, name);
    put(to, text);
}
void put(writer& to, std::string_view name, dynalease::wall_time when) {
    const auto since_1970 = std::chrono::nanoseconds(when.time_since_epoch()).count();
    put(to, name, std::to_string(since_1970));  // 64 bits are a string in JSON
}

void put_attributes(writer& to, const std::map<std::string, std::string>& all) {
    put(to, "attributes");
    to.StartArray();
    for (const auto& [key, value] : all) {
        to.StartObject();
        put(to, "key", key);
        put(to, "value");
        to.StartObject();
        put(to, "stringValue", value);
        to.EndObject();
        to.EndObject();
    }
    to.EndArray();
}

void put_span(writer& to, const span& one) {
    to.StartObject();
    put(to, "traceId", one.trace);
    put(to, "spanId", one.id);
    if (!one.parent.empty()) put(to, "parentSpanId", one.parent);
    put(to, "name", one.name);
    put(to, "kind");
    to.Int(one.is_call ? kind_client : kind_internal);
    put(to, "startTimeUnixNano", one.begin);
    put(to, "endTimeUnixNano", one.end);
    put_attributes(to, one.attributes);
    if (!one.fault.empty()) {
        put(to, "status");
        to.StartObject();
        put(to, "code");
        to.Int(status_error);
        put(to, "message", one.fault);
        to.EndObject();
    }
    to.EndObject();
}

std::string text_in(const rapidjson::Value& object, const char* name) {
    const auto found = object.FindMember(name);
    if (found == object.MemberEnd() || !found->value.IsString()) return {};
    return {found->value.GetString(), found->value.GetStringLength()};
}

dynalease::wall_time time_in(const rapidjson::Value& object, const char* name) {
    const std::chrono::nanoseconds since_1970(std::stoll(text_in(object, name)));
    return dynalease::wall_time(std::chrono::floor<std::chrono::milliseconds>(since_1970));
}

/// The elements of a member. @throws std::runtime_error if it is no array
auto elements_of(const rapidjson::Value& object, const char* name) {
    const auto found = object.IsObject() ? object.FindMember(name) : rapidjson::Value::ConstMemberIterator();
    if (!object.IsObject() || found == object.MemberEnd() || !found->value.IsArray()) {
        throw std::runtime_error(std::string("a text of spans without ") + name);
    }
    return found->value.GetArray();
}

std::map<std::string, std::string> attributes_in(const rapidjson::Value& object) {
    std::map<std::string, std::string> found;
    for (const auto& each : elements_of(object, "attributes")) {
        const auto value = each.FindMember("value");
        if (value == each.MemberEnd() || !value->value.IsObject()) throw std::runtime_error("an attribute of no value");
        found.emplace(text_in(each, "key"), text_in(value->value, "stringValue"));
    }
    return found;
}

}  // namespace

std::string otlp_text(std::string_view service, const std::vector<span>& ended) {
    rapidjson::StringBuffer text;
    writer to(text);
    const auto begin_one_of = [&to](std::string_view name) {
        put(to, name);
        to.StartArray();
        to.StartObject();
    };
    to.StartObject();
    begin_one_of("resourceSpans");
    put(to, "resource");
    to.StartObject();
    put_attributes(to, {{"service.name", std::string(service)}});
    to.EndObject();
    begin_one_of("scopeSpans");
    put(to, "spans");
    to.StartArray();
    for (const auto& each : ended) put_span(to, each);
    to.EndArray();
    for (int open = 0; open < 2; ++open) {
        to.EndObject();
        to.EndArray();
    }
    to.EndObject();
    return {text.GetString(), text.GetSize()};
}

std::vector<span> parse_otlp(std::string_view text) {
    rapidjson::Document document;
    document.Parse(text.data(), text.size());
    if (document.HasParseError()) throw std::runtime_error("a text of spans that is no JSON");
    std::vector<span> found;
    for (const auto& resource : elements_of(document, "resourceSpans")) {
        for (const auto& scope : elements_of(resource, "scopeSpans")) {
            for (const auto& each : elements_of(scope, "spans")) {
                found.push_back({.trace = text_in(each, "traceId"),
                                 .id = text_in(each, "spanId"),
                                 .parent = text_in(each, "parentSpanId"),
                                 .name = text_in(each, "name"),
                                 .begin = time_in(each, "startTimeUnixNano"),
                                 .end = time_in(each, "endTimeUnixNano"),
                                 .attributes = attributes_in(each)});
            }
        }
    }
    return found;
}

}  // namespace telemetry
