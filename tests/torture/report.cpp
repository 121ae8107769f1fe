// Counts what happened, and cuts the history around a violation.
// SPDX-License-Identifier: BSL-1.0
#include "torture/report.hpp"

#include "support/json_line.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace torture {
namespace {

constexpr std::size_t most_shown = 10;
constexpr std::size_t lines_before = 60;
constexpr std::size_t lines_after = 25;

double milliseconds(instant time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

bool concerns(const event& each, const violation& about) {
    if (each.kind == what::applied || each.kind == what::acknowledged || each.kind == what::fault) {
        return !about.who.empty() && place_of(each.who) == place_of(about.who);
    }
    return about.name.empty() || each.name.empty() || each.name == about.name;
}

void print_around(const case_file& facts, const violation& about) {
    std::vector<const event*> before;
    std::vector<const event*> after;
    for (const auto& each : facts.history) {
        if (!concerns(each, about)) continue;
        if (each.at <= about.around) before.push_back(&each);
        if (each.at > about.around && after.size() < lines_after) after.push_back(&each);
    }
    const auto print = [&](const event& each) {
        const double from = milliseconds(each.at - about.around);
        const double until = milliseconds(each.end() - about.around);
        std::fprintf(stderr, "  %+12.3f %+12.3f ms  %s\n", from, until, to_line(each).c_str());
    };
    const auto skipped = before.size() - std::min(before.size(), lines_before);
    std::for_each(before.begin() + static_cast<std::ptrdiff_t>(skipped), before.end(), [&](auto* e) { print(*e); });
    std::fprintf(stderr, "  -------------------------------- here\n");
    std::for_each(after.begin(), after.end(), [&](auto* e) { print(*e); });
}

/// From each kill of a holder to the next grant of what it held.
std::vector<instant> take_overs(const case_file& facts) {
    std::map<std::string, instant> killed;
    for (const auto& each : facts.history) {
        if (each.kind == what::killed) killed[each.who] = each.at;
    }
    std::vector<instant> times;
    for (const auto& [name, grants] : facts.grants) {
        for (std::size_t i = 0; i + 1 < grants.size(); ++i) {
            const auto death = killed.find(grants[i].who);
            const bool held = grants[i].from && !grants[i].releasing;
            if (!held || death == killed.end() || grants[i + 1].granted < death->second) continue;
            times.push_back(grants[i + 1].granted - death->second);
        }
    }
    std::sort(times.begin(), times.end());
    return times;
}

std::uint64_t hand_overs(const case_file& facts) {
    std::uint64_t count = 0;
    for (const auto& [name, grants] : facts.grants) {
        for (std::size_t i = 1; i < grants.size(); ++i) count += grants[i].who != grants[i - 1].who ? 1 : 0;
    }
    return count;
}

/// Runs of transfers whose process was never told what came of them, since it died, or that nobody knows.
struct left_runs {
    std::size_t all = 0;
    std::size_t happened = 0;
};

left_runs left_runs_in(const case_file& facts) {
    using run = std::tuple<std::string, std::int64_t, std::int64_t>;
    std::set<run> left;
    for (const auto& each : facts.history) {
        const run its{each.who, each.task, each.token};
        if (each.kind == what::ordered) left.insert(its);
        if (each.kind == what::committed || each.kind == what::failed) left.erase(its);
    }
    left_runs counted{.all = left.size()};
    for (const auto& each : facts.history) {
        const bool happened = each.kind == what::receipt && left.contains({each.who, each.task, each.token});
        counted.happened += happened ? 1 : 0;
    }
    return counted;
}

std::int64_t swept(const case_file& facts) {
    std::int64_t count = 0;
    for (const auto& each : facts.history) count += each.kind == what::swept ? each.value : 0;
    return count;
}

}  // namespace

void print_violations(const case_file& facts, const std::vector<violation>& found) {
    for (std::size_t i = 0; i < std::min(found.size(), most_shown); ++i) {
        const auto& each = found[i];
        std::fprintf(stderr, "%s %s%s%s\n", each.promise.c_str(), each.name.c_str(), each.name.empty() ? "" : ": ",
                     each.words.c_str());
        print_around(facts, each);
    }
    if (found.size() > most_shown) std::fprintf(stderr, "... and %zu more\n", found.size() - most_shown);
}

std::vector<std::string> missing_in(const case_file& facts, const circumstances& run) {
    std::vector<std::string> missing;
    const auto demand = [&](what kind, const char* otherwise) {
        const auto there = std::any_of(facts.history.begin(), facts.history.end(),
                                       [=](const event& each) { return each.kind == kind; });
        if (!there) missing.emplace_back(otherwise);
    };
    demand(what::killed, "nobody was killed");
    if (run.primitive == "transaction") {
        demand(what::committed, "no transfer has committed");
        demand(what::summed, "nobody has seen all accounts at one moment");
        demand(what::settled, "nobody has ended a transaction of another");
        demand(what::swept, "nobody has swept");
        demand(what::balance, "nobody has counted the funds at the end");
    } else {
        demand(what::granted, "nobody was granted anything");
        demand(what::told, "nobody was told what came of giving back");
    }
    return missing;
}

void print_result(const case_file& facts, std::size_t violations, const circumstances& run) {
    std::map<what, std::uint64_t> counts;
    std::map<std::string, std::uint64_t> faults;
    for (const auto& each : facts.history) {
        ++counts[each.kind];
        if (each.kind == what::fault) ++faults[each.name];
    }
    support::json_line line;
    line.add("torture", run.primitive)
        .add("seed", run.seed)
        .add("seconds", milliseconds(facts.end - facts.begin) / 1000, 1)
        .add("kills", counts[what::killed])
        .add("pauses", counts[what::stopped])
        .add("restarts", counts[what::table_lost])
        .add("outages", counts[what::outage])
        .add("partitions", counts[what::cut])
        .add("starvations", counts[what::starved]);
    for (const auto& [name, count] : faults) line.add(name, count);
    if (run.primitive == "transaction") {
        const auto left = left_runs_in(facts);
        line.add("committed", counts[what::committed])
            .add("failed", counts[what::failed])
            .add("in_doubt", counts[what::doubted])
            .add("receipts", counts[what::receipt])
            .add("left", left.all)
            .add("left_and_committed", left.happened)
            .add("sums", counts[what::summed])
            .add("ended_for_others", counts[what::settled])
            .add("swept", swept(facts))
            .add("stray_marks", counts[what::stray]);
    } else {
        line.add("grants", counts[what::granted])
            .add("hand_overs", hand_overs(facts))
            .add("writes", counts[what::wrote])
            .add("refused", counts[what::refused]);
    }
    line.add("sessions_lost", counts[what::over]);
    if (const auto times = take_overs(facts); !times.empty()) {
        line.add("take_overs", times.size())
            .add("take_over_ms_median", milliseconds(times[times.size() / 2]), 0)
            .add("take_over_ms_worst", milliseconds(times.back()), 0);
    }
    line.add("violations", violations).print();
}

}  // namespace torture
