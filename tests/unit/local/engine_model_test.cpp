// Random conditional programs on a few items, compared with a model of a few lines that knows only integers.
// SPDX-License-Identifier: BSL-1.0
#include "unit/local/engine_world.hpp"

#include <array>
#include <map>
#include <random>

namespace dynalease::local::test {

namespace {

constexpr std::array<const char*, 3> keys{"a", "b", "c"};
constexpr std::array<const char*, 3> fields{"x", "y", "w"};

/// An item as its integer fields; absent items are absent from the map.
using model_item = std::map<std::string, int>;
using model = std::map<std::string, model_item>;

/// A random condition, as text and as what the model makes of it.
struct guess {
    std::string text;
    bool truth;
};

class program {
public:
    explicit program(unsigned seed) : chance_(seed) {}

    void step() {
        const std::string key = keys[below(keys.size())];
        const auto found = model_.find(key);
        const model_item before = found == model_.end() ? model_item{} : found->second;
        const guess condition = condition_on(before, 3);
        update_item_request request;
        request.table_name = "things";
        request.key = {{"pk", key}};
        request.condition_expression = condition.text;
        request.returned = return_values::all_new;
        request.current_on_refusal = true;
        model_item after = before;
        request.update_expression = change(before, after);
        request.values = used(constants(), condition.text + " " + request.update_expression);
        const auto answer = world_.execute(request);
        INFO(request.update_expression << " IF " << condition.text << " ON " << key);
        if (condition.truth) {
            REQUIRE(answer);
            model_[key] = after;
            REQUIRE(answer->attributes == as_item(key, after));
        } else {
            REQUIRE(answer.error().code == errc::condition_failed);
            REQUIRE(answer.error().current.has_value() == (found != model_.end()));
            if (found != model_.end()) REQUIRE(*answer.error().current == as_item(key, before));
        }
        if (below(10) == 0) remove(keys[below(keys.size())]);
        for (const char* each : keys) check(each);
    }

private:
    static attribute_values constants() {
        attribute_values result;
        for (int i = 0; i < 5; ++i) result.emplace(":" + std::to_string(i), i);
        return result;
    }

    static item as_item(const std::string& key, const model_item& values) {
        item result{{"pk", key}};
        for (const auto& [field, value] : values) result.emplace(field, value);
        return result;
    }

    unsigned below(std::size_t bound) { return static_cast<unsigned>(chance_() % bound); }

    guess condition_on(const model_item& before, int depth) {
        if (depth == 0 || below(3) == 0) return leaf(before);
        const guess left = condition_on(before, depth - 1);
        if (below(4) == 0) return {"NOT (" + stripped(left.text) + ")", !left.truth};
        const guess right = condition_on(before, depth - 1);
        if (below(2) == 0) return {"(" + left.text + " AND " + right.text + ")", left.truth && right.truth};
        return {"(" + left.text + " OR " + right.text + ")", left.truth || right.truth};
    }

    /// Without parentheses around the whole, which the service calls redundant inside others.
    static std::string stripped(const std::string& text) {
        return text.front() == '(' ? text.substr(1, text.size() - 2) : text;
    }

    guess leaf(const model_item& before) {
        const std::string field = fields[below(fields.size())];
        const auto at = before.find(field);
        const bool there = at != before.end();
        const int value = there ? at->second : 0;
        const int low = static_cast<int>(below(5));
        const int high = low + static_cast<int>(below(static_cast<std::size_t>(5 - low)));
        const std::string constant = ":" + std::to_string(low);
        switch (below(8)) {
            case 0:
                return {"attribute_exists(" + field + ")", there};
            case 1:
                return {"attribute_not_exists(" + field + ")", !there};
            case 2:
                return {field + " = " + constant, there && value == low};
            case 3:
                return {field + " <> " + constant, !there || value != low};
            case 4:
                return {field + " < " + constant, there && value < low};
            case 5:
                return {constant + " <= " + field, there && low <= value};
            case 6:
                return {field + " BETWEEN " + constant + " AND :" + std::to_string(high),
                        there && low <= value && value <= high};
            default:
                return {field + " IN (" + constant + ", :" + std::to_string(high) + ")",
                        there && (value == low || value == high)};
        }
    }

    /// One SET and one REMOVE, with right-hand sides that must see the values of before.
    std::string change(const model_item& before, model_item& after) {
        const std::string target = fields[below(2)];
        const std::string source = fields[below(fields.size())];
        const int constant = static_cast<int>(below(5));
        const auto at = before.find(source);
        after[target] = (at == before.end() ? 1 : at->second) - constant;
        after.erase("w");
        return "SET " + target + " = if_not_exists(" + source + ", :1) - :" + std::to_string(constant) + " REMOVE w";
    }

    void remove(const std::string& key) {
        delete_item_request request;
        request.table_name = "things";
        request.key = {{"pk", key}};
        REQUIRE(world_.execute(request));
        model_.erase(key);
    }

    void check(const std::string& key) {
        const auto found = model_.find(key);
        const auto there = world_.get({{"pk", key}});
        REQUIRE(there.has_value() == (found != model_.end()));
        if (there) REQUIRE(*there == as_item(key, found->second));
    }

    std::mt19937 chance_;
    engine_world world_;
    model model_;
};

}  // namespace

TEST_CASE("random conditional programs do what the model does") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        INFO("seed " << seed);
        program world(seed);
        for (int step = 0; step < 100; ++step) world.step();
    }
}

}  // namespace dynalease::local::test
