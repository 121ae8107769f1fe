// The promises about grants: P1 to P3, and all of them together.
// SPDX-License-Identifier: BSL-1.0
#include "torture/judge.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace torture {
namespace {

std::string shown(const grant& each) {
    return "the grant of " + each.who + " with token " + std::to_string(each.token);
}

/// Which of two grants came first is told by their first valid moments; but one that stood in a table which was then
/// lost may have told of itself late.
bool certainly_in_order(const case_file& facts, const grant& first, const grant& second) {
    return !facts.lost_table_in(second.asked, *first.from);
}

/// With the table goes the row of every session that is in it: until `moment` one of these two may have had none, so
/// that its lock was free for others although it did not know.
bool lost_a_row(const case_file& facts, const grant& one, const grant& other, instant moment) {
    return facts.lost_table_in(std::min(one.session_since, other.session_since), moment);
}

}  // namespace

void judge_exclusion(const case_file& facts, std::vector<violation>& found) {
    for (const auto& [name, grants] : facts.grants) {
        std::vector<const grant*> valid;
        for (const auto& each : grants) {
            if (!each.from) continue;
            std::erase_if(valid, [&](const grant* other) { return other->until <= *each.from; });
            for (const auto* other : valid) {
                if (lost_a_row(facts, *other, each, *each.from)) continue;
                const auto beyond = std::chrono::duration_cast<std::chrono::microseconds>(other->until - *each.from);
                found.push_back({.promise = "P1",
                                 .words = shown(*other) + " was valid for " + std::to_string(beyond.count()) +
                                          " us after " + shown(each) + " had become so",
                                 .around = *each.from,
                                 .name = name,
                                 .who = each.who});
            }
            valid.push_back(&each);
        }
    }
}

void judge_tokens(const case_file& facts, std::vector<violation>& found) {
    for (const auto& [name, grants] : facts.grants) {
        std::set<std::int64_t> seen;
        const grant* highest = nullptr;
        for (const auto& each : grants) {
            const auto moment = each.from.value_or(each.granted);
            const auto complain = [&, &name = name](std::string words) {
                found.push_back(
                    {.promise = "P2", .words = std::move(words), .around = moment, .name = name, .who = each.who});
            };
            if (each.token <= 0) complain(shown(each) + " has no token");
            if (!seen.insert(each.token).second) complain(shown(each) + " repeats that of another");
            if (!each.from) continue;
            if (highest && each.token < highest->token && certainly_in_order(facts, *highest, each)) {
                complain(shown(each) + " came after " + shown(*highest));
            }
            if (!highest || each.token > highest->token) highest = &each;
        }
    }
}

void judge_fence(const case_file& facts, std::vector<violation>& found) {
    struct register_now {
        std::int64_t largest_token = 0;
        std::int64_t value = 0;
        const grant* newest = nullptr;
    };
    std::map<std::string, register_now> registers;
    std::map<std::pair<std::string, std::int64_t>, const grant*> by_token;
    for (const auto& [name, grants] : facts.grants) {
        for (const auto& each : grants) {
            if (each.from) by_token.emplace(std::pair(name, each.token), &each);
        }
    }
    for (const auto& each : facts.history) {
        if (each.kind != what::read && each.kind != what::wrote) continue;
        auto& now = registers[each.name];
        const auto complain = [&](std::string words) {
            found.push_back(
                {.promise = "P3", .words = std::move(words), .around = each.at, .name = each.name, .who = each.who});
        };
        const auto token = std::to_string(each.token);
        if (each.token < now.largest_token) {
            complain("token " + token + " was accepted after " + std::to_string(now.largest_token));
        }
        const auto wanted = now.value + (each.kind == what::wrote ? 1 : 0);
        if (each.value != wanted) {
            complain("an update was lost: " + std::to_string(each.value) + " in place of " + std::to_string(wanted));
        }
        now.largest_token = std::max(now.largest_token, each.token);
        now.value = each.value;
        const auto known = by_token.find({each.name, each.token});
        if (known == by_token.end()) continue;
        const auto* mine = known->second;
        if (now.newest && *mine->from < *now.newest->from && certainly_in_order(facts, *mine, *now.newest)) {
            complain(shown(*mine) + " was accepted after " + shown(*now.newest));
        }
        if (!now.newest || *mine->from > *now.newest->from) now.newest = mine;
    }
}

void judge_telling(const case_file& facts, std::vector<violation>& found) {
    for (const auto& [name, grants] : facts.grants) {
        for (const auto& mine : grants) {
            if (!mine.told_done || !mine.releasing) continue;
            const auto later = std::find_if(grants.begin(), grants.end(), [&](const grant& other) {
                return other.granted > mine.granted && other.granted < *mine.releasing &&
                       !lost_a_row(facts, mine, other, *mine.releasing);
            });
            if (later == grants.end()) continue;
            found.push_back({.promise = "told",
                             .words = "it was told of " + shown(mine) + " that it was given back, but " +
                                      shown(*later) + " had come before",
                             .around = *mine.releasing,
                             .name = name,
                             .who = mine.who});
        }
    }
}

std::vector<violation> judge(const case_file& facts, const terms& promised) {
    std::vector<violation> found;
    judge_exclusion(facts, found);
    judge_tokens(facts, found);
    judge_fence(facts, found);
    judge_deadlines(facts, promised, found);
    judge_progress(facts, promised, found);
    judge_telling(facts, found);
    judge_transactions(facts, found);
    for (const auto& each : facts.history) {
        if (each.kind != what::crashed) continue;
        found.push_back({.promise = "life",
                         .words = "worker " + each.who + " ended although nobody had asked for it",
                         .around = each.at,
                         .who = each.who});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const violation& left, const violation& right) { return left.around < right.around; });
    return found;
}

}  // namespace torture
