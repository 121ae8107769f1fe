// Waits and holds of all lengths.
#include "torture/guarded_work.hpp"

#include "torture/settings.hpp"

namespace torture {

using namespace std::chrono_literals;

std::optional<std::chrono::milliseconds> patience(dice& chance) {
    if (chance.chance(200)) return chance.between(0ms, 300ms);
    if (chance.chance(500)) return 20 * lease;
    return std::nullopt;
}

std::chrono::milliseconds length_of_hold(dice& chance) {
    if (chance.chance(20)) return chance.between(lease, 2 * lease);
    if (chance.chance(100)) return chance.between(50ms, 300ms);
    return chance.between(0ms, 30ms);
}

}  // namespace torture
