// Which stretch of a table a key condition names.
#pragma once

#include "local/expression/bindings.hpp"
#include "local/key.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// One test of a key condition as `name comparator values`, with the name on the left.
struct key_test {
    std::string_view name;
    expression::condition::kind what = expression::condition::kind::comparison;
    expression::comparator how = expression::comparator::equal;
    std::vector<const attribute_value*> values{};
    bool is_indexable = true;  ///< only an older parameter may ask for what no order of keys can answer
};

/// The tests that are joined by AND. Refuses what could be a condition of no key.
std::vector<key_test> key_tests_of(const expression::condition& tree, const expression::bindings& bound);

/// Refuses anything but `hash = value`, alone or with one test of the range key; and on the way a start whose parts
/// do not fit the schema.
/// @param start empty: from the beginning.
key_range range_of(const std::vector<key_test>& tests, const key_schema& schema, const item_key& start);

}  // namespace dynalease::local
