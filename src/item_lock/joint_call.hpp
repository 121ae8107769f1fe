// One request about several items, and who hears what becomes of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/wanted_items.hpp"
#include "session/protocol/outage.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace dynalease::detail {

/// What whoever asks for all of them, and whoever waits behind him at one of them, know of how the service answers.
struct joint_service {
    const session_impl& core;
    protocol::outage& of_all;
    std::vector<wanted_item>& items;

    void asked() const {
        of_all.asked();
        for (auto& each : items) each.front->asked();
    }
    void heard(answer kind, dynalease::time_point sent, const shared_failure& why) const {
        of_all.note(kind, sent, why);
        for (auto& each : items) each.front->heard(kind, sent, why);
    }
};

/// Between its attempts each is told as a request of its own.
class joint_call final : public attempt_watch {
public:
    /// @param may_land of a write: true while it may; while each attempt of it was answered, there is none in doubt.
    /// Null: it reads
    joint_call(joint_service about, bool* may_land, std::function<bool()> wanted)
        : about_(about), may_land_(may_land), wanted_(std::move(wanted)), sent_(about_.core.now()) {
        leaves();
    }
    ~joint_call() { set_may_land(false); }

    void failed(const failure& why) override {
        about_.heard(classify(why), sent_, std::make_shared<const failure>(why));
        set_may_land(why.outcome == outcome::unknown);
    }
    bool goes_on() override {
        // For a caller who has gone nothing is sent that might land after all.
        const bool resolves = may_land_ != nullptr && *may_land_;
        if (!resolves && !wanted_()) return false;
        leaves();
        return true;
    }

private:
    void leaves() {
        about_.asked();
        set_may_land(true);
    }
    void set_may_land(bool may) {
        if (may_land_ != nullptr) *may_land_ = may;
    }

    const joint_service about_;
    bool* const may_land_;
    const std::function<bool()> wanted_;
    const dynalease::time_point sent_;
};

}  // namespace dynalease::detail
