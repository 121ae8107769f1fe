// Random histories of the queue: the protocol as it is keeps its promises; without any one of its rules it does not.
// SPDX-License-Identifier: BSL-1.0
#include "queue_walk.hpp"

#include <catch2/catch.hpp>

namespace dynalease::protocol::test {

namespace {

constexpr unsigned worlds = 250;
constexpr unsigned steps = 150;

struct queue_mutant {
    const char* name;
    queue_rules rules;
};

queue_rules lacking(bool queue_rules::* rule) {
    queue_rules rules;
    rules.*rule = false;
    return rules;
}

queue_rules stripped(std::string clause, std::string replacement = {}) {
    queue_rules rules;
    rules.change = [clause = std::move(clause), replacement = std::move(replacement)](update_item_request& request) {
        strip(request, clause, replacement);
    };
    return rules;
}

/// A row that is written whatever stands there.
queue_rules careless(bool void_rows) {
    queue_rules rules;
    rules.change_row = [void_rows](put_item_request& request) {
        const bool is_void = find(request.new_item, attribute::void_ticket) != nullptr;
        if (is_void != void_rows) return;
        request.condition_expression.clear();
        request.names.clear();
        request.values.clear();
    };
    return rules;
}

std::vector<queue_mutant> mutants() {
    auto deletes = queue_rules{};
    deletes.deletes = true;
    return {
        {"ARTICLE: no row before mine is my turn", lacking(&queue_rules::asks_for_turn)},
        {"NOTOMB: a missing row is passed over without a tombstone", lacking(&queue_rules::buries)},
        {"SKIPNOW: a missing row is buried before its owner's claim is over", lacking(&queue_rules::waits_to_bury)},
        {"NOCLAIM: a turn that is not written down is valid beyond its claim", lacking(&queue_rules::claim_ends)},
        {"TOMBPUT: a tombstone over whatever stands there", careless(true)},
        {"a ticket is written down over its tombstone", careless(false)},
        {"DEADEARLY: a live session is taken for over", lacking(&queue_rules::asks_session)},
        {"LEAVE: `passed` is moved without a condition", stripped(" AND #passed BETWEEN :f AND :e")},
        {"LEAVEONCE: an unanswered leave is not repeated", lacking(&queue_rules::leaves_again)},
        {"PUTONCE: a row in doubt is not given up", lacking(&queue_rules::cancels_row_in_doubt)},
        {"CANCELDEL: a place is given up by deleting its row", deletes},
        {"NOVOID: a place is given up, its row left", lacking(&queue_rules::voids)},
        {"an unanswered cancel is not repeated", lacking(&queue_rules::voids_again)},
        {"VOIDSTAY: void rows are not passed over", lacking(&queue_rules::passes_void)},
        {"an answer that was overtaken is believed", lacking(&queue_rules::knows_order)},
        {"RETRY: an own copy is not recognised", stripped(" AND (attribute_not_exists(#last) OR #last <> :attempt)")},
        {"an idle leave does not test that nobody waits", stripped(" AND #tail = :x")},
        {"a ticket leaves the ttl of an idle queue", stripped(" REMOVE #ttl")},
    };
}

}  // namespace

TEST_CASE("random histories of the queue: one valid turn, rising tickets, nobody skipped, nobody stuck") {
    unsigned turns = 0;
    unsigned buried = 0;
    unsigned passed_over = 0;
    for (std::uint64_t seed = 0; seed < worlds; ++seed) {
        queue_walk walk({}, seed);
        const auto wrong = walk.run(steps);
        INFO("seed " << seed);
        REQUIRE(wrong == "");
        turns += walk.turns;
        buried += walk.buried;
        passed_over += walk.passed_over;
    }
    // Histories in which nothing happens would prove nothing.
    CHECK(turns > worlds * 3);
    CHECK(buried > worlds / 20);
    CHECK(passed_over > worlds / 20);
}

TEST_CASE("random histories of the queue find each rule that is left out") {
    for (const auto& each : mutants()) {
        std::string wrong;
        for (std::uint64_t seed = 0; seed < 20 * worlds && wrong.empty(); ++seed) {
            wrong = queue_walk(each.rules, seed).run(steps);
        }
        INFO(each.name);
        CHECK(wrong != "");
    }
}

}  // namespace dynalease::protocol::test
