// JSON text, written straight into one buffer, and how plain values and containers are written.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/json_memory.hpp"

#include <dynalease/dynamodb/attribute_value.hpp>

#include <rapidjson/writer.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease::codec {

/// RapidJSON's idea of an output: it reserves for a whole string and then writes without a check.
class text_sink {
public:
    using Ch = char;

    void Put(char c) {
        reserve(1);
        put(c);
    }
    void Flush() {}

    void reserve(std::size_t more) {
        if (size_ + more > text_.size()) text_.resize((size_ + more) * 2);
    }
    void put(char c) { text_[size_++] = c; }
    /// Within what was reserved.
    void put(std::string_view part) {
        part.copy(text_.data() + size_, part.size());
        size_ += part.size();
    }
    std::string take() && {
        text_.resize(size_);
        return std::move(text_);
    }

private:
    // Fits the requests of locks and leases without growing.
    std::string text_ = std::string(1024, '\0');
    std::size_t size_ = 0;
};

inline void PutReserve(text_sink& sink, std::size_t more) {
    sink.reserve(more);
}
inline void PutUnsafe(text_sink& sink, char c) {
    sink.put(c);
}

using sink_writer = rapidjson::Writer<text_sink, rapidjson::UTF8<>, rapidjson::UTF8<>, json_memory>;

/// How much of a string's beginning stands in JSON as it is.
inline std::size_t length_without_escapes(std::string_view text) {
    // Eight at a time: a byte's highest bit says that it is special, or that one before it is.
    constexpr std::uint64_t each = 0x0101010101010101;
    const auto below = [](std::uint64_t bytes, std::uint64_t bound) { return (bytes - each * bound) & ~bytes; };
    std::size_t length = 0;
    for (std::uint64_t bytes = 0; text.size() - length >= sizeof bytes; length += sizeof bytes) {
        std::memcpy(&bytes, text.data() + length, sizeof bytes);
        const auto special = below(bytes, 0x20) | below(bytes ^ each * '"', 1) | below(bytes ^ each * '\\', 1);
        if ((special & each * 0x80) != 0) break;
    }
    const auto is_special = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; };
    while (length < text.size() && !is_special(text[length])) ++length;
    return length;
}

}  // namespace dynalease::codec

/// RapidJSON writes byte by byte what needs no escape, but into a buffer of its own: here as one piece. Whole requests
/// are strings for the most part.
template <>
inline bool dynalease::codec::sink_writer::ScanWriteUnescapedString(rapidjson::StringStream& in, std::size_t length) {
    const std::string_view rest(in.src_, length - in.Tell());
    const auto plain = dynalease::codec::length_without_escapes(rest);
    os_->put(rest.substr(0, plain));
    in.src_ += plain;
    return plain < rest.size();
}

namespace dynalease::codec {

class json_writer {
public:
    void begin_object() { writer_.StartObject(); }
    void end_object() { writer_.EndObject(); }
    void begin_array() { writer_.StartArray(); }
    void end_array() { writer_.EndArray(); }
    void key(std::string_view name) { writer_.Key(name.data(), length_of(name)); }
    void text(std::string_view value) { writer_.String(value.data(), length_of(value)); }
    void boolean(bool value) { writer_.Bool(value); }
    void integer(std::int64_t value) { writer_.Int64(value); }
    void real(double value) { writer_.Double(value); }

    std::string take() && { return std::move(sink_).take(); }

private:
    /// RapidJSON reckons six bytes for each, in 32 bits. What is cut off is of no request: none so long is sent.
    static rapidjson::SizeType length_of(std::string_view text) {
        constexpr std::size_t most = 256 * 1024 * 1024;
        return static_cast<rapidjson::SizeType>(std::min(text.size(), most));
    }

    text_sink sink_;
    sink_writer writer_{sink_};
};

inline void write(json_writer& out, const std::string& value) {
    out.text(value);
}
inline void write(json_writer& out, std::string_view value) {
    out.text(value);
}
inline void write(json_writer& out, bool value) {
    out.boolean(value);
}
inline void write(json_writer& out, std::int32_t value) {
    out.integer(value);
}
inline void write(json_writer& out, std::int64_t value) {
    out.integer(value);
}
inline void write(json_writer& out, double value) {
    out.real(value);
}

/// An object with one member that names the type: {"S":"text"}.
void write(json_writer& out, const attribute_value& value);
void write(json_writer& out, const attribute_map& values);

template <class Element>
void write(json_writer& out, const std::vector<Element>& values) {
    out.begin_array();
    for (const auto& value : values) write(out, value);
    out.end_array();
}

template <class Value, class Less>
void write(json_writer& out, const std::map<std::string, Value, Less>& values) {
    out.begin_object();
    for (const auto& [name, value] : values) {
        out.key(name);
        write(out, value);
    }
    out.end_object();
}

}  // namespace dynalease::codec
#pragma GCC visibility pop
