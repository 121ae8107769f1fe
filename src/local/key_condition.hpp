// Which stretch of a table a key condition names.
#pragma once

#include "local/expression/bindings.hpp"
#include "local/key.hpp"

#include <optional>
#include <string>

namespace dynalease::local {

/// One hash key, and the range keys between two bounds.
struct key_range {
    row_key first;  ///< the lowest key that may belong; with an empty range: all of the hash key
    bool first_excluded = false;
    std::optional<std::string> last{};  ///< the highest encoded range key; empty: no upper bound
    bool last_excluded = false;
    std::optional<std::string> prefix{};  ///< of begins_with

    /// Whether there is any condition beside that of the hash key.
    bool is_bounded() const { return first_excluded || last || prefix || !first.range.empty(); }
    bool is_above(const row_key& key) const;  ///< beyond the upper end
    bool is_below(const row_key& key) const;  ///< before the lower end
};

/// Refuses anything but `hash = value`, alone or AND one test of the range key.
key_range range_of(const expression::condition& tree, const expression::bindings& bound, const key_schema& schema);

}  // namespace dynalease::local
