// The table is drawn over the one before: cursor up, then each line cleared to its end.
// SPDX-License-Identifier: BSL-1.0
#include "lock/screen.hpp"

#include "lock/settings.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <vector>

namespace demo {
namespace {

constexpr std::size_t shown_happenings = 5;  // the table then fits into 24 rows

template <class... Values>
std::string format(const char* pattern, Values... values) {
    char line[160];
    std::snprintf(line, sizeof line, pattern, values...);
    return line;
}

long milliseconds(std::chrono::nanoseconds time) {
    return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

/// A longer line would wrap, and the next table be drawn over the wrong place.
std::size_t terminal_columns() {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string waiters_of(const scene& state, const std::string& account, instant now) {
    std::string text;
    for (const auto& worker : state.workers()) {
        if (worker.waiting_for != account || worker.ended) continue;
        text +=
            (text.empty() ? "" : ", ") + worker.name + " " + format("%ld ms", milliseconds(now - worker.waiting_since));
    }
    return text;
}

std::string doing(const worker_view& worker) {
    if (worker.state != "working" || worker.waiting_for.empty()) return worker.state;
    return "waits for " + worker.waiting_for;
}

std::string told(const happening& event, instant start) {
    return format("%6.2f s  %s", std::chrono::duration<double>(event.when - start).count(), event.text.c_str());
}

std::vector<std::string> table_of(const scene& state, const std::string& lease_line, instant start) {
    const auto now = std::chrono::steady_clock::now();
    std::vector<std::string> lines;
    lines.push_back(format("%6.2f s  %zu processes move money between %zu accounts; lease %ld ms",
                           std::chrono::duration<double>(now - start).count(), state.workers().size(),
                           state.accounts().size(), milliseconds(worker_lease)));
    lines.emplace_back();
    lines.push_back(format("%-10s %8s  %-10s %-15s %s", "account", "balance", "holder", "token", "waiting"));
    for (const auto& [name, account] : state.accounts()) {
        const auto holder = account.holder ? state.workers()[*account.holder].name : "";
        lines.push_back(format("%-10s %8ld  %-10s %-15ld %s", name.c_str(), static_cast<long>(account.balance),
                               holder.c_str(), static_cast<long>(account.fencing_token),
                               waiters_of(state, name, now).c_str()));
    }
    lines.emplace_back();
    lines.push_back(format("%-10s %8s  %-26s %9s  %s", "worker", "pid", "does", "transfers", "longest wait"));
    for (const auto& worker : state.workers()) {
        lines.push_back(format("%-10s %8d  %-26s %9ld  %ld ms", worker.name.c_str(), static_cast<int>(worker.pid),
                               doing(worker).c_str(), static_cast<long>(worker.transfers),
                               milliseconds(worker.longest_wait)));
    }
    lines.emplace_back();
    const auto& events = state.happenings();
    const auto shown = std::min(events.size(), shown_happenings);
    for (std::size_t i = events.size() - shown; i < events.size(); ++i) lines.push_back(told(events[i], start));
    if (!lease_line.empty()) lines.push_back("          one process: " + lease_line);
    return lines;
}

}  // namespace

screen::screen() : terminal_(::isatty(STDOUT_FILENO) == 1), start_(std::chrono::steady_clock::now()) {}

void screen::show(const scene& now_playing, const std::string& lease_line) {
    if (terminal_) {
        std::string frame = drawn_lines_ > 0 ? "\x1b[" + std::to_string(drawn_lines_) + "A" : "";
        const auto lines = table_of(now_playing, lease_line, start_);
        for (const auto& line : lines) frame += line.substr(0, terminal_columns()) + "\x1b[K\n";
        std::fputs((frame + "\x1b[J").c_str(), stdout);
        std::fflush(stdout);
        drawn_lines_ = lines.size();
        return;
    }
    const auto& events = now_playing.happenings();
    for (; told_ < events.size(); ++told_) std::fprintf(stderr, "%s\n", told(events[told_], start_).c_str());
    if (!lease_line.empty() && lease_line != told_lease_line_)
        std::fprintf(stderr, "          one process: %s\n", lease_line.c_str());
    told_lease_line_ = lease_line;
}

}  // namespace demo
