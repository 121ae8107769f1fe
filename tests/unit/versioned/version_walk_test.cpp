// Random histories of a versioned item: the protocol as it is keeps its promises; without any one of its rules it does
// not.
// SPDX-License-Identifier: BSL-1.0
#include "version_walk.hpp"

#include "support/changed_texts.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <utility>

namespace dynalease::protocol::test {

namespace {

constexpr unsigned histories = 300;
constexpr std::array<walk_size, 4> sizes{{{.tombstones = false},
                                          {.tombstones = true, .starts_with_item = false},
                                          {.tombstones = true, .foreign_writes = 1},
                                          {.tombstones = false, .foreign_writes = 1}}};

using tests::replace;

struct version_mutant {
    const char* name;
    version_rules rules;
    bool tombstones;
};

version_rules changing(decltype(version_rules::change) change) {
    version_rules rules;
    rules.change = std::move(change);
    return rules;
}

/// The decision, with another one before it where `misjudges` has an opinion.
version_rules deciding(decltype(version_rules::misjudges) misjudges) {
    version_rules rules;
    rules.misjudges = std::move(misjudges);
    return rules;
}

version_rules with(bool version_rules::* mistake) {
    version_rules rules;
    rules.*mistake = true;
    return rules;
}

bool is_checked(write_kind kind) {
    return kind == write_kind::save || kind == write_kind::remove;
}

std::uint64_t beyond(const refusal& what) {
    return static_cast<std::uint64_t>(*what.now->state.version - what.target);
}

/// Stands a stamp at the version we wanted to give?
bool has_entry(const refusal& what) {
    const auto& state = what.now->state;
    if (!state.version || *state.version < what.target) return false;
    return beyond(what) == 0 ? state.stamp.has_value() : beyond(what) <= state.trail.size();
}

std::vector<version_mutant> version_mutants() {
    std::vector<version_mutant> all;
    all.push_back({"VERSION_ONLY", changing([](auto& condition, auto&, auto&, auto, auto&) {
                       replace(condition, " AND #born = :b", "");
                   }),
                   false});
    all.push_back({"STAMP_ONLY", changing([](auto& condition, auto&, auto& values, auto, const auto& base) {
                       if (!base.stamp || condition.find("#ver = :n") == std::string::npos) return;
                       replace(condition, "#ver = :n AND #born = :b", "#stamp = :s");
                       values.insert_or_assign(":s", bytes_of(*base.stamp));
                   }),
                   false});
    all.push_back({"NO_SETTLE", deciding([](write_kind kind, const refusal& what) -> std::optional<verdict> {
                       if (!is_checked(kind) || !what.now) return std::nullopt;
                       return verdict::conflict;
                   }),
                   false});
    all.push_back({"CHAIN_FIRST", deciding([](write_kind kind, const refusal& what) -> std::optional<verdict> {
                       if (!is_checked(kind) || what.clean || !what.now || !has_entry(what)) return std::nullopt;
                       if (what.now->state.born != what.base.born) return std::nullopt;
                       return verdict::conflict;
                   }),
                   false});
    all.push_back({"BASE_SEEN", deciding([](write_kind kind, const refusal& what) -> std::optional<verdict> {
                       if (!is_checked(kind) || what.clean || !what.now || !what.base.stamp) return std::nullopt;
                       const auto& state = what.now->state;
                       if (remembers(state, what.mine) || state.version == what.base.version) return std::nullopt;
                       if (!remembers(state, *what.base.stamp)) return std::nullopt;
                       return verdict::conflict;
                   }),
                   false});
    all.push_back({"CHAIN_ANY_LIFE", deciding([](write_kind kind, const refusal& what) -> std::optional<verdict> {
                       if (!is_checked(kind) || what.clean || !what.now) return std::nullopt;
                       if (remembers(what.now->state, what.mine) || !has_entry(what)) return std::nullopt;
                       return verdict::conflict;
                   }),
                   false});
    all.push_back({"PLUS_ONE", deciding([](write_kind kind, const refusal& what) -> std::optional<verdict> {
                       if (!is_checked(kind) || what.clean || !what.now) return std::nullopt;
                       if (remembers(what.now->state, what.mine)) return std::nullopt;
                       if (what.now->state.version > what.target) return std::nullopt;
                       return verdict::conflict;
                   }),
                   false});
    all.push_back({"GONE_NOT", deciding([](write_kind kind, const refusal& what) -> std::optional<verdict> {
                       if (!is_checked(kind) || what.clean || what.now) return std::nullopt;
                       return verdict::missing;
                   }),
                   false});
    all.push_back({"GONE_MINE", deciding([](write_kind kind, const refusal& what) -> std::optional<verdict> {
                       if (kind != write_kind::remove || what.clean || what.now) return std::nullopt;
                       return verdict::applied;
                   }),
                   false});
    all.push_back({"STAMP_SHARED", with(&version_rules::one_stamp_per_writer), false});
    all.push_back({"RESEND_NEW", with(&version_rules::stamp_per_copy), false});
    all.push_back({"DOUBT_IN_CALL_IGNORED", with(&version_rules::ignores_resends), false});
    all.push_back({"BLIND_NO_BUMP", changing([](auto& condition, auto& update, auto&, auto kind, auto&) {
                       if (kind != write_kind::blind) return;
                       update = "ADD" + update.substr(update.find("ADD") + 3);
                       replace(condition, " AND (attribute_not_exists(#trail) OR NOT contains(#trail, :m))", "");
                   }),
                   false});
    all.push_back({"BLIND_NO_GUARD", changing([](auto& condition, auto&, auto&, auto kind, auto&) {
                       if (kind != write_kind::blind) return;
                       replace(condition,
                               " AND (attribute_not_exists(#stamp) OR #stamp <> :m) AND "
                               "(attribute_not_exists(#trail) OR NOT contains(#trail, :m))",
                               "");
                   }),
                   false});
    all.push_back({"ERASE_LATE", with(&version_rules::late_creates), false});
    all.push_back({"TOMB_SHORT", with(&version_rules::short_tombstones), true});
    all.push_back({"TOMB_OPEN", changing([](auto& condition, auto&, auto&, auto, auto&) {
                       replace(condition, "attribute_not_exists(#k)",
                               "attribute_not_exists(#k) OR attribute_exists(#gone)");
                   }),
                   true});
    return all;
}

}  // namespace

TEST_CASE("random histories of a version: each checked write at most once, on its own state, and told right",
          "[long]") {
    unsigned applied = 0;
    unsigned resolved = 0;
    unsigned conflicts = 0;
    unsigned doubts = 0;
    unsigned closed = 0;
    const version_rules none;
    for (const auto& size : sizes) {
        for (std::uint64_t seed = 0; seed < histories; ++seed) {
            version_walk walk(none, size, dice(seed));
            const auto wrong = walk.run();
            INFO("seed " << seed << (size.tombstones ? ", tombstones" : ", erasing"));
            REQUIRE(wrong == "");
            applied += walk.applied;
            resolved += walk.resolved;
            conflicts += walk.conflicts;
            doubts += walk.doubts;
            closed += walk.closed;
        }
    }
    // The histories must be worth looking at.
    CHECK(applied > 10'000);
    CHECK(resolved > 500);
    CHECK(conflicts > 100);
    CHECK(doubts > 100);
    CHECK(closed > 10);
}

TEST_CASE("random histories of a version: every mutant is caught") {
    for (const auto& mutant : version_mutants()) {
        bool caught = false;
        for (std::uint64_t seed = 0; seed < 20'000 && !caught; ++seed) {
            const walk_size size{.tombstones = mutant.tombstones, .starts_with_item = seed % 2 == 0};
            version_walk walk(mutant.rules, size, dice(seed));
            caught = !walk.run().empty();
        }
        INFO(mutant.name);
        CHECK(caught);
    }
}

TEST_CASE("every history of a version with two writes and two faults keeps the promises", "[exhaustive]") {
    const version_rules none;
    unsigned histories_of_all = 0;
    unsigned doubts = 0;
    for (const auto& [tombstones, starts_with_item] : {std::pair{false, true}, {true, true}, {true, false}}) {
        const walk_size size{.tombstones = tombstones,
                             .starts_with_item = starts_with_item,
                             .writers = 2,
                             .steps = 6,
                             .writes = 2,
                             .faults = 2};
        every_way way;
        do {
            version_walk walk(none, size, std::ref(way));
            const auto wrong = walk.run();
            INFO("history " << histories_of_all << (tombstones ? ", tombstones" : ", erasing"));
            REQUIRE(wrong == "");
            ++histories_of_all;
            doubts += walk.doubts;
        } while (way.next());
    }
    CHECK(histories_of_all > 1'000);
    CHECK(doubts > 0);
}

}  // namespace dynalease::protocol::test
