// What all three grammars share: the token stream, document paths, and the placeholders met on the way.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/lexer.hpp"
#include "local/expression/tree.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::local::expression {

/// What is told only of an expression that is no syntax error, and only the first of them in this order.
enum class semantic_fault {
    redundant_parentheses,
    early_reserved_word,
    unknown_function,
    misused_function,
    late_reserved_word,
    repeated_section,
};

/// The words that each grammar keeps for itself, and how it tells of its faults.
struct vocabulary {
    std::span<const std::string_view> keywords;
    semantic_fault reserved_word = semantic_fault::early_reserved_word;
    bool tells_size = true;  ///< of an expression that is too long
};

inline constexpr std::size_t longest_expression = 4096;

class path_parser {
public:
    /// Refuses a text that is empty or beyond 4 KB.
    path_parser(std::string_view text, bool is_translated, vocabulary words);

protected:
    bool at_symbol(std::string_view symbol) const noexcept;
    /// In any letter case, as AWS takes its keywords.
    bool at_keyword(std::string_view upper_case) const noexcept;
    bool skip_symbol(std::string_view symbol);
    bool skip_keyword(std::string_view upper_case);
    void expect_symbol(std::string_view symbol);
    void expect_end() const;
    [[noreturn]] void syntax_error() const;

    /// A path, beginning at the current token.
    path parse_path();
    /// The rest of a path whose first word was read already.
    path parse_path_after(const token& first);
    value_placeholder parse_value();
    std::vector<path> parse_paths();

    /// A word that is a keyword stands for nothing else.
    void expect_no_keyword() const;

    void note(semantic_fault kind, std::string what);

    /// Counts an operator or function towards the 300 that one expression may have.
    void count_operator();

    /// Whether an older parameter says this, for which the limits of expressions do not hold.
    bool is_translated() const noexcept { return is_translated_; }

    template <class Tree>
    parsed<Tree> finish(Tree tree) {
        expect_end();
        refuse_noted();
        sort_placeholders();
        return {std::move(tree), std::move(names_), std::move(values_)};
    }

    lexer tokens_;

private:
    step parse_step(const token& from);
    step parse_index();
    void sort_placeholders();
    void refuse_noted() const;

    vocabulary words_;
    bool is_translated_;
    std::map<semantic_fault, std::string> noted_;
    std::size_t operators_ = 0;
    std::vector<std::string> names_;
    std::vector<std::string> values_;
};

}  // namespace dynalease::local::expression
