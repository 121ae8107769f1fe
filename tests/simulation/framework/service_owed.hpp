// Those who want something now: each of them must get it once.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace dynalease::simulation {

/// @tparam User counts how often it was `served`, and may have `gone`.
template <class User>
class service_owed {
public:
    void add(const std::shared_ptr<User>& one) { waiting_.emplace_back(one, one->served()); }
    /// Somebody who is still there and has got nothing since; null: nobody.
    std::shared_ptr<User> to_whom() const {
        for (const auto& [each, before] : waiting_) {
            auto someone = each.lock();
            if (someone && !someone->gone() && someone->served() == before) return someone;
        }
        return nullptr;
    }

private:
    std::vector<std::pair<std::weak_ptr<User>, std::uint64_t>> waiting_;
};

}  // namespace dynalease::simulation
