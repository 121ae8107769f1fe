// Bounded parsing, and the plain JSON types.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/json_reader.hpp"

#include "dynamodb/codec.hpp"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#include <rapidjson/stream.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace dynalease::codec {

namespace {

// Two levels for each list or map in a value, of which the service takes 31, and what is wrapped around an item; the
// rest is room for the engine to tell of a value that is too deep when its turn comes.
constexpr unsigned max_json_depth = 256;

[[noreturn]] void refuse(std::string_view what) {
    throw malformed{errc::bad_response, std::string(what)};
}

/// Whether the encoding need not be looked at character by character; it is so of nearly all bodies.
bool is_ascii(std::string_view text) {
    constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080;
    std::uint64_t seen = 0;
    while (text.size() >= sizeof seen) {
        std::uint64_t next = 0;
        std::memcpy(&next, text.data(), sizeof next);
        seen |= next;
        text.remove_prefix(sizeof seen);
    }
    return (seen & high_bits) == 0 &&
           std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
}

/// Where the second half of a pair of surrogates is escaped without the first. RapidJSON refuses the first alone, but
/// takes the second, and makes bytes of it that are no UTF-8.
std::size_t find_lone_surrogate(std::string_view text) {
    constexpr std::size_t escape = 6;  // of "\uXXXX"
    for (auto at = text.find('\\'); at < text.size(); at = text.find('\\', at)) {
        const auto here = text.substr(at, escape);
        unsigned code = 0;
        const bool is_unicode = here.size() == escape && here[1] == 'u' &&
                                std::from_chars(here.data() + 2, here.data() + escape, code, 16).ptr == here.end();
        if (!is_unicode) {
            at += 2;
            continue;
        }
        if (code >= 0xDC00 && code <= 0xDFFF) return at;
        at += code >= 0xD800 && code < 0xDC00 ? 2 * escape : escape;
    }
    return std::string_view::npos;
}

[[noreturn]] void refuse_at(std::size_t place, rapidjson::ParseErrorCode why) {
    refuse("no JSON at byte " + std::to_string(place) + ": " + rapidjson::GetParseError_En(why));
}

}  // namespace

void malformed::inside(std::string_view outer) {
    std::string joined(outer);
    if (!where.empty() && !where.starts_with('[')) joined += '.';
    where = joined + where;
}

std::string malformed::message() const {
    return where.empty() ? what : where + ": " + what;
}

bool json_body::bounded_document::enter() {
    return ++depth_ <= max_json_depth;
}

json_body::json_body(std::string_view text, std::size_t longest, std::size_t most_values) {
    if (text.empty()) refuse("the body is empty");
    if (text.size() > longest) refuse("the body is larger than " + std::to_string(longest / 1024 / 1024) + " MB");
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    if (const auto lone = find_lone_surrogate(text); lone != std::string_view::npos) {
        refuse_at(lone, rapidjson::kParseErrorStringUnicodeSurrogateInvalid);
    }
    // Parsed in a copy of its own, which becomes the values' texts: quicker than to copy each of them.
    auto* const copy = static_cast<char*>(values_.Malloc(text.size() + 1));
    copy[text.copy(copy, text.size())] = '\0';
    rapidjson::InsituStringStream stream(copy);
    rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, pool> reader(&stack_, 256);
    rapidjson::ParseResult parsed;
    const bool ascii = is_ascii(text);
    const auto parse = [&](auto&) {
        // Not in full precision: that takes 0e38 for -1.9e227, and up to 15 digits are exact without it.
        constexpr unsigned flags = rapidjson::kParseInsituFlag;
        parsed = ascii ? reader.Parse<flags>(stream, document_)
                       : reader.Parse < flags | rapidjson::kParseValidateEncodingFlag > (stream, document_);
        return !parsed.IsError();
    };
    document_.set_most_values(most_values);
    document_.Populate(parse);
    if (document_.has_too_many()) {
        throw malformed{errc::validation, "There are more than " + std::to_string(most_values) + " values"};
    }
    if (parsed.Code() == rapidjson::kParseErrorTermination) refuse("the body is nested too deeply");
    if (parsed.IsError()) refuse_at(parsed.Offset(), parsed.Code());
    // A zero byte ends RapidJSON's streams, and may be followed by anything.
    if (stream.Tell() != text.size()) refuse("the body goes on after its end");
}

