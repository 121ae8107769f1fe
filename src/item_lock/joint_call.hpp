// One request of whoever asks for several items, and who hears what becomes of it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/item_lock_impl.hpp"
#include "session/protocol/outage.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace dynalease::detail {

/// What he, and whoever waits behind him at one of the items that the request is about, know of how the service
/// answers.
struct joint_service {
    protocol::outage& of_all;
    std::vector<item_lock_impl*> items{};

    void asked() const {
        of_all.asked();
        for (auto* each : items) each->asked();
    }
    void heard(answer kind, dynalease::time_point sent, const shared_failure& why) const {
        of_all.note(kind, sent, why);
        for (auto* each : items) each->heard(kind, sent, why);
    }
};

/// Between its attempts each is told as a request of its own. Of the first, and of the end, the caller tells.
class joint_call final : public attempt_watch {
public:
    /// @param may_land of a write: true while it may; while each attempt of it was answered, there is none in doubt.
    /// Null: it reads
    joint_call(joint_service about, dynalease::time_point sent, std::function<bool()> wanted, bool* may_land = nullptr)
        : about_(std::move(about)), sent_(sent), wanted_(std::move(wanted)), may_land_(may_land) {
        set_may_land(true);
    }
    ~joint_call() { set_may_land(false); }

    void failed(const failure& why) override {
        about_.heard(classify(why), sent_, std::make_shared<const failure>(why));
        set_may_land(why.outcome == outcome::unknown);
    }
    bool goes_on() override {
        // For a caller who has gone nothing is sent that might land after all; what may have, each item resolves.
        if (!wanted_()) return false;
        about_.asked();
        set_may_land(true);
        return true;
    }

private:
    void set_may_land(bool may) {
        if (may_land_ != nullptr) *may_land_ = may;
    }

    const joint_service about_;
    const dynalease::time_point sent_;
    const std::function<bool()> wanted_;
    bool* const may_land_;
};

}  // namespace dynalease::detail
