// The primitives that were linked in, and the mutant that is on.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"

#include <iterator>
#include <map>
#include <utility>

namespace dynalease::simulation {

namespace {

/// Made by whoever comes first: contributions are constants of many files.
std::map<std::string_view, primitive>& known_primitives() {
    static std::map<std::string_view, primitive> all;
    return all;
}

template <class T>
void append(std::vector<T>& to, std::vector<T>&& more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

const mutant* chosen_mutant = nullptr;

}  // namespace

contribution::contribution(primitive part) {
    auto& whole = known_primitives()[part.name];
    whole.name = part.name;
    append(whole.scenarios, std::move(part.scenarios));
    append(whole.coverage_points, std::move(part.coverage_points));
    append(whole.mutants, std::move(part.mutants));
    if (part.fault_points) whole.fault_points = part.fault_points;
}

const primitive* find_primitive(std::string_view name) {
    const auto found = known_primitives().find(name);
    return found == known_primitives().end() ? nullptr : &found->second;
}

std::vector<std::string_view> primitive_names() {
    std::vector<std::string_view> names;
    for (const auto& [name, each] : known_primitives()) names.push_back(name);
    return names;
}

const mutant* active_mutant() noexcept {
    return chosen_mutant;
}

void activate(const mutant* chosen) noexcept {
    chosen_mutant = chosen;
}

}  // namespace dynalease::simulation
