// Finding circles.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/dependencies.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace dynalease::simulation::transfers {

namespace {

std::vector<std::int64_t> told_apart(std::vector<std::int64_t> entries) {
    constexpr std::int64_t beyond_all = 1'000'000'000;
    std::map<std::int64_t, std::int64_t> times;
    for (auto& each : entries) each += beyond_all * times[each]++;
    return entries;
}

}  // namespace

void dependencies::list(std::size_t item, std::vector<std::int64_t> entries) {
    lists_[item] = told_apart(std::move(entries));
}

void dependencies::read(std::int64_t by, std::size_t item, std::vector<std::int64_t> entries) {
    reads_.push_back({by, item, told_apart(std::move(entries))});
}

std::optional<std::string> dependencies::add_sight(edges& graph, const sight& read) const {
    const auto found = lists_.find(read.item);
    if (found == lists_.end()) return std::nullopt;
    const auto& whole = found->second;
    const auto [seen, rest] = std::ranges::mismatch(read.entries, whole);
    if (seen != read.entries.end()) {
        return "wish " + std::to_string(read.by) + " has read of x" + std::to_string(read.item) + " what " +
               std::to_string(*seen) + " wrote, of which nothing is left";
    }
    if (!read.entries.empty() && read.entries.back() != read.by) graph[read.entries.back()].insert(read.by);
    if (rest != whole.end() && *rest != read.by) graph[read.by].insert(*rest);
    return std::nullopt;
}

std::optional<std::string> dependencies::contradiction() const {
    edges graph;
    for (const auto& [item, entries] : lists_) {
        for (std::size_t i = 1; i < entries.size(); ++i) {
            if (entries[i - 1] != entries[i]) graph[entries[i - 1]].insert(entries[i]);
        }
    }
    for (const auto& each : reads_) {
        if (auto wrong = add_sight(graph, each)) return wrong;
    }
    enum class mark { on_path, done };
    std::map<std::int64_t, mark> met;
    std::optional<std::string> circle;
    const std::function<void(std::int64_t)> follow = [&](std::int64_t from) {
        met[from] = mark::on_path;
        for (const auto to : graph[from]) {
            const auto before = met.find(to);
            if (before == met.end())
                follow(to);
            else if (before->second == mark::on_path && !circle)
                circle = "no order: " + std::to_string(to) + " before ... " + std::to_string(from) + " before " +
                         std::to_string(to);
        }
        met[from] = mark::done;
    };
    std::vector<std::int64_t> all;
    for (const auto& [from, to] : graph) all.push_back(from);
    for (const auto from : all) {
        if (!met.contains(from)) follow(from);
    }
    return circle;
}

}  // namespace dynalease::simulation::transfers
