// Parsing, checking and naming the faults of the expressions of one request.
// SPDX-License-Identifier: BSL-1.0
#include "local/expression/compiled.hpp"

#include "dynamodb/value_size.hpp"
#include "local/codec/translated_placeholder.hpp"
#include "local/expression/condition.hpp"
#include "local/expression/projection.hpp"
#include "local/expression/update.hpp"
#include "local/values/item_check.hpp"
#include "local/values/refusal.hpp"

namespace dynalease::local::expression {

namespace {

/// What a request may put in the place of all placeholders together.
constexpr std::size_t most_substituted = 2 * 1024 * 1024;

std::size_t check_names(const attribute_names& names) {
    std::size_t bytes = 0;
    for (const auto& [placeholder, name] : names) {
        if (name.empty()) {
            refuse("ExpressionAttributeNames contains invalid value: Empty attribute name for key " + placeholder);
        }
        check_name(name);
        bytes += placeholder.size() + name.size();
    }
    return bytes;
}

/// The values of older parameters are none of these.
std::size_t check_sizes(const attribute_values& values) {
    std::size_t bytes = 0;
    for (const auto& [placeholder, value] : values) {
        if (codec::is_translated(placeholder)) continue;
        bytes += placeholder.size() + value_size(value);
    }
    if (bytes > most_substituted) refuse("ExpressionAttributeValues exceeds max size");
    return bytes;
}

}  // namespace

compiler::compiler(caches& known, allowance& allowed, const attribute_names& names, const attribute_values& values)
    : known_(known), bound_(names, values, allowed), usage_(names, values) {
    if (check_names(names) + check_sizes(values) > most_substituted) {
        refuse("Combined size of ExpressionAttributeNames and ExpressionAttributeValues exceeds max size");
    }
}

template <class Tree>
typename cache<Tree>::shared compiler::compile(cache<Tree>& known, std::string_view text, const char* parameter) {
    if (text.empty()) return nullptr;
    try {
        auto tree = known.get(text, bound_.is_translated(parameter));
        usage_.add(*tree);
        check(tree->tree, bound_);
        return tree;
    } catch (refusal& fault) {
        auto& message = fault.why.details.message;
        message = std::string("Invalid ") + parameter + ": " + message;
        throw;
    }
}

cache<condition>::shared compiler::condition(std::string_view text, const char* parameter) {
    return compile(known_.conditions, text, parameter);
}

cache<update>::shared compiler::update(std::string_view text) {
    return compile(known_.updates, text, "UpdateExpression");
}

cache<projection>::shared compiler::projection(std::string_view text) {
    return compile(known_.projections, text, "ProjectionExpression");
}

}  // namespace dynalease::local::expression
