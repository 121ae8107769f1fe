// P4, from what the proxy saw: a heartbeat was sent before it came to the proxy, so that its deadline is known.
// SPDX-License-Identifier: BSL-1.0
#include "torture/judge.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace torture {
namespace {

struct life {
    std::string who{};
    std::map<instant, instant> proven{};  ///< by when the answer left: when the request, or one before it, had come
    std::optional<instant> over{};
    std::optional<instant> closed{};

    /// When the last heartbeat was sent, at the latest, whose answer had come by `moment`.
    std::optional<instant> last_beat(instant moment) const {
        const auto next = proven.upper_bound(moment);
        if (next == proven.begin()) return std::nullopt;
        return std::prev(next)->second;
    }
};

struct process {
    std::vector<interval> still{};  ///< when its loop did not run
    std::optional<instant> killed{};
};

std::map<std::string, life> lives_of(const case_file& facts) {
    std::map<std::string, life> lives;
    for (const auto& [name, grants] : facts.grants) {
        for (const auto& each : grants) lives[each.session].who = each.who;
    }
    std::vector<const event*> answers;
    for (const auto& each : facts.history) {
        const auto known = lives.find(each.session);
        if (known == lives.end()) continue;
        auto& life = known->second;
        const bool own = place_of(each.who) == place_of(life.who);
        if (each.kind == what::acknowledged && own) answers.push_back(&each);
        if (each.kind == what::over) life.over = each.at;
        if (each.kind == what::closed) life.closed = each.at;
    }
    std::stable_sort(answers.begin(), answers.end(),
                     [](const event* left, const event* right) { return left->until < right->until; });
    for (const auto* each : answers) {
        auto& proven = lives[each->session].proven;
        const auto before = proven.empty() ? instant{} : proven.rbegin()->second;
        proven[each->until] = std::max(before, each->at);
    }
    return lives;
}

std::map<std::string, process> processes_of(const case_file& facts) {
    std::map<std::string, process> processes;
    for (const auto& each : facts.history) {
        auto& its = processes[each.who];
        if (each.kind == what::stopped || each.kind == what::gap) its.still.push_back({each.at, each.end()});
        if (each.kind == what::killed || each.kind == what::crashed) its.killed = each.at;
    }
    for (auto& [who, its] : processes) {
        std::sort(its.still.begin(), its.still.end(),
                  [](const interval& left, const interval& right) { return left.from < right.from; });
    }
    return processes;
}

std::string milliseconds(instant time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

void judge_deadlines(const case_file& facts, const terms& promised, std::vector<violation>& found) {
    const auto lives = lives_of(facts);
    for (const auto& each : facts.history) {
        const auto life = lives.find(each.session);
        if (each.kind != what::valid || life == lives.end()) continue;
        const auto beat = life->second.last_beat(each.until);
        if (beat && each.at <= *beat + promised.longest_hold) continue;
        found.push_back({.promise = "P4",
                         .words = "a guard was valid " +
                                  (beat ? milliseconds(each.at - *beat - promised.longest_hold) + " after its deadline"
                                        : "under a session that nobody had acknowledged"),
                         .around = each.at,
                         .name = each.name,
                         .who = each.who});
    }

    const auto processes = processes_of(facts);
    for (const auto& [session, its] : lives) {
        if (its.proven.empty()) continue;
        const auto deadline = its.proven.rbegin()->second + promised.longest_hold;
        auto told_by = deadline + promised.told_within;
        const auto owner = processes.find(its.who);
        if (owner == processes.end()) continue;
        for (const auto& still : owner->second.still) {
            if (still.from <= told_by && still.until >= deadline) {
                told_by = std::max(told_by, still.until + promised.told_within);
            }
        }
        const bool gone = owner->second.killed && *owner->second.killed <= told_by;
        if (gone || (its.closed && *its.closed <= told_by) || facts.end <= told_by) continue;
        if (its.over && *its.over <= told_by) continue;
        found.push_back({.promise = "P4",
                         .words = "session " + session + " was lost " +
                                  (its.over ? "but told so " + milliseconds(*its.over - told_by) + " too late"
                                            : "and never told so"),
                         .around = told_by,
                         .who = its.who});
    }
}

}  // namespace torture
