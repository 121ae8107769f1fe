// Puts conditions and updates into requests. Every name and value travels as a placeholder, so that reserved words and
// odd characters are never a problem.
//
//     apply(request, set("state", "CHARGED"));
//     apply(request, attr("state") == "NEW");
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/condition_expression.hpp>
#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/dynamodb/path.hpp>
#include <dynalease/dynamodb/update_expression.hpp>

#include <concepts>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace dynalease {

/// Hands out the placeholders of one request: "#0", "#1", … one for each name, and ":0", ":1", … one for each value.
/// What the request holds already stays; a name that already has a placeholder gets no second one.
class expression_names {
public:
    /// Both must outlive this object and be changed by nobody else meanwhile.
    expression_names(attribute_names& names, attribute_values& values);

    std::string render(const detail::fragments& parts);
    std::string render(const condition_expression& condition) { return render(condition.parts()); }
    std::string render(const update_expression& update);

private:
    std::string_view name_placeholder(std::string_view name);
    std::string_view value_placeholder(const attribute_value& value);

    attribute_names& names_;
    attribute_values& values_;
    std::map<std::string_view, std::string_view> known_;  ///< from the name to its placeholder, both in names_
    std::size_t next_name_ = 0;
    std::size_t next_value_ = 0;
};

namespace detail {

/// Demands the condition beside the text that is there.
void add_condition(std::string& text, attribute_names& names, attribute_values& values,
                   const condition_expression& condition);
void add_update(std::string& text, attribute_names& names, attribute_values& values, const update_expression& update);
void add_projection(std::string& text, attribute_names& names, std::span<const path> attributes);

}  // namespace detail

/// Demands a condition of a put, update, delete or check, beside those it has already.
template <class Request>
    requires requires(Request& request) {
        request.condition_expression;
        request.values;
    }
void apply(Request& request, const condition_expression& condition) {
    detail::add_condition(request.condition_expression, request.names, request.values, condition);
}

/// Sets what an update changes. Combine several with `+` first.
/// @throws dynalease::error with `errc::invalid_option` if the request has an update already.
template <class Request>
    requires requires(Request& request) {
        request.update_expression;
        request.values;
    }
void apply(Request& request, const update_expression& update) {
    detail::add_update(request.update_expression, request.names, request.values, update);
}

/// Says which items a query is about: the hash key `==` a value, and no more than one of `==`, `<`, `<=`, `>`, `>=`,
/// `between` or `begins_with` on the range key, joined by `&&`.
inline void apply_key(query_request& request, const condition_expression& key) {
    detail::add_condition(request.key_condition_expression, request.names, request.values, key);
}

/// Returns only those items of a query or scan that meet the condition. Those left out are read, and paid, as well.
template <class Request>
    requires requires(Request& request) {
        request.filter_expression;
        request.values;
    }
void apply_filter(Request& request, const condition_expression& filter) {
    detail::add_condition(request.filter_expression, request.names, request.values, filter);
}

/// Returns only these attributes, beside those asked for already.
template <class Request>
    requires requires(Request& request) {
        request.projection_expression;
        request.names;
    }
void apply_projection(Request& request, std::span<const path> attributes) {
    detail::add_projection(request.projection_expression, request.names, attributes);
}
template <class Request>
    requires requires(Request& request) { request.projection_expression; }
void apply_projection(Request& request, std::initializer_list<path> attributes) {
    apply_projection(request, std::span<const path>(attributes.begin(), attributes.size()));
}

}  // namespace dynalease
#pragma GCC visibility pop
