// Texts and moments.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/wall_clock/moments.hpp"

#include <array>
#include <cstdio>

namespace dynalease::simulation::wall_clocks {

using namespace std::chrono_literals;

std::optional<moment> moment_in(std::string_view text) {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    std::array<int, 4> rest{};
    const std::string whole(text);
    const auto read = std::sscanf(whole.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d.%6d", &year, &month, &day, &rest[0], &rest[1],
                                  &rest[2], &rest[3]);
    if (read < 6 || !text.ends_with("+00:00")) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
    return std::chrono::sys_days(date) + std::chrono::hours(rest[0]) + std::chrono::minutes(rest[1]) +
           std::chrono::seconds(rest[2]) + std::chrono::microseconds(rest[3]);
}

std::string foreign_text(moment when) {
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(when - day);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06d", int(date.year()),
                  unsigned(date.month()), unsigned(date.day()), int(time.hours().count()), int(time.minutes().count()),
                  int(time.seconds().count()), int(time.subseconds().count()));
    std::string whole = text.data();
    if (time.subseconds() == 0us) whole.resize(whole.find('.'));
    return whole + "+00:00";
}

}  // namespace dynalease::simulation::wall_clocks
