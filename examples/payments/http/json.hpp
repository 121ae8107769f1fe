// The little JSON that a front end needs: flat objects in, text out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "payments/domain/payment_intent.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace payments::web {

/// An object of strings and whole numbers, which is all that requests are made of.
class json_object {
public:
    /// @throws refused with `problem::invalid` for what is no JSON, no object, nested, too deep, or says a name twice.
    explicit json_object(std::string_view text);

    /// @throws refused with `problem::invalid` that names the member, if it is absent or of another type.
    const std::string& text(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    std::string text_or(std::string_view name, std::string otherwise) const;
    /// @throws refused with `problem::invalid` if there is any other member: one that may not be set, or is misspelt.
    void has_only(std::initializer_list<std::string_view> names) const;

private:
    template <class Type>
    const Type& member(std::string_view name, const char* type) const;

    std::map<std::string, std::variant<std::string, std::int64_t>, std::less<>> members_;
};

/// Builds JSON text from the outside in; commas come by themselves.
class json_text {
public:
    json_text& open(char bracket);  ///< '{' or '['
    json_text& close(char bracket);
    json_text& key(std::string_view name);
    json_text& value(std::string_view text);
    json_text& value(std::int64_t number);
    json_text& member(std::string_view name, std::string_view text) { return key(name).value(text); }
    json_text& member(std::string_view name, std::int64_t number) { return key(name).value(number); }

    const std::string& text() const noexcept { return text_; }

private:
    void before_a_value();

    std::string text_;
    bool comma_ = false;
};

std::string to_json(const intent_data& intent);
std::string to_json(const charge_answer& answer);
/// @throws refused with `problem::invalid`.
charge_answer answer_in(const json_object& object);

}  // namespace payments::web
