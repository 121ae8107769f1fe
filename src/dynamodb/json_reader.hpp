// JSON text, parsed within bounds, and how plain values and containers are read. What does not fit throws `malformed`,
// which never leaves the codec.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/json_memory.hpp"

#include <dynalease/dynamodb/attribute_value.hpp>
#include <dynalease/error.hpp>

#include <rapidjson/document.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // dynalease::local or dynalease::testing uses it, too
namespace dynalease::codec {

/// Why a body could not be read, and where in it.
struct malformed {
    errc code;  ///< `bad_response`: not the right JSON; `validation`: right JSON for a value that cannot be
    std::string what;
    std::string where{};  ///< "Item.state"

    /// Adds the member or element that holds the place.
    void inside(std::string_view outer);
    std::string message() const;
};

/// Runs a part of the reading; what is malformed in it is told to lie inside the name.
template <class Body>
auto within(std::string_view name, Body body) {
    try {
        return body();
    } catch (malformed& why) {
        why.inside(name);
        throw;
    }
}

/// The parsed text. Keeps small bodies wholly in itself: no allocation for the answers of locks and leases.
class json_body {
public:
    /// @throws malformed if the text is too long or too deep, no JSON, not UTF-8, or followed by something; with
    /// `errc::validation` if it has more than `most_values`.
    json_body(std::string_view text, std::size_t longest, std::size_t most_values = SIZE_MAX);

    const json_value& root() const noexcept { return document_; }

private:
    using pool = json_pool;

    /// Refuses depth and numbers while it parses, before memory is spent on them; the parser calls itself for each
    /// level.
    class bounded_document : public rapidjson::GenericDocument<rapidjson::UTF8<>, pool, pool> {
    public:
        using base = rapidjson::GenericDocument<rapidjson::UTF8<>, pool, pool>;
        bounded_document(pool* values, pool* stack) : base(values, 1024, stack) {}

        void set_most_values(std::size_t most) noexcept { left_ = most; }
        bool has_too_many() const noexcept { return has_too_many_; }

        bool Null() { return count() && base::Null(); }
        bool Bool(bool value) { return count() && base::Bool(value); }
        bool Int(int value) { return count() && base::Int(value); }
        bool Uint(unsigned value) { return count() && base::Uint(value); }
        bool Int64(std::int64_t value) { return count() && base::Int64(value); }
        bool Uint64(std::uint64_t value) { return count() && base::Uint64(value); }
        bool Double(double value) { return count() && base::Double(value); }
        bool String(const char* text, rapidjson::SizeType size, bool copy) {
            return count() && base::String(text, size, copy);
        }
        bool StartObject() { return count() && enter() && base::StartObject(); }
        bool StartArray() { return count() && enter() && base::StartArray(); }
        bool EndObject(rapidjson::SizeType members) {
            --depth_;
            return base::EndObject(members);
        }
        bool EndArray(rapidjson::SizeType elements) {
            --depth_;
            return base::EndArray(elements);
        }

    private:
        bool enter();
        bool count() {
            has_too_many_ = left_ == 0;
            --left_;
            return !has_too_many_;
        }

        unsigned depth_ = 0;
        std::size_t left_ = SIZE_MAX;
        bool has_too_many_ = false;
    };

    alignas(std::max_align_t) std::array<char, 8192> value_buffer_;
    alignas(std::max_align_t) std::array<char, 4096> stack_buffer_;
    pool values_{value_buffer_.data(), value_buffer_.size()};
    pool stack_{stack_buffer_.data(), stack_buffer_.size()};
    bounded_document document_{&values_, &stack_};
};

/// A part of a body.
struct json_input {
    const json_value& value;

    std::string_view text() const;
    /// The member, or a null pointer if it is absent or JSON's null.
    const json_value* find(std::string_view name) const;
    void expect_object() const;
    void expect_array() const;
};

inline std::string_view text_of(const json_value& text) {
    return {text.GetString(), text.GetStringLength()};
}

/// True and false; from a request also the words that the service takes for them.
std::optional<bool> boolean_of(const json_value& value);

void read(json_input in, std::string& out);
void read(json_input in, bool& out);
void read(json_input in, std::int32_t& out);
void read(json_input in, std::int64_t& out);
void read(json_input in, double& out);
void read(json_input in, attribute_value& out);
void read(json_input in, attribute_map& out);

/// ExpressionAttributeNames and ExpressionAttributeValues: their keys begin with '#' and ':'.
void read_placeholders(std::string_view parameter, json_input in, std::map<std::string, std::string, std::less<>>& out);
void read_placeholders(std::string_view parameter, json_input in, attribute_map& out);

template <class Element>
void read(json_input in, std::vector<Element>& out) {
    in.expect_array();
    out.reserve(in.value.Size());
    for (const auto& element : in.value.GetArray()) {
        within("[]", [&] { read(json_input{element}, out.emplace_back()); });
    }
}

template <class Value, class Less>
void read(json_input in, std::map<std::string, Value, Less>& out) {
    in.expect_object();
    for (const auto& member : in.value.GetObject()) {
        const auto name = text_of(member.name);
        within(name, [&] { read(json_input{member.value}, out[std::string(name)]); });
    }
}

}  // namespace dynalease::codec
#pragma GCC visibility pop
