// Random histories of the lock: the protocol as it is keeps its promises; without any one of its rules it does not.
// SPDX-License-Identifier: BSL-1.0
#include "lock_walk.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::protocol::test {

namespace {

constexpr unsigned worlds = 500;

walk_size size_of(std::uint64_t seed) {
    return {.processes = 2 + seed % 2, .only_tries = seed % 4 == 1, .dead_holder = seed % 3 == 0};
}

std::string random_history(const walk_rules& rules, std::uint64_t seed) {
    return lock_walk(rules, size_of(seed), dice(seed)).run();
}

struct mutant {
    const char* name;
    walk_rules rules;
};

walk_rules stripping(std::string clause, std::string only_with = {}, std::string replacement = {}) {
    walk_rules rules;
    rules.change = [clause = std::move(clause), only_with = std::move(only_with),
                    replacement = std::move(replacement)](update_item_request& request) {
        const auto text = request.update_expression + "|" + request.condition_expression;
        if (text.find(only_with) != text.npos) strip(request, clause, replacement);
    };
    return rules;
}

walk_rules without(bool walk_rules::* rule) {
    walk_rules rules;
    rules.*rule = false;
    return rules;
}

/// A write that raises the floor and does nothing else.
bool voids(const update_item_request& request) {
    const auto& update = request.update_expression;
    return update == "SET #floor = :t" || update == "SET #v = :v, #floor = :t, #ttl = :expiry";
}

std::vector<mutant> mutants() {
    const std::string fresh = " AND (attribute_not_exists(#floor) OR #floor < :t)";
    walk_rules release_by_session;
    release_by_session.change = [](update_item_request& request) {
        if (strip(request, " AND #attempt IN (:a, :b)")) return;
        if (request.update_expression.find("REMOVE #holder") != std::string::npos) strip(request, " AND #attempt = :a");
    };
    walk_rules no_void;
    no_void.skips = voids;
    walk_rules no_void_under_holder;
    no_void_under_holder.skips = [](const update_item_request& request) {
        return voids(request) && request.condition_expression.find("attribute_exists(#holder)") != std::string::npos;
    };
    return {
        {"an acquire does not test the floor", stripping(fresh, "attribute_not_exists(#holder) AND")},
        {"a take-over does not test the floor", stripping(" AND #floor < :t", ":ha")},
        {"a take-over does not test who holds", stripping("#holder = :h AND #attempt = :ha", {}, "#v = :v")},
        {"a join does not test the floor", stripping(fresh, "list_append(if_not_exists(#line, :empty), :me)")},
        {"a newcomer does not respect the line", stripping(" AND attribute_not_exists(#line[0])")},
        {"a hand-over tests the session only", stripping(" AND #attempt = :a AND #floor < :t", ":b")},
        {"a hand-over does not test the floor", stripping(" AND #floor < :t", ":b")},
        {"a release does not test the attempt", release_by_session},
        {"a grant leaves the ttl", stripping("#ttl, ", "REMOVE #ttl")},
        {"a void leaves the floor", stripping("#floor = :t", "AND attribute_exists(#holder)", "#v = :v")},
        {"an unanswered claim is not voided", no_void},
        {"a refused claim is not audited", without(&walk_rules::audits)},
        {"held by another counts as closed", no_void_under_holder},
        {"a release names the first claim only", stripping(" AND #attempt IN (:a, :b)", {}, " AND #attempt = :a")},
        {"a second hand-over beside an open one", without(&walk_rules::one_hand_over)},
        {"a second claim beside an open one", without(&walk_rules::one_claim)},
    };
}

}  // namespace

TEST_CASE("random histories: one valid holder, rising tokens, no ghosts") {
    unsigned grants = 0;
    unsigned take_overs = 0;
    for (std::uint64_t seed = 0; seed < worlds; ++seed) {
        const walk_rules none;
        lock_walk walk(none, size_of(seed), dice(seed));
        const auto wrong = walk.run();
        INFO("seed " << seed);
        REQUIRE(wrong == "");
        grants += walk.grants;
        take_overs += walk.take_overs;
    }
    // Histories in which nothing happens would prove nothing.
    CHECK(grants > worlds * 3);
    CHECK(take_overs > worlds / 20);
}

TEST_CASE("random histories find each rule that is left out", "[mistakes]") {
    for (const auto& each : mutants()) {
        std::string wrong;
        for (std::uint64_t seed = 0; seed < 40 * worlds && wrong.empty(); ++seed) {
            wrong = random_history(each.rules, seed);
        }
        INFO(each.name);
        CHECK(wrong != "");
    }
}

TEST_CASE("every history of two callers with one fault keeps the promises", "[exhaustive]") {
    const walk_rules none;
    for (const bool dead_holder : {false, true}) {
        const walk_size size{.steps = 6, .callers = 2, .faults = 1, .dead_holder = dead_holder, .wrong_clocks = false};
        every_way way;
        unsigned histories = 0;
        unsigned grants = 0;
        do {
            lock_walk walk(none, size, std::ref(way));
            const auto wrong = walk.run();
            INFO("history " << histories);
            if (wrong != "") FAIL(wrong);
            ++histories;
            grants += walk.grants;
        } while (way.next());
        CHECK(histories > 10'000);
        CHECK(grants > histories / 2);
    }
}

}  // namespace dynalease::protocol::test
