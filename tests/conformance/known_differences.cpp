// The one list of known differences. AWS's documents decide; where they are silent, the reason says what does.
#include "conformance/known_differences.hpp"

#include <algorithm>
#include <array>

namespace dynalease::conformance {

namespace {

bool words_of_a_refusal(const difference& found) {
    return found.path == "message" || found.path == "CancellationReasons[].Message";
}

constexpr std::array list{
    known_difference{"", "AWS changes the words of its refusals by region and over time; their names stay", true,
                     words_of_a_refusal},
};

}  // namespace

const known_difference* find_known(std::string_view server, const difference& found) {
    const auto at = std::ranges::find_if(list, [&](const known_difference& each) {
        return (each.server.empty() || each.server == server) && each.matches(found);
    });
    return at == list.end() ? nullptr : at;
}

}  // namespace dynalease::conformance
