// What all three grammars share: the token stream, document paths, and the placeholders met on the way.
#pragma once

#include "local/expression/lexer.hpp"
#include "local/expression/tree.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::local::expression {

class path_parser {
public:
    /// Refuses a text that is empty or beyond 4 KB.
    explicit path_parser(std::string_view text);

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

    /// Counts an operator or function towards the 300 that one expression may have.
    void count_operator();

    template <class Tree>
    parsed<Tree> finish(Tree tree) {
        expect_end();
        sort_placeholders();
        return {std::move(tree), std::move(names_), std::move(values_)};
    }

    lexer tokens_;

private:
    step parse_step(const token& from);
    step parse_index();
    void sort_placeholders();

    std::size_t operators_ = 0;
    std::vector<std::string> names_;
    std::vector<std::string> values_;
};

}  // namespace dynalease::local::expression
