// How structs become JSON objects and back: each struct lists its fields once, in a function `fields(visitor, struct)`,
// and one visitor writes them while the other reads them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/json_reader.hpp"
#include "dynamodb/json_writer.hpp"

#include <dynalease/detail/braced.hpp>

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace dynalease::codec {

/// A parameter that one visitor takes as const, and the other does not.
template <class T, class Struct>
concept maybe_const = std::same_as<std::remove_const_t<T>, Struct>;

/// The text of an enumerator; `words_of(Enum)` gives them in the enumeration's order.
template <class Enum>
concept worded = std::is_enum_v<Enum> && requires { words_of(Enum{}); };

/// What is wrong with an object that names none or several alternatives of a variant.
template <class Variant>
inline constexpr std::string_view fault_of_choice = "must name exactly one action";

/// The member that names an alternative of a variant on the wire: {"Put":{…}}.
template <class Alternative>
inline constexpr std::string_view tag_of{};

// ---- writing ----------------------------------------------------------------------------------------------

class field_writer {
public:
    static constexpr bool reading = false;
    static constexpr bool serving = false;

    explicit field_writer(json_writer& out) : out_(out) {}

    template <class T>
    void required(std::string_view name, const T& value) {
        out_.key(name);
        write(out_, detail::plain(value));
    }
    /// Written always, but may be missing when it is read.
    template <class T>
    void expected(std::string_view name, const T& value) {
        required(name, value);
    }
    /// A field at its default is not written.
    template <class T>
    void optional(std::string_view name, const T& value) {
        if (!(value == T{})) required(name, value);
    }
    template <class T>
    void optional(std::string_view name, const std::optional<T>& value) {
        if (value) required(name, *value);
    }
    template <class T>
        requires requires(const T& value) { value.empty(); }
    void optional(std::string_view name, const T& value) {
        if (!value.empty()) required(name, value);
    }
    /// A switch that travels as one of several words.
    void choice(std::string_view name, bool value, std::string_view on, std::initializer_list<std::string_view>) {
        if (value) required(name, on);
    }
    void constant(std::string_view name, std::string_view text) { required(name, text); }
    /// An expression: absent when it is empty.
    void expression(std::string_view name, const std::string& text) { optional(name, text); }
    /// What an expression's placeholders stand for.
    template <class Map>
    void placeholders(std::string_view name, const Map& values) {
        optional(name, values);
    }
    template <class Body>
    void nested(std::string_view name, Body body) {
        out_.key(name);
        out_.begin_object();
        body(*this);
        out_.end_object();
    }

private:
    json_writer& out_;
};

template <class Struct>
void write(json_writer& out, const Struct& value) {
    if constexpr (worded<Struct>) {
        out.text(words_of(value)[static_cast<std::size_t>(value)]);
    } else {
        field_writer visitor(out);
        out.begin_object();
        fields(visitor, value);
        out.end_object();
    }
}

template <class... Alternatives>
void write(json_writer& out, const std::variant<Alternatives...>& value) {
    out.begin_object();
    std::visit(
        [&out]<class Alternative>(const Alternative& held) {
            out.key(tag_of<Alternative>);
            write(out, held);
        },
        value);
    out.end_object();
}

// ---- reading ----------------------------------------------------------------------------------------------

class field_reader {
public:
    static constexpr bool reading = true;
    /// Whether it reads as the service does: with the parameters from before there were expressions, and with the
    /// service's words for what is wrong with a request. The embedded server has such a reader.
    static constexpr bool serving = false;

    explicit field_reader(json_input object) : object_(object) { object.expect_object(); }

    template <class T>
    void required(std::string_view name, T& value) {
        if (!read_if_present(name, value)) throw malformed{errc::validation, "is missing", std::string(name)};
    }
    template <class T>
    void expected(std::string_view name, T& value) {
        read_if_present(name, value);
    }
    template <class T>
    void optional(std::string_view name, T& value) {
        read_if_present(name, value);
    }
    template <class T>
    void optional(std::string_view name, std::optional<T>& value) {
        T held{};
        if (read_if_present(name, held)) value = std::move(held);
    }
    void choice(std::string_view name, bool& value, std::string_view on, std::initializer_list<std::string_view> off) {
        std::string word;
        if (!read_if_present(name, word)) return;
        value = word == on;
        if (!value && std::ranges::find(off, word) == off.end()) {
            throw malformed{errc::validation, "has no value \"" + word + "\"", std::string(name)};
        }
    }
    void constant(std::string_view, std::string_view) {}
    /// One that is there and empty becomes a blank, for the engine takes none at all for none asked.
    void expression(std::string_view name, std::string& text) {
        if (read_if_present(name, text) && text.empty()) text = " ";
    }
    template <class Map>
    void placeholders(std::string_view name, Map& values) {
        const auto* member = object_.find(name);
        if (member) read_placeholders(name, json_input{*member}, values);
    }
    /// The object itself, for what is read otherwise.
    json_input object() const noexcept { return object_; }
    template <class Body>
    void nested(std::string_view name, Body body) {
        const auto* member = object_.find(name);
        if (member == nullptr) throw malformed{errc::validation, "is missing", std::string(name)};
        within(name, [&] {
            field_reader inner(json_input{*member});
            body(inner);
        });
    }

private:
    template <class T>
    bool read_if_present(std::string_view name, T& value) {
        const auto* member = object_.find(name);
        if (member == nullptr) return false;
        within(name, [&] { read(json_input{*member}, detail::plain(value)); });
        return true;
    }

    json_input object_;
};

template <class Struct>
void read(json_input in, Struct& out) {
    if constexpr (worded<Struct>) {
        const auto words = words_of(out);
        const auto found = std::ranges::find(words, in.text());
        if (found == words.end()) throw malformed{errc::validation, "has no value \"" + std::string(in.text()) + "\""};
        out = static_cast<Struct>(found - words.begin());
    } else {
        field_reader visitor(in);
        fields(visitor, out);
    }
}

template <class... Alternatives>
void read(json_input in, std::variant<Alternatives...>& out) {
    in.expect_object();
    std::size_t found = 0;
    const auto attempt = [&]<class Alternative>(std::type_identity<Alternative>) {
        const auto* member = in.find(tag_of<Alternative>);
        if (member == nullptr) return;
        ++found;
        within(tag_of<Alternative>, [&] { read(json_input{*member}, out.template emplace<Alternative>()); });
    };
    (attempt(std::type_identity<Alternatives>{}), ...);
    if (found != 1) {
        throw malformed{errc::validation, std::string(fault_of_choice<std::variant<Alternatives...>>)};
    }
}

}  // namespace dynalease::codec
