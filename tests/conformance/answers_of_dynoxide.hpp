// What is listed of dynoxide's answers; the reasons stand in its list.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "conformance/answer.hpp"

namespace dynalease::conformance {

bool resumed_at_a_hash_key(const difference& found);
bool projected_in_a_transaction(const difference& found);
bool fetched_beside_an_index(const difference& found);
bool resumed_within_a_key(const difference& found);
bool old_key_of_a_new_item(const difference& found);
bool number_left_in_a_set(const difference& found);
bool counted_nothing(const difference& found);
bool index_in_a_transaction(const difference& found);

}  // namespace dynalease::conformance
