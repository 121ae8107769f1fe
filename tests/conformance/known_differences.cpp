// What is listed for whom. AWS's documents decide; where they are silent, the reason says what does.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/difference_marks.hpp"

#include <algorithm>

namespace dynalease::conformance {

namespace {

constexpr known_difference words{
    "AWS changes the words of its refusals by region and over time; their names stay", true,
    [](const difference& found) { return found.path == "message" || found.path == "CancellationReasons[].Message"; }};

}  // namespace

std::vector<const known_difference*> all_known(std::string_view server) {
    std::vector<const known_difference*> out{&words};
    std::span<const known_difference> list;
    if (server == "dynoxide") list = differences_of_dynoxide();
    if (server == "moto") list = differences_of_moto();
    for (const known_difference& each : list) out.push_back(&each);
    return out;
}

const known_difference* find_known(std::string_view server, const difference& found) {
    const auto list = all_known(server);
    const auto at = std::ranges::find_if(list, [&](const known_difference* each) { return each->matches(found); });
    return at == list.end() ? nullptr : *at;
}

bool leaves_parts(std::string_view server, const call& what, const answer& refusal) {
    return server == "moto" && refusal.error() != "ConditionalCheckFailedException" &&
           (std::holds_alternative<update_item_request>(what.request) ||
            std::holds_alternative<batch_write_item_request>(what.request));
}

}  // namespace dynalease::conformance
