// Histories of the queue: as it is it keeps its promises; without any one of its conditions it does not.
// SPDX-License-Identifier: BSL-1.0
#include "queue_walk.hpp"

#include "support/changed_texts.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::tests {

namespace {

using namespace std::chrono_literals;
using protocol::test::dice;
using protocol::test::every_way;

constexpr unsigned worlds = 1000;

walk_size size_of(std::uint64_t seed) {
    return {.processes = 2 + seed % 2, .times = {100ms, 1s, 4s, 12s}};
}

struct mutant {
    const char* name;
    spoiling spoil;
};

spoiling stripped(std::string clause) {
    return [clause = std::move(clause)](any_request& request) {
        auto* update = std::get_if<update_item_request>(&request);
        if (update &&
            (replace(update->condition_expression, clause, "") || replace(update->update_expression, clause, "")))
            prune(*update);
    };
}

/// A row that is written whatever stands there.
spoiling careless(bool void_rows) {
    return [void_rows](any_request& request) {
        auto* put = std::get_if<put_item_request>(&request);
        if (!put || put->new_item.contains("void") != void_rows) return;
        put->condition_expression.clear();
        put->names.clear();
        put->values.clear();
    };
}

std::vector<mutant> mutants() {
    return {
        {"TOMBPUT: a tombstone over whatever stands there", careless(true)},
        {"ROWPUT: a ticket is written down over its tombstone", careless(false)},
        {"LEAVE: `passed` is moved without a condition", stripped(" AND #passed BETWEEN :f AND :e")},
        {"RETRY: an own copy is not recognised", stripped(" AND (attribute_not_exists(#last) OR #last <> :attempt)")},
        {"LEAVE_IDLE: an idle leave does not test that nobody waits", stripped(" AND #tail = :x")},
        {"TTL_STAYS: a ticket leaves the ttl of an idle queue", stripped(" REMOVE #ttl")},
    };
}

}  // namespace

TEST_CASE("random histories of the queue: one valid turn, rising tickets, nobody skipped, nobody stuck", "[long]") {
    unsigned turns = 0;
    unsigned buried = 0;
    unsigned passed_over = 0;
    for (std::uint64_t seed = 0; seed < worlds; ++seed) {
        queue_walk walk(size_of(seed), dice(seed));
        const auto wrong = walk.run();
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

TEST_CASE("random histories of the queue find each condition that is left out", "[mistakes]") {
    for (const auto& each : mutants()) {
        std::string wrong;
        for (std::uint64_t seed = 0; seed < worlds && wrong.empty(); ++seed) {
            wrong = queue_walk(size_of(seed), dice(seed), each.spoil).run();
        }
        INFO(each.name);
        CHECK(wrong != "");
    }
}

TEST_CASE("every history of two callers with one fault keeps the promises of the queue", "[exhaustive]") {
    const walk_size size{.steps = 6, .callers = 2, .faults = 1, .times = {4s}};
    every_way way;
    unsigned histories = 0;
    unsigned turns = 0;
    do {
        queue_walk walk(size, std::ref(way));
        const auto wrong = walk.run();
        INFO("history " << histories);
        if (wrong != "") FAIL(wrong);
        ++histories;
        turns += walk.turns;
    } while (way.next());
    CHECK(histories > 10'000);
    CHECK(turns > histories);
}

}  // namespace dynalease::tests
