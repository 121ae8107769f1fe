// From the tests of a key condition to a range of keys.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/key_range.hpp"

#include "dynamodb/key_parts.hpp"
#include "local/values/refusal.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace dynalease::local {

using expression::comparator;
using expression::condition;

namespace {

using key_attributes = std::vector<const key_attribute*>;

[[noreturn]] void refuse_unsupported() {
    refuse("Query key condition not supported");
}

[[noreturn]] void refuse_missed(const key_attribute& attribute) {
    refuse("Query condition missed key schema element: " + attribute.name);
}

void check_start_parts(const key_attributes& of, const item_key& start, bool is_hash) {
    if (start.empty()) return;
    for (const key_attribute* each : of) check_start_part(*each, start, is_hash);
}

void check_test(const key_test& of, const key_attribute& attribute) {
    if (!of.is_indexable) refuse("Attempted conditional constraint is not an indexable operation");
    for (const auto* value : of.values) {
        if (!has_type(*value, attribute.type)) {
            refuse("One or more parameter values were invalid: Condition parameter type does not match schema type");
        }
        check_not_empty(attribute, *value);
    }
}

bool is_equality(const key_test* test) {
    return test && test->what == condition::kind::comparison && test->how == comparator::equal;
}

/// Those that no test says `=` of.
key_attributes without_equality(std::span<const key_attribute* const> of, const std::vector<key_test>& tests) {
    key_attributes result;
    std::ranges::copy_if(of, std::back_inserter(result),
                         [&](const key_attribute* each) { return !is_equality(find(tests, each->name)); });
    return result;
}

[[noreturn]] void refuse_without_equality(std::string role, const key_attributes& lacking,
                                          const std::string& because = {}) {
    std::string names;
    for (const key_attribute* each : lacking) names += (names.empty() ? "" : ", ") + each->name;
    refuse(std::move(role) + " key attributes " + names + " must have equality conditions specified in the query" +
           because);
}

/// There must be no test of an attribute outside the key.
void check_no_stray(const std::vector<key_test>& tests, const key_attributes& hash, const key_attributes& range) {
    const auto untested = [&](const key_attribute* each) { return !find(tests, each->name); };
    const auto tested_count = range.size() - static_cast<std::size_t>(std::ranges::count_if(range, untested));
    if (hash.size() + tested_count < tests.size()) refuse_missed(**std::ranges::find_if(range, untested));
}

/// Where a key has one hash attribute and no more than one range attribute, the service has older words.
const key_test& hash_test(const std::vector<key_test>& tests, const key_attribute& hash) {
    const key_test* test = find(tests, hash.name);
    if (!test) refuse_missed(hash);
    check_test(*test, hash);
    if (!is_equality(test)) refuse_unsupported();
    return *test;
}

/// A key of several hash or range attributes: `=` of each hash attribute, and of each range attribute before the last
/// that is tested. Judged before any value.
void check_equalities(const std::vector<key_test>& tests, const key_attributes& hash, const key_attributes& range) {
    const key_attributes lacking_hash = without_equality(hash, tests);
    if (!lacking_hash.empty()) refuse_without_equality("HASH", lacking_hash);
    check_no_stray(tests, hash, range);
    const auto is_tested = [&](const key_attribute* each) { return find(tests, each->name) != nullptr; };
    const auto behind_last = std::find_if(range.rbegin(), range.rend(), is_tested).base();
    if (behind_last == range.begin()) return;
    const auto last = std::prev(behind_last);
    const key_attributes lacking = without_equality({range.begin(), last}, tests);
    if (lacking.empty()) return;
    refuse_without_equality("RANGE", lacking, " because a condition is present on key attribute " + (*last)->name);
}

/// The bytes of the hash key.
std::string hash_of(const std::vector<key_test>& tests, const key_attributes& hash) {
    if (hash.size() == 1) return encode_key_value(*hash_test(tests, *hash.front()).values.front());
    std::string encoded;
    for (const key_attribute* each : hash) {
        const key_test& test = *find(tests, each->name);
        check_test(test, *each);
        append_key_value(encoded, *test.values.front());
    }
    return encoded;
}

/// The tests of the range attributes in the order of the key.
std::vector<const key_test*> range_tests(const std::vector<key_test>& tests, const key_attributes& range) {
    std::vector<const key_test*> result;
    for (const key_attribute* each : range) {
        const key_test* test = find(tests, each->name);
        if (!test) continue;
        check_test(*test, *each);
        if (test->what == condition::kind::test && each->type == scalar_type::n) refuse_unsupported();
        result.push_back(test);
    }
    return result;
}

/// The lowest text behind all that begin with this one; nothing when there is none.
std::optional<std::string> behind_prefix(std::string prefix) {
    constexpr char highest = static_cast<char>(0xff);
    while (!prefix.empty() && prefix.back() == highest) prefix.pop_back();
    if (prefix.empty()) return std::nullopt;
    prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
    return prefix;
}

/// Texts from one on and before another; without the other up to the end of the hash key.
struct bounds {
    std::string from;
    std::optional<std::string> to;
};

/// Where values of a range attribute lie in the bytes of range keys.
class range_places {
public:
    /// @param settled the bytes of the attributes before this one.
    range_places(std::string settled, bool is_one_of_several)
        : settled_(std::move(settled)), is_one_of_several_(is_one_of_several) {}

