// One pass over the events in the order of their times.
// SPDX-License-Identifier: BSL-1.0
#include "torture/case_file.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace torture {
namespace {

using wait_key = std::tuple<std::string, std::int64_t, std::string>;   ///< process, task, name
using grant_key = std::tuple<std::string, std::string, std::int64_t>;  ///< process, name, token

wait_key wait_of(const event& happened) {
    return {happened.who, happened.task, happened.name};
}

grant_key grant_of(const event& happened) {
    return {happened.who, happened.name, happened.token};
}

instant place_in_time(const grant& each) {
    return each.from.value_or(each.granted);
}

}  // namespace

case_file::case_file(std::vector<event> unordered) : history(std::move(unordered)) {
    std::stable_sort(history.begin(), history.end(),
                     [](const event& left, const event& right) { return left.at < right.at; });
    if (history.empty()) return;
    begin = history.front().at;
    for (const auto& each : history) end = std::max(end, each.end());

    std::map<wait_key, event> asked;
    std::map<std::string, instant> sessions;
    std::map<grant_key, std::size_t> granted;  // as an index into `grants`
    const auto end_wait = [&](std::map<wait_key, event>::iterator wait, instant when, bool ended) {
        const auto& [who, task, name] = wait->first;
        waits[name].push_back({.who = who, .during = {wait->second.at, when}, .ended = ended});
        return asked.erase(wait);
    };
    for (const auto& each : history) {
        const auto wait = asked.find(wait_of(each));
        if (!each.session.empty()) sessions.emplace(each.session, each.at);
        if (each.kind == what::asked) {
            asked[wait_of(each)] = each;
        } else if (each.kind == what::gave_up && wait != asked.end()) {
            end_wait(wait, each.at, true);
        } else if (each.kind == what::granted) {
            auto& all = grants[each.name];
            granted[grant_of(each)] = all.size();
            all.push_back({.who = each.who,
                           .task = each.task,
                           .name = each.name,
                           .session = each.session,
                           .token = each.token,
                           .session_since = sessions[each.session],
                           .asked = wait == asked.end() ? each.at : wait->second.at,
                           .granted = each.at});
            if (wait != asked.end()) end_wait(wait, each.at, true);
        } else if (each.kind == what::table_lost) {
            losses.push_back(each.at);
        } else if (const auto held = granted.find(grant_of(each)); held != granted.end()) {
            auto& mine = grants[each.name][held->second];
            if (each.kind == what::valid) {
                if (!mine.from) mine.from = each.at;
                mine.until = std::max(mine.until, each.until);
            } else if (each.kind == what::releasing) {
                mine.releasing = each.at;
            } else if (each.kind == what::told) {
                mine.told_done = each.value == static_cast<std::int64_t>(giving_back::done);
            }
        }
        if (each.kind == what::killed || each.kind == what::crashed) {
            for (auto other = asked.begin(); other != asked.end();) {
                other = std::get<0>(other->first) == each.who ? end_wait(other, each.at, true) : std::next(other);
            }
        }
    }
    for (auto wait = asked.begin(); wait != asked.end();) wait = end_wait(wait, end, false);
    for (auto& [name, all] : grants) {
        std::stable_sort(all.begin(), all.end(), [](const grant& left, const grant& right) {
            return place_in_time(left) < place_in_time(right);
        });
    }
}

bool case_file::lost_table_in(instant from, instant until) const {
    return std::any_of(losses.begin(), losses.end(), [=](instant loss) { return from < loss && loss <= until; });
}

}  // namespace torture
