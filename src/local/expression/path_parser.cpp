// Document paths and placeholders.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/path_parser.hpp"

#include "local/expression/reserved_words.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dynalease::local::expression {

namespace {

constexpr std::size_t longest_placeholder = 255;
constexpr std::size_t most_operators = 300;
constexpr std::size_t deepest_path = 32;

char in_upper_case(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

void remember(std::vector<std::string>& seen, std::string_view placeholder) {
    if (placeholder.size() > longest_placeholder) {
        refuse("The substitution expression is too long; the size limit is 255 bytes");
    }
    seen.emplace_back(placeholder);
}

}  // namespace

path_parser::path_parser(std::string_view text, bool is_translated, vocabulary words)
    : tokens_(text, is_translated), words_(words), is_translated_(is_translated) {
    if (text.size() > longest_expression && !is_translated_) {
        refuse("Expression size has exceeded the maximum allowed size;" +
               (words.tells_size ? " expression size: " + std::to_string(text.size()) : std::string()));
    }
    if (tokens_.current().kind == token_kind::end) refuse("The expression can not be empty;");
}

bool path_parser::at_symbol(std::string_view symbol) const noexcept {
    return tokens_.current().kind == token_kind::symbol && tokens_.current().text == symbol;
}

bool path_parser::at_keyword(std::string_view upper_case) const noexcept {
    const token& current = tokens_.current();
    return current.kind == token_kind::word && current.text.size() == upper_case.size() &&
           std::equal(current.text.begin(), current.text.end(), upper_case.begin(),
                      [](char mine, char wanted) { return in_upper_case(mine) == wanted; });
}

bool path_parser::skip_symbol(std::string_view symbol) {
    if (!at_symbol(symbol)) return false;
    tokens_.advance();
    return true;
}

bool path_parser::skip_keyword(std::string_view upper_case) {
    if (!at_keyword(upper_case)) return false;
    tokens_.advance();
    return true;
}

void path_parser::expect_symbol(std::string_view symbol) {
    if (!skip_symbol(symbol)) syntax_error();
}

void path_parser::expect_end() const {
    if (tokens_.current().kind != token_kind::end) syntax_error();
}

void path_parser::syntax_error() const {
    refuse(tokens_.syntax_error());
}

step path_parser::parse_step(const token& from) {
    if (from.kind == token_kind::name_placeholder) {
        remember(names_, from.text);
        return {step::kind::placeholder, std::string(from.text)};
    }
    if (is_reserved(from.text)) {
        note(words_.reserved_word, "Attribute name is a reserved keyword; reserved keyword: " + std::string(from.text));
    }
    return {step::kind::name, std::string(from.text)};
}

step path_parser::parse_index() {
    if (tokens_.current().kind != token_kind::number) syntax_error();
    const std::string_view digits = tokens_.advance().text;
    step result{step::kind::index};
    std::uint32_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
        refuse("List index is not within the allowable range; index: [" + std::string(digits) + "]");
    }
    result.index = index;
    expect_symbol("]");
    return result;
}

path path_parser::parse_path_after(const token& first) {
    path result;
    result.push_back(parse_step(first));
    for (;;) {
        if (skip_symbol("[")) {
            result.push_back(parse_index());
        } else if (at_symbol(".")) {
            tokens_.advance();
            const token_kind kind = tokens_.current().kind;
            if (kind != token_kind::word && kind != token_kind::name_placeholder) syntax_error();
            expect_no_keyword();
            result.push_back(parse_step(tokens_.advance()));
        } else {
            break;
        }
    }
    if (result.size() > deepest_path) {
        refuse("The document path has too many nesting levels; nesting levels: " + std::to_string(result.size()));
    }
    return result;
}

path path_parser::parse_path() {
    const token_kind kind = tokens_.current().kind;
    if (kind != token_kind::word && kind != token_kind::name_placeholder) syntax_error();
    expect_no_keyword();
    const token first = tokens_.advance();
    return parse_path_after(first);
}

value_placeholder path_parser::parse_value() {
    if (tokens_.current().kind != token_kind::value_placeholder) syntax_error();
    const std::string_view name = tokens_.advance().text;
    remember(values_, name);
    return {std::string(name)};
}

std::vector<path> path_parser::parse_paths() {
    std::vector<path> result;
    do {
        result.push_back(parse_path());
    } while (skip_symbol(","));
    return result;
}

void path_parser::expect_no_keyword() const {
    if (std::ranges::any_of(words_.keywords, [this](std::string_view each) { return at_keyword(each); }))
        syntax_error();
}

void path_parser::note(semantic_fault kind, std::string what) {
    noted_.try_emplace(kind, std::move(what));
}

void path_parser::refuse_noted() const {
    if (!noted_.empty()) refuse(noted_.begin()->second);
}

void path_parser::count_operator() {
    if (++operators_ > most_operators && !is_translated_) {
        refuse("The expression contains too many operators and functions; the maximum is 300");
    }
}

void path_parser::sort_placeholders() {
    for (auto* seen : {&names_, &values_}) {
        std::ranges::sort(*seen);
        seen->erase(std::ranges::unique(*seen).begin(), seen->end());
    }
}

}  // namespace dynalease::local::expression
