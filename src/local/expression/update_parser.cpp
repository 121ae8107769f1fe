// The grammars of update expressions and projections.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/function_parser.hpp"
#include "local/expression/parser.hpp"
#include "local/expression/path_parser.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dynalease::local::expression {

namespace {

constexpr std::array<std::string_view, 4> keywords{"SET", "REMOVE", "ADD", "DELETE"};
constexpr std::size_t deepest_operand = 100;

class update_parser : path_parser {
public:
    update_parser(std::string_view text, bool is_translated)
        : path_parser(text, is_translated, {.keywords = keywords, .tells_size = false}) {}

    parsed<update> parse() {
        update tree;
        while (tokens_.current().kind != token_kind::end) {
            if (skip_keyword("SET")) {
                begin_section("SET", !tree.set.empty());
                parse_set(tree);
            } else if (skip_keyword("REMOVE")) {
                begin_section("REMOVE", !tree.remove.empty());
                parse_remove(tree);
            } else if (skip_keyword("ADD")) {
                begin_section("ADD", !tree.add.empty());
                parse_members(tree.add, tree.targets);
            } else if (skip_keyword("DELETE")) {
                begin_section("DELETE", !tree.erase.empty());
                parse_members(tree.erase, tree.targets);
            } else {
                syntax_error();
            }
        }
        return finish(std::move(tree));
    }

private:
    void begin_section(const char* name, bool again) {
        if (!again) return;
        note(semantic_fault::repeated_section,
             std::string("The \"") + name + "\" section can only be used once in an update expression;");
    }

    void parse_set(update& tree) {
        do {
            path target = parse_path();
            expect_symbol("=");
            operand value = parse_sum();
            tree.targets.push_back(target);
            tree.set.push_back({std::move(target), std::move(value)});
        } while (skip_symbol(","));
    }

    void parse_remove(update& tree) {
        tree.remove = parse_paths();
        tree.targets.insert(tree.targets.end(), tree.remove.begin(), tree.remove.end());
    }

    void parse_members(std::vector<set_member_action>& actions, projection& targets) {
        do {
            path target = parse_path();
            value_placeholder value = parse_value();
            targets.push_back(target);
            actions.push_back({std::move(target), std::move(value)});
        } while (skip_symbol(","));
    }

    operand parse_sum() {
        operand left = parse_operand();
        const bool subtract = at_symbol("-");
        if (!subtract && !at_symbol("+")) return left;
        tokens_.advance();
        count_operator();
        arithmetic sum{subtract, {}};
        sum.sides.push_back(std::move(left));
        sum.sides.push_back(parse_operand());
        return {std::move(sum)};
    }

    operand parse_operand() {
        if (tokens_.current().kind == token_kind::value_placeholder) return {parse_value()};
        if (++depth_ > deepest_operand) refuse("The expression is nested too deeply; the maximum depth is 100");
        operand result = parse_compound();
        --depth_;
        return result;
    }

    operand parse_compound() {
        if (skip_symbol("(")) {
            operand inner = parse_sum();
            expect_symbol(")");
            return inner;
        }
        const token_kind kind = tokens_.current().kind;
        if (kind != token_kind::word && kind != token_kind::name_placeholder) syntax_error();
        expect_no_keyword();
        const token first = tokens_.advance();
        if (kind == token_kind::word && skip_symbol("(")) return parse_call(first.text);
        return {parse_path_after(first)};
    }

    operand parse_call(std::string_view name) {
        const auto function = function_named(name);
        const bool is_known = function && !is_test(*function) && *function != function::size;
        if (!is_known) {
            note(semantic_fault::unknown_function,
                 (function ? "The function is not allowed in an update expression; function: "
                           : "Invalid function name; function: ") +
                     std::string(name));
        }
        count_operator();
        std::vector<operand> arguments;
        do {
            arguments.push_back(parse_operand());
        } while (skip_symbol(","));
        expect_symbol(")");
        if (!is_known) return {};
        if (*function == expression::function::list_append && std::ranges::any_of(arguments, is_list_append)) {
            note(semantic_fault::misused_function,
                 "The function is not allowed to be used this way in an expression; function: list_append");
        }
        return {call{*function, std::move(arguments)}};
    }

    static bool is_list_append(const operand& of) {
        const auto* inner = std::get_if<call>(&of.what);
        return inner && inner->function == expression::function::list_append;
    }

    std::size_t depth_ = 0;
};

class projection_parser : path_parser {
public:
    projection_parser(std::string_view text, bool is_translated) : path_parser(text, is_translated, {}) {}

    parsed<projection> parse() {
        projection paths = parse_paths();
        return finish(std::move(paths));
    }
};

}  // namespace

parsed<update> parse_update(std::string_view text, bool is_translated) {
    return update_parser(text, is_translated).parse();
}

parsed<projection> parse_projection(std::string_view text, bool is_translated) {
    return projection_parser(text, is_translated).parse();
}

}  // namespace dynalease::local::expression
