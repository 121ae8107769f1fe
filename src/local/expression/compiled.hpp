// The expressions of one request, parsed, checked and bound to its placeholders.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/bindings.hpp"
#include "local/expression/cache.hpp"
#include "local/values/refusal.hpp"

#include <string>
#include <string_view>

namespace dynalease::local::expression {

/// Gather with `condition`, `update` and `projection`; then `finish` refuses placeholders that none of them used.
/// An empty text is an expression that was not given.
class compiler {
public:
    compiler(caches& known, allowance& allowed, const attribute_names& names, const attribute_values& values);

    /// @param parameter its name in the API: "ConditionExpression", "FilterExpression", "KeyConditionExpression".
    cache<expression::condition>::shared condition(std::string_view text, const char* parameter);
    cache<expression::update>::shared update(std::string_view text);
    cache<expression::projection>::shared projection(std::string_view text);
    void finish() const { usage_.finish(); }

    const bindings& bound() const noexcept { return bound_; }

private:
    template <class Tree>
    typename cache<Tree>::shared compile(cache<Tree>& known, std::string_view text, const char* parameter);

    caches& known_;
    bindings bound_;
    usage usage_;
};

}  // namespace dynalease::local::expression