std::string_view json_input::text() const {
    if (!value.IsString()) refuse("expected a string");
    return text_of(value);
}

const json_value* json_input::find(std::string_view name) const {
    expect_object();
    for (const auto& member : value.GetObject()) {
        if (text_of(member.name) == name) return member.value.IsNull() ? nullptr : &member.value;
    }
    return nullptr;
}

void json_input::expect_object() const {
    if (!value.IsObject()) refuse("expected an object");
}

void json_input::expect_array() const {
    if (!value.IsArray()) refuse("expected an array");
}

void read(json_input in, std::string& out) {
    out = in.text();
}

std::optional<bool> boolean_of(const json_value& value) {
    if (value.IsBool()) return value.GetBool();
    if (!value.IsString()) return std::nullopt;
    const auto is = [&](std::string_view word) {
        return std::ranges::equal(text_of(value), word, {},
                                  [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    };
    if (is("true") || is("1") || is("yes")) return true;
    if (is("false") || is("0") || is("no")) return false;
    return std::nullopt;
}

void read(json_input in, bool& out) {
    const auto value = boolean_of(in.value);
    if (!value) refuse("expected true or false");
    out = *value;
}

namespace {

/// The service rounds fractions down.
template <class Integer>
void read_integer(json_input in, Integer& out) {
    if (!in.value.IsNumber()) refuse("expected an integer");
    const double whole = std::floor(in.value.GetDouble());
    if (!(whole >= static_cast<double>(std::numeric_limits<Integer>::min()) &&
          whole < -static_cast<double>(std::numeric_limits<Integer>::min()))) {
        refuse("expected a smaller integer");
    }
    out = in.value.IsInt64() ? static_cast<Integer>(in.value.GetInt64()) : static_cast<Integer>(whole);
}

template <class Map>
void read_placeholder_map(std::string_view parameter, char mark, json_input in, Map& out) {
    in.expect_object();
    const std::string name(parameter);
    if (in.value.ObjectEmpty()) throw malformed{errc::validation, name + " must not be empty"};
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (const auto& member : in.value.GetObject()) {
        const std::string_view key = text_of(member.name);
        if (key.size() < 2 || key.front() != mark || !std::ranges::all_of(key.substr(1), is_word)) {
            throw malformed{errc::validation,
                            name + " contains invalid key: Syntax error; key: \"" + std::string(key) + "\""};
        }
    }
    for (const auto& member : in.value.GetObject()) {
        const std::string_view key = text_of(member.name);
        try {
            const auto place = out.emplace_hint(out.end(), key, typename Map::mapped_type());
            read(json_input{member.value}, place->second);
        } catch (malformed& why) {
            if (why.code == errc::validation) {
                why.what = name + " contains invalid value: " + why.what + " for key " + std::string(key);
            }
            throw;
        }
    }
}

}  // namespace

void read(json_input in, std::int32_t& out) {
    read_integer(in, out);
}

void read(json_input in, std::int64_t& out) {
    read_integer(in, out);
}

void read(json_input in, double& out) {
    if (!in.value.IsNumber()) refuse("expected a number");
    out = in.value.GetDouble();
}

void read_placeholders(std::string_view parameter, json_input in,
                       std::map<std::string, std::string, std::less<>>& out) {
    read_placeholder_map(parameter, '#', in, out);
}

void read_placeholders(std::string_view parameter, json_input in, attribute_map& out) {
    read_placeholder_map(parameter, ':', in, out);
}

}  // namespace dynalease::codec
