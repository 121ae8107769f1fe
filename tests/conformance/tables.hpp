// Random tables with their indexes, and items for them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/dice.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <string>

namespace dynalease::conformance {

create_table_request random_table(dice& chance, std::string name);

/// An index of the table, or now and then none that there is; null: the table itself.
const secondary_index* random_index(dice& chance, const create_table_request& table);

/// Often in an index, and there beside another item: what chance alone gives an item is seldom a whole key of several
/// attributes, and seldom one that another item begins with.
/// @param like another item of the table, or an empty one
item random_item(dice& chance, const create_table_request& table, const item& like);

/// The value of a key's attribute, mostly that of the other item.
attribute_value random_key_value(dice& chance, const key_attribute& of, const item& like);

/// Adds the attributes of a key that are not there yet, each by this chance.
void fill_key(dice& chance, item& out, const key_schema& key, const item& like, unsigned percent);

}  // namespace dynalease::conformance
