// The grammars of update expressions and projections.
#include "local/expression/function_parser.hpp"
#include "local/expression/parser.hpp"
#include "local/expression/path_parser.hpp"
#include "local/refusal.hpp"

#include <utility>

namespace dynalease::local::expression {

namespace {

constexpr std::size_t deepest_operand = 100;

class update_parser : path_parser {
public:
    explicit update_parser(std::string_view text) : path_parser(text) {}

    parsed<update> parse() {
        update tree;
        while (tokens_.current().kind != token_kind::end) {
            if (skip_keyword("SET")) {
                begin_section("SET", !tree.set.empty());
                parse_set(tree.set);
            } else if (skip_keyword("REMOVE")) {
                begin_section("REMOVE", !tree.remove.empty());
                tree.remove = parse_paths();
            } else if (skip_keyword("ADD")) {
                begin_section("ADD", !tree.add.empty());
                parse_members(tree.add);
            } else if (skip_keyword("DELETE")) {
                begin_section("DELETE", !tree.erase.empty());
                parse_members(tree.erase);
            } else {
                syntax_error();
            }
        }
        collect_targets(tree);
        return finish(std::move(tree));
    }

private:
    static void collect_targets(update& tree) {
        for (const set_action& action : tree.set) tree.targets.push_back(action.target);
        for (const path& target : tree.remove) tree.targets.push_back(target);
        for (const set_member_action& action : tree.add) tree.targets.push_back(action.target);
        for (const set_member_action& action : tree.erase) tree.targets.push_back(action.target);
    }

    static void begin_section(const char* name, bool again) {
        if (again) refuse(std::string("The \"") + name + "\" section can only be used once in an update expression;");
    }

    void parse_set(std::vector<set_action>& actions) {
        do {
            path target = parse_path();
            expect_symbol("=");
            operand value = parse_sum();
            actions.push_back({std::move(target), std::move(value)});
        } while (skip_symbol(","));
    }

    void parse_members(std::vector<set_member_action>& actions) {
        do {
            path target = parse_path();
            value_placeholder value = parse_value();
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
        const token first = tokens_.advance();
        if (kind == token_kind::word && skip_symbol("(")) return parse_call(first.text);
        return {parse_path_after(first)};
    }

    operand parse_call(std::string_view name) {
        const auto function = function_named(name);
        if (!function) refuse("Invalid function name; function: " + std::string(name));
        if (is_test(*function) || *function == function::size) {
            refuse("The function is not allowed in an update expression; function: " + std::string(name));
        }
        count_operator();
        std::vector<operand> arguments;
        do {
            arguments.push_back(parse_operand());
        } while (skip_symbol(","));
        expect_symbol(")");
        check_arguments(*function, arguments);
        return {call{*function, std::move(arguments)}};
    }

    std::size_t depth_ = 0;
};

class projection_parser : path_parser {
public:
    explicit projection_parser(std::string_view text) : path_parser(text) {}

    parsed<projection> parse() {
        projection paths = parse_paths();
        return finish(std::move(paths));
    }
};

}  // namespace

parsed<update> parse_update(std::string_view text) {
    return update_parser(text).parse();
}

parsed<projection> parse_projection(std::string_view text) {
    return projection_parser(text).parse();
}

}  // namespace dynalease::local::expression
