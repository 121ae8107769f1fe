// Histories of an item's lock: the protocol as it is keeps its promises; without any one of its rules it does not.
// SPDX-License-Identifier: BSL-1.0
#include "item_walk.hpp"
#include "support/row_world.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

namespace {

constexpr unsigned worlds = 500;

item_walk_size size_of(std::uint64_t seed) {
    return {
        .processes = 2 + seed % 2, .only_tries = seed % 5 == 1, .readers = seed % 4 != 2, .dead_holder = seed % 3 == 0};
}

std::string random_history(const item_walk_rules& rules, std::uint64_t seed) {
    return item_walk(rules, size_of(seed), dice(seed)).run();
}

struct mutant {
    const char* name;
    item_walk_rules rules;
};

/// @param update what the text begins with
item_walk_rules stripping(std::string update, std::string clause, std::string replacement = {}) {
    item_walk_rules rules;
    rules.change = [=](update_item_request& request) {
        if (request.update_expression.starts_with(update)) strip(request, clause, replacement);
    };
    return rules;
}

item_walk_rules without(bool item_walk_rules::* rule) {
    item_walk_rules rules;
    rules.*rule = false;
    return rules;
}

item_walk_rules skipping(std::string_view update) {
    item_walk_rules rules;
    rules.skips = [=](const update_item_request& request) { return request.update_expression == update; };
    return rules;
}

/// Names the claimant by less: by its session, or by session and attempt.
item_walk_rules naming_less(std::string_view value, int parts, bool guarded) {
    item_walk_rules rules;
    rules.change = [=](update_item_request& request) {
        const auto name = std::string(value);
        const bool changes = request.update_expression.find("amount") != std::string::npos;
        if (!request.values.contains(name) || (guarded && request.names.size() < 4 && !changes)) return;
        auto& text = request.values.at(name);
        if (!text.is<std::string>()) return;
        auto end = std::string::size_type{0};
        for (int i = 0; i < parts; ++i) end = text.get_if<std::string>()->find('.', end) + 1;
        text = text.get_if<std::string>()->substr(0, end);
        strip(request, "#W = " + name, "begins_with(#W, " + name + ")");
    };
    return rules;
}

std::vector<mutant> mutants() {
    const std::string floor = " AND (attribute_not_exists(#F) OR #F < :t)";
    const std::string write = "SET #W = :w, #F = :t REMOVE #I";
    const std::string read = "SET #F = :t REMOVE #I ADD #R :me";
    return {
        {"a writer's grant does not test the floor", stripping(write, floor)},
        {"a reader's grant does not test the floor", stripping(read, floor)},
        {"a reader's grant leaves the floor", stripping(read, "SET #F = :t ")},
        {"an intent does not test the floor", stripping("SET #I = :mine", floor)},
        {"a take-over does not name the writer", stripping(write, " AND #W = :seen")},
        {"a take-over does not name the readers", stripping(write, " AND #R = :over")},
        {"a writer does not respect readers", stripping(write, " AND attribute_not_exists(#R)")},
        {"a reader does not respect a writer", stripping(read, " AND attribute_not_exists(#W)")},
        {"a release names the session only", naming_less(":sa", 1, false)},
        {"a change names the attempt only", naming_less(":k", 2, true)},
        {"a change names the session only", naming_less(":k", 1, true)},
        {"an unanswered claim is not closed", skipping("SET #F = :t")},
        {"an intent is left behind", skipping("SET #F = :t REMOVE #I")},
        {"a refused claim is not audited", without(&item_walk_rules::audits)},
        {"a second claim beside an open one", without(&item_walk_rules::one_claim)},
        {"another change while one is in doubt", without(&item_walk_rules::heeds_doubt)},
        {"a change names a step that is over", without(&item_walk_rules::counts_steps)},
    };
}

}  // namespace

TEST_CASE("random histories of an item: a writer or readers, changes made once, no ghosts") {
    unsigned grants = 0;
    unsigned take_overs = 0;
    unsigned changes = 0;
    for (std::uint64_t seed = 0; seed < worlds; ++seed) {
        const item_walk_rules none;
        item_walk walk(none, size_of(seed), dice(seed));
        const auto wrong = walk.run();
        INFO("seed " << seed);
        REQUIRE(wrong == "");
        grants += walk.grants;
        take_overs += walk.take_overs;
        changes += walk.changes;
    }
    // Histories in which nothing happens would prove nothing.
    CHECK(grants > worlds * 3);
    CHECK(take_overs > worlds / 20);
    CHECK(changes > worlds);
}

TEST_CASE("random histories of an item find each rule that is left out", "[mistakes]") {
    for (const auto& each : mutants()) {
        std::string wrong;
        for (std::uint64_t seed = 0; seed < 40 * worlds && wrong.empty(); ++seed) {
            wrong = random_history(each.rules, seed);
        }
        INFO(each.name);
        CHECK(wrong != "");
    }
}

TEST_CASE("every history of an item with two callers and one fault keeps the promises", "[exhaustive]") {
    const item_walk_rules none;
    for (const bool readers : {false, true}) {
        const item_walk_size size{
            .steps = 5, .callers = 2, .faults = 1, .changes = 1, .readers = readers, .wrong_clocks = false};
        every_way way;
        unsigned histories = 0;
        unsigned grants = 0;
        do {
            item_walk walk(none, size, std::ref(way));
            const auto wrong = walk.run();
            INFO("history " << histories);
            if (wrong != "") FAIL(wrong);
            ++histories;
            grants += walk.grants;
        } while (way.next());
        CAPTURE(histories, grants);
        CHECK(histories > 5'000);
        CHECK(grants > histories / 2);
    }
}

}  // namespace dynalease::protocol::test
