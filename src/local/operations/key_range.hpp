// Which stretch of a table or an index a key condition names.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/operations/key_condition.hpp"
#include "local/storage/key.hpp"

#include <vector>

namespace dynalease::local {

/// Keys of one hash key, from one on and before another.
struct key_range {
    row_key from;
    row_key to;
    bool is_bounded = false;  ///< there is a condition beside those of the hash key

    bool contains(const row_key& key) const { return from <= key && key < to; }
};

/// Refuses anything but `=` for each hash attribute, alone or with tests of the range attributes from the first one on,
/// of which only the last may be another than `=`; and on the way a start whose parts do not fit the schema.
/// @param start empty: from the beginning.
key_range range_of(const std::vector<key_test>& tests, const key_schema& schema, const item_key& start);

}  // namespace dynalease::local
