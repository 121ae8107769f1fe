// Parsing, checking and naming the faults of the expressions of one request.
#include "local/expression/compiled.hpp"

#include "local/expression/condition.hpp"
#include "local/expression/projection.hpp"
#include "local/expression/update.hpp"
#include "local/item_check.hpp"
#include "local/refusal.hpp"

namespace dynalease::local::expression {

compiler::compiler(caches& known, const attribute_names& names, const attribute_values& values)
    : known_(known), bound_(names, values), usage_(names, values) {
    for (const auto& [placeholder, name] : names) {
        if (name.empty()) {
            refuse("ExpressionAttributeNames contains invalid value: Empty attribute name for key " + placeholder);
        }
        check_name(name);
    }
}

template <class Tree>
typename cache<Tree>::shared compiler::compile(cache<Tree>& known, std::string_view text, const char* parameter) {
    if (text.empty()) return nullptr;
    try {
        auto tree = known.get(text);
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
