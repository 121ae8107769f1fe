// What a key condition says of the attributes of a key.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "local/expression/bindings.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace dynalease::local {

/// One test of a key condition as `name comparator values`, with the name on the left.
struct key_test {
    std::string_view name;
    expression::condition::kind what = expression::condition::kind::comparison;
    expression::comparator how = expression::comparator::equal;
    std::vector<const attribute_value*> values{};
    bool is_indexable = true;  ///< only an older parameter may ask for what no order of keys can answer
};

/// Null when there is none of the name.
const key_test* find(const std::vector<key_test>& tests, std::string_view name);

/// The tests that are joined by AND. Refuses what could be a condition of no key.
std::vector<key_test> key_tests_of(const expression::condition& tree, const expression::bindings& bound);
/// Refuses more tests than a key has attributes. Two of one attribute are let through: they have words of their own.
void check_test_count(const std::vector<key_test>& tests, std::size_t attributes);

}  // namespace dynalease::local
