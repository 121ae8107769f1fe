// Recordings as files, and events as text.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/replay.hpp"

#include "simulation/framework/campaign.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <ostream>
#include <sstream>
#include <vector>

namespace dynalease::simulation {

namespace {

using recording = testing::tape::recording;

/// One line a label: the label, a tab, and its choices; zeros at the end are left out, for they are what is missing.
void write_recording(const recording& choices, std::ostream& out) {
    for (const auto& [label, made] : choices) {
        auto last = made.size();
        while (last > 0 && made[last - 1] == 0) --last;
        if (last == 0) continue;
        out << label << '\t';
        for (std::size_t i = 0; i < last; ++i) out << (i == 0 ? "" : " ") << made[i];
        out << '\n';
    }
}

recording read_recording(std::istream& in) {
    recording choices;
    for (std::string line; std::getline(in, line);) {
        const auto tab = line.find('\t');
        if (tab == std::string::npos) throw std::runtime_error("not a recording: " + line);
        std::istringstream numbers(line.substr(tab + 1));
        auto& made = choices[line.substr(0, tab)];
        for (std::uint64_t each = 0; numbers >> each;) made.push_back(each);
    }
    return choices;
}

std::string seconds(time_point at) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(6) << std::chrono::duration<double>(at.time_since_epoch()).count();
    return text.str();
}

void tell(const trace& events, std::ostream& out) {
    for (const auto& each : events.events()) {
        out << std::setw(14) << seconds(each.at) << "  " << std::setw(6) << each.node << "  " << each.what << '\n';
    }
}

/// A row for each node, a column for each hundredth of the time; a mark for what happened to it last in that.
void draw_timeline(const trace& events, std::ostream& out) {
    constexpr std::size_t columns = 100;
    if (events.events().empty()) return;
    const auto end = events.events().back().at.time_since_epoch() + std::chrono::nanoseconds(1);
    std::map<std::string, std::string> rows;
    for (const auto& each : events.events()) {
        if (each.node.empty()) continue;
        auto& row = rows.try_emplace(each.node, columns, '.').first->second;
        const auto at = static_cast<std::size_t>(static_cast<double>(each.at.time_since_epoch().count()) /
                                                 static_cast<double>(end.count()) * columns);
        auto& mark = row[std::min(at, columns - 1)];
        // Capitals are for what changes who holds, and win over requests.
        const char now = each.what.empty() ? '.' : each.what.front();
        if (std::isupper(static_cast<unsigned char>(mark)) == 0) mark = now;
    }
    out << "\ntimeline of " << seconds(time_point(end))
        << " s (the first letter of a line above, a capital before r request and b beat)\n";
    for (const auto& [node, row] : rows) out << std::setw(6) << node << "  " << row << '\n';
}

}  // namespace

std::optional<std::string> replay(const primitive& what, const std::string& seed_or_file, std::string_view scenario,
                                  std::ostream& out) {
    const bool is_seed = std::all_of(seed_or_file.begin(), seed_or_file.end(),
                                     [](unsigned char each) { return std::isdigit(each) != 0; });
    std::optional<testing::tape> choices;
    if (is_seed) {
        choices.emplace(std::stoull(seed_or_file));
    } else {
        std::ifstream file(seed_or_file);
        if (!file) throw std::runtime_error("cannot read " + seed_or_file);
        choices.emplace(read_recording(file));
    }
    trace events(true);
    const auto outcome = play(what, *choices, events, scenario);
    tell(events, out);
    draw_timeline(events, out);
    out << "\nscenario " << outcome.scenario << ", trace " << std::hex << outcome.hash << std::dec << '\n'
        << (outcome.broken ? "broken: " + *outcome.broken : "all promises held") << '\n';
    return outcome.broken;
}

std::string shrink_to_file(const primitive& what, std::uint64_t seed, std::string_view scenario,
                           std::ostream& progress) {
    testing::tape choices(seed);
    trace events;
    const auto first = play(what, choices, events, scenario);
    if (!first.broken) return {};
    // Another promise broken by a plainer world is another failure: "P2: ..." must stay a "P2: ...".
    const auto promise = first.broken->substr(0, first.broken->find(':'));
    // Plain choices make busy worlds: what is not found within a minute is not worth the wait.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    unsigned tried = 0;
    const auto fails = [&](const recording& candidate) {
        if (std::chrono::steady_clock::now() > patience) return false;
        if (++tried % 50 == 0) progress << "shrinking: " << tried << " worlds tried\n";
        testing::tape plainer(candidate);
        trace silent;
        const auto outcome = play(what, plainer, silent, scenario);
        return outcome.broken && outcome.broken->substr(0, outcome.broken->find(':')) == promise;
    };
    const auto least = testing::shrink(choices.recorded(), fails);
    const auto name = "build/simulation/" + std::string(what.name) + "-" + std::to_string(seed) + ".tape";
    std::filesystem::create_directories(std::filesystem::path(name).parent_path());
    std::ofstream file(name);
    write_recording(least, file);
    return name;
}

}  // namespace dynalease::simulation