    bounds of(const key_test& test) const {
        const attribute_value& value = *test.values.front();
        if (test.what == condition::kind::between) return {at(value), behind(*test.values.back())};
        if (test.what == condition::kind::test) return {beginning(value), behind_prefix(beginning(value))};
        switch (test.how) {
            case comparator::less:
                return {settled_, at(value)};
            case comparator::less_or_equal:
                return {settled_, behind(value)};
            case comparator::greater:
                return {behind(value), behind_prefix(settled_)};
            case comparator::greater_or_equal:
                return {at(value), behind_prefix(settled_)};
            default:
                return {at(value), behind(value)};
        }
    }

private:
    /// The lowest with this value.
    std::string at(const attribute_value& value) const {
        if (!is_one_of_several_) return encode_key_value(value);
        std::string key = settled_;
        append_key_value(key, value);
        return key;
    }
    std::string behind(const attribute_value& value) const {
        std::string key = at(value);
        if (is_one_of_several_) return *behind_prefix(std::move(key));
        key.push_back('\0');
        return key;
    }
    std::string beginning(const attribute_value& value) const {
        if (!is_one_of_several_) return encode_key_value(value);
        std::string key = settled_;
        append_key_prefix(key, value);
        return key;
    }

    std::string settled_;
    bool is_one_of_several_;
};

}  // namespace

key_range range_of(const std::vector<key_test>& tests, const key_schema& schema, const item_key& start) {
    key_attributes hash;
    key_attributes range;
    each_hash(schema, [&](const key_attribute& each) { hash.push_back(&each); });
    each_range(schema, [&](const key_attribute& each) { range.push_back(&each); });
    check_start_parts(hash, start, true);
    check_test_count(tests, hash.size() + range.size());
    if (range.empty() && tests.size() > hash.size()) refuse_unsupported();
    key_range result;
    const bool is_simple = hash.size() == 1 && range.size() <= 1;
    if (!is_simple) check_equalities(tests, hash, range);
    result.from = hash_key(hash_of(tests, hash));
    result.to = result.from;
    result.to.hash.push_back('\0');
    check_start_parts(range, start, false);
    if (is_simple) check_no_stray(tests, hash, range);
    const std::vector<const key_test*> tested = range_tests(tests, range);
    if (tested.empty()) return result;
    std::string settled;
    for (const key_test* each : std::span(tested).first(tested.size() - 1)) {
        append_key_value(settled, *each->values.front());
    }
    bounds within = range_places(std::move(settled), range.size() > 1).of(*tested.back());
    result.is_bounded = true;
    result.from.range = std::move(within.from);
    if (within.to) result.to = {result.from.slot, result.from.hash, *std::move(within.to)};
    return result;
}

}  // namespace dynalease::local
