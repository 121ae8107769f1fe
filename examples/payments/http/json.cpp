// JSON by RapidJSON on the way in, by hand on the way out.
// SPDX-License-Identifier: BSL-1.0
#include "payments/http/json.hpp"

#include "payments/domain/refused.hpp"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <boost/describe/enum_to_string.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace payments::web {

namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw refused(problem::invalid, why);
}

}  // namespace

json_object::json_object(std::string_view text) {
    rapidjson::Document document;
    constexpr auto how = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
    document.Parse<how>(text.data(), text.size());
    if (document.HasParseError()) {
        refuse(std::string("the body is no JSON: ") + rapidjson::GetParseError_En(document.GetParseError()) +
               " At byte " + std::to_string(document.GetErrorOffset()));
    }
    if (!document.IsObject()) refuse("the body is no JSON object");
    for (const auto& [name, value] : document.GetObject()) {
        std::string known(name.GetString(), name.GetStringLength());
        if (members_.contains(known)) refuse("\"" + known + "\" is there twice");
        if (value.IsString()) {
            members_.emplace(std::move(known), std::string(value.GetString(), value.GetStringLength()));
        } else if (value.IsInt64()) {
            members_.emplace(std::move(known), value.GetInt64());
        } else {
            refuse("\"" + known + "\" is neither a string nor a whole number");
        }
    }
}

template <class Type>
const Type& json_object::member(std::string_view name, const char* type) const {
    const auto at = members_.find(name);
    if (at == members_.end()) refuse("\"" + std::string(name) + "\" is missing");
    const auto* value = std::get_if<Type>(&at->second);
    if (!value) refuse("\"" + std::string(name) + "\" is no " + type);
    return *value;
}

const std::string& json_object::text(std::string_view name) const {
    return member<std::string>(name, "string");
}
std::int64_t json_object::integer(std::string_view name) const {
    return member<std::int64_t>(name, "whole number");
}
std::string json_object::text_or(std::string_view name, std::string otherwise) const {
    return members_.contains(name) ? text(name) : std::move(otherwise);
}

void json_object::has_only(std::initializer_list<std::string_view> names) const {
    for (const auto& [name, value] : members_) {
        if (std::ranges::find(names, name) == names.end()) refuse("\"" + name + "\" is no member that can be given");
    }
}

void json_text::before_a_value() {
    if (comma_) text_ += ',';
    comma_ = true;
}
json_text& json_text::open(char bracket) {
    before_a_value();
    text_ += bracket;
    comma_ = false;
    return *this;
}
json_text& json_text::close(char bracket) {
    text_ += bracket;
    comma_ = true;
    return *this;
}
json_text& json_text::key(std::string_view name) {
    value(name);
    text_ += ':';
    comma_ = false;
    return *this;
}
json_text& json_text::value(std::int64_t number) {
    before_a_value();
    text_ += std::to_string(number);
    return *this;
}
json_text& json_text::value(std::string_view text) {
    before_a_value();
    text_ += '"';
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> escaped;
            std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
            text_ += escaped.data();
            continue;
        }
        if (c == '"' || c == '\\') text_ += '\\';
        text_ += c;
    }
    text_ += '"';
    return *this;
}

std::string to_json(const intent_data& intent) {
    json_text out;
    out.open('{')
        .member("id", intent.id)
        .member("state", boost::describe::enum_to_string(intent.state, ""))
        .member("customer", intent.customer)
        .member("amount", intent.amount)
        .member("currency", intent.currency);
    if (intent.charge) {
        out.key("charge").open('{').member("amount", intent.charge->amount);
        if (!intent.charge->id.empty()) out.member("id", intent.charge->id);
        if (!intent.charge->failure_code.empty()) {
            out.member("failure_code", intent.charge->failure_code);
            out.member("failure_message", intent.charge->failure_message);
        }
        out.close('}');
    }
    return out.close('}').text();
}

std::string to_json(const charge_answer& answer) {
    json_text out;
    out.open('{')
        .member("intent", answer.intent)
        .member("charge", answer.charge)
        .member("amount", answer.amount)
        .member("failure_code", answer.failure_code)
        .member("failure_message", answer.failure_message)
        .close('}');
    return out.text();
}

charge_answer answer_in(const json_object& object) {
    charge_answer answer;
    answer.intent = object.text("intent");
    answer.charge = object.text("charge");
    answer.amount = object.integer("amount");
    answer.failure_code = object.text_or("failure_code", "");
    answer.failure_message = object.text_or("failure_message", "");
    return answer;
}

}  // namespace payments::web
