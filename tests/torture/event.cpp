// Events as lines of words.
// SPDX-License-Identifier: BSL-1.0
#include "torture/event.hpp"

#include <array>
#include <sstream>

namespace torture {
namespace {

constexpr std::array<std::string_view, kinds_of_event> kind_names{
    "asked",   "gave_up", "granted", "valid",   "releasing",  "told",    "over",    "closed",       "gap",
    "read",    "wrote",   "refused", "ordered", "committed",  "failed",  "doubted", "summed",       "looked_up",
    "settled", "swept",   "receipt", "balance", "stray",      "left",    "applied", "acknowledged", "fault",
    "cut",     "killed",  "stopped", "outage",  "table_lost", "starved", "crashed"};

constexpr std::string_view nothing = "-";

std::string_view shown(const std::string& text) {
    return text.empty() ? nothing : std::string_view(text);
}

}  // namespace

std::string_view to_string(what kind) noexcept {
    return kind_names[static_cast<std::size_t>(kind)];
}

std::string_view place_of(std::string_view who) noexcept {
    return who.substr(0, who.find('.'));
}

std::string to_line(const event& happened) {
    std::ostringstream line;
    line << to_string(happened.kind) << ' ' << happened.at.count() << ' ' << happened.until.count() << ' '
         << shown(happened.who) << ' ' << happened.task << ' ' << shown(happened.name) << ' ' << shown(happened.session)
         << ' ' << happened.token << ' ' << happened.value;
    return line.str();
}

std::optional<event> parse_event(std::string_view line) {
    std::istringstream words{std::string(line)};
    std::string kind;
    instant::rep at = 0;
    instant::rep until = 0;
    event happened;
    words >> kind >> at >> until >> happened.who >> happened.task >> happened.name >> happened.session >>
        happened.token >> happened.value;
    std::size_t index = 0;
    while (index < kind_names.size() && kind_names[index] != kind) ++index;
    if (!words || index == kind_names.size()) return std::nullopt;
    happened.kind = static_cast<what>(index);
    happened.at = instant(at);
    happened.until = instant(until);
    for (auto* text : {&happened.who, &happened.name, &happened.session}) {
        if (*text == nothing) text->clear();
    }
    return happened;
}

}  // namespace torture
