// Rendering of expressions into the texts and placeholders of a request.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynamodb/expression.hpp>
#include <dynalease/error.hpp>

namespace dynalease {

namespace {

/// Whether one pair of parentheses holds the whole text: another pair around it would be refused as redundant.
/// Expressions have no string literals, so that every parenthesis counts.
bool is_enclosed(std::string_view text) noexcept {
    if (!text.starts_with('(') || !text.ends_with(')')) return false;
    int open = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] == '(') ++open;
        if (text[i] == ')') --open;
        if (open == 0) return false;
    }
    return true;
}

std::string enclosed(std::string text) {
    return is_enclosed(text) ? text : "(" + std::move(text) + ")";
}

}  // namespace

expression_names::expression_names(attribute_names& names, attribute_values& values) : names_(names), values_(values) {
    for (const auto& [placeholder, name] : names_) known_.emplace(name, placeholder);
}

std::string_view expression_names::name_placeholder(std::string_view name) {
    if (const auto found = known_.find(name); found != known_.end()) return found->second;
    while (true) {
        const auto [entry, is_new] = names_.try_emplace("#" + std::to_string(next_name_++), name);
        if (!is_new) continue;
        known_.emplace(entry->second, entry->first);
        return entry->first;
    }
}

std::string_view expression_names::value_placeholder(const attribute_value& value) {
    while (true) {
        const auto [entry, is_new] = values_.try_emplace(":" + std::to_string(next_value_++), value);
        if (is_new) return entry->first;
    }
}

std::string expression_names::render(const detail::fragments& parts) {
    std::string out;
    for (const auto& part : parts) {
        if (const auto* text = std::get_if<std::string>(&part)) out += *text;
        if (const auto* name = std::get_if<detail::name_fragment>(&part)) out += name_placeholder(name->name);
        if (const auto* value = std::get_if<attribute_value>(&part)) out += value_placeholder(*value);
    }
    return out;
}

std::string expression_names::render(const update_expression& update) {
    using enum update_expression::clause;
    std::string out;
    const auto append = [&](std::string_view keyword, update_expression::clause clause) {
        bool first = true;
        for (const auto& action : update.actions(clause)) {
            if (first && !out.empty()) out += ' ';
            out += first ? keyword : ", ";
            first = false;
            out += render(action);
        }
    };
    append("SET ", set);
    append("REMOVE ", remove);
    append("ADD ", add);
    append("DELETE ", delete_from);
    return out;
}

namespace detail {

void add_condition(std::string& text, attribute_names& names, attribute_values& values,
                   const condition_expression& condition) {
    if (condition.empty()) return;
    auto rendered = expression_names(names, values).render(condition);
    text = text.empty() ? std::move(rendered) : enclosed(std::move(text)) + " AND " + enclosed(std::move(rendered));
}

void add_update(std::string& text, attribute_names& names, attribute_values& values, const update_expression& update) {
    if (update.empty()) return;
    if (!text.empty()) {
        diagnostics details;
        details.message = "the request has an update already; combine the two with + before they are applied";
        throw error(make_error_code(errc::invalid_option), std::move(details));
    }
    text = expression_names(names, values).render(update);
}

void add_projection(std::string& text, attribute_names& names, std::span<const path> attributes) {
    attribute_values none;  // a path holds no value
    expression_names placeholders(names, none);
    for (const auto& attribute : attributes) {
        if (!text.empty()) text += ", ";
        text += placeholders.render(attribute.parts());
    }
}

}  // namespace detail

}  // namespace dynalease
