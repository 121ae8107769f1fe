// Whole requests and responses of random values, field by field.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "dynamodb/item_fields.hpp"
#include "dynamodb/table_fields.hpp"
#include "unit/dynamodb/random_values.hpp"

#include <dynalease/detail/braced.hpp>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace dynalease::test {

/// A visitor of `fields` that gives every field a random value.
class random_filler {
public:
    static constexpr bool reading = false;
    static constexpr bool serving = false;

    explicit random_filler(random_values& values) : values_(values) {}

    template <class T>
    void required(std::string_view name, T&& field) {
        if constexpr (std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>) {
            fill(detail::plain(field));
            respect_limits(name, detail::plain(field));
        }
    }
    void expected(std::string_view name, auto& field) { required(name, field); }
    void optional(std::string_view name, auto& field) {
        if (values_.coin()) required(name, field);
    }
    /// Never empty, for the server refuses placeholders without any expression.
    void expression(std::string_view, std::string& text) { text = "e" + values_.text(); }
    void placeholders(std::string_view, auto& map) {
        map.clear();
        constexpr bool of_names = std::is_base_of_v<attribute_names, std::remove_cvref_t<decltype(map)>>;
        for (auto n = values_.below(4); n > 0; --n) fill(map[(of_names ? "#a" : ":a") + std::to_string(n)]);
    }
    void choice(std::string_view, bool& field, std::string_view, std::initializer_list<std::string_view>) {
        field = values_.coin();
    }
    void constant(std::string_view, std::string_view) {}
    void nested(std::string_view, auto body) { body(*this); }

    void fill(std::string& out) { out = values_.text(); }
    void fill(bool& out) { out = values_.coin(); }
    void fill(std::int32_t& out) { out = static_cast<std::int32_t>(values_.below(1000)); }
    void fill(std::int64_t& out) { out = static_cast<std::int64_t>(values_.below(1000)); }
    /// With few digits, as the service tells capacities and times; such are read exactly.
    void fill(double& out) { out = static_cast<double>(values_.below(1000)) / 8; }
    void fill(attribute_value& out) { out = values_.value(); }
    void fill(attribute_map& out) { out = values_.members(); }
    void fill(key_schema& out) {
        fill(out.hash);
        if (values_.coin()) fill(out.range.emplace());
    }
    void fill(key_attribute& out) {
        out.name = "k" + values_.text();
        fill(out.type);
    }
    template <class T>
    void fill(std::optional<T>& out) {
        out.reset();
        if (values_.coin()) fill(out.emplace());
    }
    template <class T>
    void fill(std::vector<T>& out) {
        out.clear();
        for (auto n = values_.below(4); n > 0; --n) fill(out.emplace_back());
    }
    template <class T, class Less>
    void fill(std::map<std::string, T, Less>& out) {
        out.clear();
        for (auto n = values_.below(4); n > 0; --n) fill(out[values_.text()]);
    }
    template <class... Ts>
    void fill(std::variant<Ts...>& out) {
        const auto chosen = values_.below(sizeof...(Ts));
        std::size_t index = 0;
        const auto attempt = [&]<class T>(std::type_identity<T>) {
            if (index++ == chosen) fill(out.template emplace<T>());
        };
        (attempt(std::type_identity<Ts>{}), ...);
    }
    template <class Struct>
    void fill(Struct& out) {
        if constexpr (std::is_enum_v<Struct>) {
            out = static_cast<Struct>(values_.below(words_of(out).size()));
        } else {
            codec::fields(*this, out);
            if constexpr (requires { out.total_segments; }) {
                out.total_segments = 1 + static_cast<std::int32_t>(values_.below(100));
                out.segment = *out.total_segments - 1;
            }
        }
    }

private:
    /// What the server takes of the fields that have limits.
    void respect_limits(std::string_view name, auto& field) {
        using type = std::remove_cvref_t<decltype(field)>;
        const std::string suffix = std::to_string(values_.below(1000));
        if constexpr (std::is_same_v<type, std::string>) {
            if (name == "TableName" || name == "IndexName" || name == "ExclusiveStartTableName")
                field = "t-._" + suffix;
            if (name == "ResourceArn") field = "arn:aws:dynamodb:us-east-1:1:table/t" + suffix;
            if (name == "ClientRequestToken" || name == "AttributeName" || name == "Key") field = "token" + suffix;
        } else if constexpr (std::is_same_v<type, std::optional<std::int32_t>>) {
            field = static_cast<std::int32_t>(1 + values_.below(100));
        } else if constexpr (requires { field.emplace_back(); }) {
            if constexpr (std::is_same_v<type, std::vector<std::string>>) {
                if (name == "TagKeys") field = {"key" + suffix};
            }
            if (field.empty()) fill(field.emplace_back());
        } else if constexpr (requires { field["table"].begin(); } || requires { field["table"].keys; }) {
            if (name != "RequestItems") return;
            field.clear();
            required("Keys", field["table-" + suffix]);
        }
    }

    random_values& values_;
};

}  // namespace dynalease::test
