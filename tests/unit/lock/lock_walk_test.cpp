// Random histories of the lock: the protocol as it is keeps its promises; without any one of its rules it does not.
// SPDX-License-Identifier: BSL-1.0
#include "lock_walk.hpp"

#include <catch2/catch.hpp>

namespace dynalease::protocol::test {

namespace {

constexpr unsigned worlds = 250;
constexpr unsigned steps = 150;

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

std::vector<mutant> mutants() {
    const std::string fresh = " AND (attribute_not_exists(#floor) OR #floor < :t)";
    walk_rules release_by_session;
    release_by_session.change = [](update_item_request& request) {
        if (strip(request, " AND #attempt IN (:a, :b)")) return;
        if (request.update_expression.find("REMOVE #holder") != std::string::npos) strip(request, " AND #attempt = :a");
    };
    return {
        {"an acquire does not test the floor", stripping(fresh, "attribute_not_exists(#holder) AND")},
        {"a take-over does not test the floor", stripping(fresh, ":ha")},
        {"a take-over does not test who holds", stripping("#holder = :h AND #attempt = :ha", {}, "#v = :v")},
        {"a join does not test the floor", stripping(fresh, "list_append(if_not_exists(#line, :empty), :me)")},
        {"a newcomer does not respect the line", stripping(" AND attribute_not_exists(#line[0])")},
        {"a hand-over tests the session only", stripping(" AND #attempt = :a AND #floor < :t", ":b")},
        {"a hand-over does not test the floor", stripping(" AND #floor < :t", ":b")},
        {"a release does not test the attempt", release_by_session},
        {"a grant leaves the ttl", stripping("#ttl, ", "REMOVE #ttl")},
        {"a void leaves the floor", stripping("#floor = :t", "AND attribute_exists(#holder)", "#v = :v")},
        {"an unanswered claim is not voided", without(&walk_rules::voids)},
        {"a refused claim is not audited", without(&walk_rules::audits)},
        {"held by another counts as closed", without(&walk_rules::voids_under_holder)},
        {"a release names the first claim only", without(&walk_rules::names_both)},
        {"a second hand-over beside an open one", without(&walk_rules::one_hand_over)},
        {"a second claim beside an open one", without(&walk_rules::one_claim)},
    };
}

}  // namespace

TEST_CASE("random histories: one valid holder, rising tokens, no ghosts") {
    unsigned grants = 0;
    unsigned take_overs = 0;
    for (std::uint64_t seed = 0; seed < worlds; ++seed) {
        lock_walk walk({}, seed);
        const auto wrong = walk.run(steps);
        INFO("seed " << seed);
        REQUIRE(wrong == "");
        grants += walk.grants;
        take_overs += walk.take_overs;
    }
    // Histories in which nothing happens would prove nothing.
    CHECK(grants > worlds * 3);
    CHECK(take_overs > worlds / 20);
}

TEST_CASE("random histories find each rule that is left out") {
    for (const auto& each : mutants()) {
        std::string wrong;
        for (std::uint64_t seed = 0; seed < 20 * worlds && wrong.empty(); ++seed) {
            wrong = lock_walk(each.rules, seed).run(steps);
        }
        INFO(each.name);
        CHECK(wrong != "");
    }
}

}  // namespace dynalease::protocol::test
