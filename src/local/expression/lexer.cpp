// Tokens: words, #names, :values, list indexes and symbols.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/lexer.hpp"

#include "local/codec/translated_placeholder.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>

namespace dynalease::local::expression {

namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

}  // namespace

token lexer::read_from(std::size_t position) const {
    while (position < text_.size() && is_space(text_[position])) ++position;
    if (position == text_.size()) return {token_kind::end, {}, position};
    const auto run = [&](std::size_t from, auto belongs) {
        const auto stop = std::find_if_not(text_.begin() + static_cast<std::ptrdiff_t>(from), text_.end(), belongs);
        return static_cast<std::size_t>(stop - text_.begin());
    };
    const auto make = [&](token_kind kind, std::size_t end) {
        return token{kind, text_.substr(position, end - position), position};
    };
    const char first = text_[position];
    if (is_digit(first)) return make(token_kind::number, run(position, is_digit));
    if (is_word(first) && first != '_') return make(token_kind::word, run(position, is_word));
    if (first == '#' || first == ':') {
        const std::string_view rest = text_.substr(position + 1);
        const bool is_marked = is_translated_ && rest.starts_with(codec::translated_mark);
        const std::size_t end = run(position + (is_marked ? 2 : 1), is_word);
        const auto kind = first == '#' ? token_kind::name_placeholder : token_kind::value_placeholder;
        return make(end == position + 1 ? token_kind::symbol : kind, end);
    }
    const std::string_view pair = text_.substr(position, 2);
    const bool two = pair == "<>" || pair == "<=" || pair == ">=";
    return make(token_kind::symbol, position + (two ? 2 : 1));
}

token lexer::advance() {
    previous_ = current_;
    current_ = read_from(current_.position + current_.text.size());
    constexpr std::string_view known = "()[],.=<>+-";
    if (current_.kind == token_kind::symbol && known.find(current_.text.front()) == std::string_view::npos) {
        refuse(syntax_error());
    }
    return previous_;
}

std::string lexer::syntax_error() const {
    const token next = read_from(current_.position + current_.text.size());
    const std::size_t end = next.position + next.text.size();
    const std::string_view near = text_.substr(previous_.position, end - previous_.position);
    const std::string_view name = current_.kind == token_kind::end ? "<EOF>" : current_.text;
    return "Syntax error; token: \"" + std::string(name) + "\", near: \"" + std::string(near) + "\"";
}

}  // namespace dynalease::local::expression
