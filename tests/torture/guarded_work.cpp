// Waits and holds of all lengths.
// SPDX-License-Identifier: BSL-1.0
#include "torture/guarded_work.hpp"

#include "torture/settings.hpp"

namespace torture {

using namespace std::chrono_literals;

std::optional<std::chrono::milliseconds> patience(dice& chance) {
    if (chance.chance(200)) return chance.between(0ms, 300ms);
    if (chance.chance(500)) return 20 * lease;
    return std::nullopt;
}

void tell_giving_back(const dynalease::session& session, const post& self, const std::string& name, std::int64_t token,
                      dynalease::error_code answer) {
    auto what_came = giving_back::failed;
    if (!answer) what_came = giving_back::done;
    if (answer == dynalease::condition::lost) what_came = giving_back::lost;
    if (answer == dynalease::condition::in_doubt) what_came = giving_back::in_doubt;
    self.tell.report({.kind = what::told,
                      .name = name,
                      .session = session.id(),
                      .token = token,
                      .value = static_cast<std::int64_t>(what_came)});
    if (answer) throw dynalease::error(answer, {});
}

std::chrono::milliseconds length_of_hold(dice& chance) {
    if (chance.chance(20)) return chance.between(lease, 2 * lease);
    if (chance.chance(100)) return chance.between(50ms, 300ms);
    return chance.between(0ms, 30ms);
}

}  // namespace torture
