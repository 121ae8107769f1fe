// One change of a JSON tree.
// SPDX-License-Identifier: BSL-1.0
#include "conformance/mutation.hpp"

#include "conformance/json.hpp"

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace dynalease::conformance {

namespace {

struct place {
    json* value;
    json* parent = nullptr;  ///< null: the root
    std::string name{};      ///< in an object
};

void gather(std::vector<place>& all, place at) {
    all.push_back(at);
    for (auto& [name, member] : at.value->members) gather(all, {&member, at.value, name});
    for (auto& item : at.value->items) gather(all, {&item, at.value, {}});
}

json other_value(dice& chance) {
    static const std::array<json, 7> others{
        json{},
        json{json::kind::flag, true, {}, {}, {}},
        json{json::kind::number, false, "1", {}, {}},
        json::of(""),
        json::of("x"),
        json{json::kind::array, false, {}, {}, {}},
        json{json::kind::object, false, {}, {}, {}},
    };
    return chance.pick(others);
}

void rename(dice& chance, place at) {
    static constexpr std::array<std::string_view, 8> names{"S", "N", "B", "L", "SS", "NULL", "X", ""};
    auto moved = at.parent->members.extract(at.name);
    moved.key() = std::string(chance.pick(names));
    at.parent->members.insert(std::move(moved));
}

}  // namespace

std::string mutated(dice& chance, const std::string& body) {
    auto tree = parse_json(body).value();
    std::vector<place> places;
    gather(places, {&tree});
    const place at = places[chance.below(places.size())];
    const bool member = at.parent != nullptr && at.parent->type == json::kind::object;
    switch (chance.below(4)) {
        case 0:
            if (member) {
                at.parent->members.erase(at.name);
                break;
            }
            [[fallthrough]];
        case 1:
            if (member) {
                rename(chance, at);
                break;
            }
            [[fallthrough]];
        case 2:
            if (at.value->type == json::kind::object) {
                at.value->members.emplace("S", json::of("a"));
                break;
            }
            [[fallthrough]];
        default:
            *at.value = other_value(chance);
    }
    return to_text(tree);
}

}  // namespace dynalease::conformance
