// A known mistake, switched on by name: the simulation must notice it. None of this is in the shipped library.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/database.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace dynalease::simulation {

/// Either rewrites requests on their way from the library to its network (`wrap`), or is asked for by a function that
/// stands in for one of the library's (`active`; stand_ins.txt).
struct mutant {
    std::string_view name;  ///< as in the table of mutants: "MARGIN"
    std::string_view rule;  ///< the rule that it breaks
    /// It must be noticed within so many worlds.
    std::uint64_t seeds = 1000;
    /// Stands between the library and the network of each process; empty: it needs none.
    std::shared_ptr<database_backend> (*wrap)(std::shared_ptr<database_backend> network) = nullptr;
    /// Which of the primitive's worlds shows it best (`scenario::name`); empty: any.
    std::string_view scenario{};
    /// The world in which it was noticed is told, with a timeline.
    bool told = false;
};

/// The one that is on in this program; null: none.
const mutant* active_mutant() noexcept;
void activate(const mutant* chosen) noexcept;

/// For a decision function in a mutant's place: `if (active("MARGIN")) ...`.
inline bool active(std::string_view name) noexcept {
    const auto* now = active_mutant();
    return now != nullptr && now->name == name;
}

}  // namespace dynalease::simulation
