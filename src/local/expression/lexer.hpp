// From the text of an expression to its tokens.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynalease::local::expression {

enum class token_kind { end, word, name_placeholder, value_placeholder, number, symbol };

struct token {
    token_kind kind = token_kind::end;
    std::string_view text{};
    std::size_t position = 0;
};

class lexer {
public:
    /// @param text must outlive the lexer and its tokens.
    /// @param is_translated whether it says an older parameter, whose placeholders have a mark of their own.
    explicit lexer(std::string_view text, bool is_translated = false) : text_(text), is_translated_(is_translated) {
        advance();
    }

    const token& current() const noexcept { return current_; }

    /// Moves on and returns the token that was current. Refuses a character that belongs to no expression.
    token advance();

    /// DynamoDB's words for a syntax error at the current token: it, and the text around it.
    std::string syntax_error() const;

private:
    token read_from(std::size_t position) const;

    std::string_view text_;
    bool is_translated_;
    token previous_{};
    token current_{};
};

}  // namespace dynalease::local::expression
