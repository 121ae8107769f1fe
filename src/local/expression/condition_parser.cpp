// The grammar of conditions, filters and key conditions: OR below AND below NOT below comparisons.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/function_parser.hpp"
#include "local/expression/parser.hpp"
#include "local/expression/path_parser.hpp"
#include "local/values/refusal.hpp"

#include <array>
#include <optional>
#include <utility>

namespace dynalease::local::expression {

namespace {

/// Parentheses and NOTs within each other. What AWS takes within 4 KB stays far below it; our stack does too.
constexpr std::size_t deepest_condition = 300;

constexpr std::array<std::string_view, 5> keywords{"AND", "OR", "NOT", "BETWEEN", "IN"};

/// What stands in parentheses may be a condition or an operand: which, is only known after it was read.
struct term {
    std::variant<condition, operand> what;
    bool parenthesised = false;
};

class condition_parser : path_parser {
public:
    condition_parser(std::string_view text, bool is_translated)
        : path_parser(text, is_translated, {keywords, semantic_fault::late_reserved_word}) {}

    parsed<condition> parse() {
        condition whole = as_condition(parse_disjunction());
        return finish(std::move(whole));
    }

private:
    condition as_condition(term value) {
        if (auto* found = std::get_if<condition>(&value.what)) return std::move(*found);
        const auto* function = std::get_if<call>(&std::get<operand>(value.what).what);
        if (!function) syntax_error();
        note_misused(function->function);
        return {};
    }

    operand as_operand(term value) {
        if (auto* found = std::get_if<operand>(&value.what)) return std::move(*found);
        const auto& test = std::get<condition>(value.what);
        if (test.what != condition::kind::test) syntax_error();
        note_misused(test.function);
        return {};
    }

    void note_misused(function which) {
        note(semantic_fault::misused_function,
             "The function is not allowed to be used this way in an expression; function: " +
                 std::string(name_of(which)));
    }

    term parse_disjunction() {
        return parse_chain("OR", condition::kind::disjunction, [this] {
            return parse_chain("AND", condition::kind::conjunction, [this] { return parse_negation(); });
        });
    }

    template <class Next>
    term parse_chain(std::string_view keyword, condition::kind kind, Next next) {
        term first = next();
        if (!at_keyword(keyword)) return first;
        condition chain{kind};
        chain.children.push_back(as_condition(std::move(first)));
        while (skip_keyword(keyword)) {
            count_operator();
            chain.children.push_back(as_condition(next()));
        }
        return {std::move(chain)};
    }

    term parse_negation() {
        if (!at_keyword("NOT")) return parse_comparison();
        tokens_.advance();
        count_operator();
        enter();
        condition negation{condition::kind::negation};
        negation.children.push_back(as_condition(parse_negation()));
        --depth_;
        return {std::move(negation)};
    }

    term parse_comparison() {
        term left = parse_primary();
        if (const auto comparator = comparator_here()) {
            tokens_.advance();
            condition result{condition::kind::comparison, *comparator};
            return finish_comparison(std::move(result), std::move(left), [this](condition& whole) {
                whole.operands.push_back(as_operand(parse_primary()));
            });
        }
        if (skip_keyword("BETWEEN")) {
            condition result{condition::kind::between};
            return finish_comparison(std::move(result), std::move(left), [this](condition& whole) {
                whole.operands.push_back(as_operand(parse_primary()));
                if (!skip_keyword("AND")) syntax_error();
                whole.operands.push_back(as_operand(parse_primary()));
            });
        }
        if (skip_keyword("IN")) {
            condition result{condition::kind::membership};
            return finish_comparison(std::move(result), std::move(left), [this](condition& whole) {
                expect_symbol("(");
                parse_operands(whole.operands);
            });
        }
        return left;
    }

    template <class Rest>
    term finish_comparison(condition result, term left, Rest rest) {
        count_operator();
        result.operands.push_back(as_operand(std::move(left)));
        rest(result);
        constexpr std::size_t most_in = 100;
        if (result.operands.size() > most_in + 1 && !is_translated()) {
            refuse("The IN operator is provided with too many operands; number of operands: " +
                   std::to_string(result.operands.size() - 1));
        }
        return {std::move(result)};
    }

    std::optional<comparator> comparator_here() const {
        if (tokens_.current().kind != token_kind::symbol) return std::nullopt;
        for (int i = 0; i <= static_cast<int>(comparator::greater_or_equal); ++i) {
            const auto candidate = static_cast<comparator>(i);
            if (tokens_.current().text == name_of(candidate)) return candidate;
        }
        return std::nullopt;
    }

    term parse_primary() {
        if (skip_symbol("(")) return parse_parentheses();
        if (tokens_.current().kind == token_kind::value_placeholder) return {operand{parse_value()}};
        const token_kind kind = tokens_.current().kind;
        if (kind != token_kind::word && kind != token_kind::name_placeholder) syntax_error();
        expect_no_keyword();
        const token first = tokens_.advance();
        if (kind == token_kind::word && skip_symbol("(")) return parse_call(first.text);
        return {operand{parse_path_after(first)}};
    }

    term parse_parentheses() {
        enter();
        term inner = parse_disjunction();
        --depth_;
        expect_symbol(")");
        if (inner.parenthesised) {
            note(semantic_fault::redundant_parentheses, "The expression has redundant parentheses;");
        }
        inner.parenthesised = true;
        return inner;
    }

    term parse_call(std::string_view name) {
        const auto function = function_named(name);
        const bool is_known = function && (is_test(*function) || *function == function::size);
        if (!is_known) {
            note(semantic_fault::unknown_function,
                 (function ? "The function is not allowed in a condition expression; function: "
                           : "Invalid function name; function: ") +
                     std::string(name));
        }
        count_operator();
        enter();
        std::vector<operand> arguments;
        parse_operands(arguments);
        --depth_;
        if (!is_known) return {condition{}};
        if (!is_test(*function)) return {operand{call{*function, std::move(arguments)}}};
        condition test{condition::kind::test};
        test.function = *function;
        test.operands = std::move(arguments);
        return {std::move(test)};
    }

    /// Up to and with the closing parenthesis.
    void parse_operands(std::vector<operand>& operands) {
        do {
            operands.push_back(as_operand(parse_primary()));
        } while (skip_symbol(","));
        expect_symbol(")");
    }

    void enter() {
        if (++depth_ > deepest_condition) refuse("The expression is nested too deeply; the maximum depth is 300");
    }

    std::size_t depth_ = 0;
};

}  // namespace

parsed<condition> parse_condition(std::string_view text, bool is_translated) {
    return condition_parser(text, is_translated).parse();
}

}  // namespace dynalease::local::expression
