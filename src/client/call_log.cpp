// What the log is told of calls that fail.
// SPDX-License-Identifier: BSL-1.0
#include "client/call_log.hpp"

#include <chrono>
#include <utility>

namespace dynalease::detail {

void call_log::tell(const likeness& of, dynalease::time_point now, const std::function<std::string()>& line) {
    if (!to_) return;
    const auto [found, first] = told_.try_emplace(of);
    auto& before = found->second;
    if (!first && now - before.at < std::chrono::seconds(1)) {
        ++before.left_out;
        return;
    }
    const auto left_out = std::exchange(before, {now}).left_out;
    to_(of.level, left_out == 0 ? line() : line() + " (and " + std::to_string(left_out) + " more like it before)");
}

}  // namespace dynalease::detail
