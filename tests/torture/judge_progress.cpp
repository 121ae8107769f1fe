// P6 and P7: between two signs of life of a lock, nobody who can wait undisturbed waits for too long.
// SPDX-License-Identifier: BSL-1.0
#include "torture/judge.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace torture {
namespace {

using intervals = std::vector<interval>;

/// A disturbance strikes the processes of one place, one process, or, with an empty name, all of them.
std::map<std::string, intervals> disturbances_of(const case_file& facts, instant recovery) {
    std::map<std::string, intervals> all;
    for (const auto& each : facts.history) {
        switch (each.kind) {
            case what::gap:
            case what::stopped:
            case what::cut:
            case what::outage:
            case what::table_lost:
            case what::starved:
                all[each.who].push_back({each.at, each.end() + recovery});
                break;
            default:
                break;
        }
    }
    return all;
}

/// How much of `window` none of the disturbances covers.
instant undisturbed(interval window, intervals disturbed) {
    std::sort(disturbed.begin(), disturbed.end(),
              [](const interval& left, const interval& right) { return left.from < right.from; });
    instant free{};
    auto reached = window.from;
    for (const auto& each : disturbed) {
        if (each.from > window.until) break;
        free += std::max(instant::zero(), each.from - reached);
        reached = std::max(reached, each.until);
    }
    return free + std::max(instant::zero(), window.until - reached);
}

/// The moments from which a lock has to come to the next one again: whenever one of those who use it tells something,
/// dies or stands still, and whenever the store takes another heartbeat of one that is gone.
std::vector<instant> signs_of(const case_file& facts, const std::string& name) {
    std::set<std::string> users;
    std::map<std::string, std::string> owners;
    std::map<std::string, instant> gone;
    for (const auto& each : facts.history) {
        if (each.name == name && each.kind == what::asked) users.insert(each.who);
        if (each.kind == what::granted) owners[each.session] = each.who;
    }
    std::set<std::string> places;
    for (const auto& who : users) places.emplace(place_of(who));

    std::vector<instant> signs{facts.begin};
    for (const auto& each : facts.history) {
        switch (each.kind) {
            case what::gave_up:
            case what::granted:
            case what::valid:
            case what::releasing:
                if (each.name == name) signs.push_back(each.end());
                break;
            case what::killed:
            case what::crashed:
            case what::over:
            case what::closed:
            case what::stopped:
                if (!users.contains(each.who)) break;
                signs.insert(signs.end(), {each.at, each.end()});
                if (each.kind != what::stopped) gone.emplace(each.who, each.end());
                break;
            case what::cut:
                if (places.contains(each.who)) signs.insert(signs.end(), {each.at, each.end()});
                break;
            case what::applied:
                if (const auto owner = owners.find(each.session); owner != owners.end()) {
                    if (const auto end = gone.find(owner->second); end != gone.end() && each.at > end->second) {
                        signs.push_back(each.at);
                    }
                }
                break;
            default:
                break;
        }
    }
    std::sort(signs.begin(), signs.end());
    signs.push_back(facts.end);
    return signs;
}

}  // namespace

void judge_progress(const case_file& facts, const terms& promised, std::vector<violation>& found) {
    const auto disturbances = disturbances_of(facts, promised.recovery);
    const auto add = [&](intervals& to, std::string_view who) {
        if (const auto known = disturbances.find(std::string(who)); known != disturbances.end()) {
            to.insert(to.end(), known->second.begin(), known->second.end());
        }
    };
    for (const auto& [name, waits] : facts.waits) {
        const auto signs = signs_of(facts, name);
        for (std::size_t i = 1; i < signs.size(); ++i) {
            if (signs[i] - signs[i - 1] <= promised.free_within) continue;
            for (const auto& each : waits) {
                const interval window{std::max(signs[i - 1], each.during.from), std::min(signs[i], each.during.until)};
                if (window.until - window.from <= promised.free_within) continue;
                intervals disturbed;
                add(disturbed, "");
                add(disturbed, each.who);
                add(disturbed, place_of(each.who));
                if (undisturbed(window, std::move(disturbed)) <= promised.free_within) continue;
                found.push_back({.promise = "P6",
                                 .words = each.who + " waited in vain, and nobody held the lock",
                                 .around = window.from,
                                 .name = name,
                                 .who = each.who});
                break;
            }
        }
    }
}

}  // namespace torture
