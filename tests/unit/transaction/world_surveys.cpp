// Somebody who reads both things together, in the world of transactions.
// SPDX-License-Identifier: BSL-1.0
#include "transaction_world.hpp"
#include "world_plans.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol::test {

transaction_world::onlooker::onlooker(bool twice)
    : together_reader(coordination, {{things, key_of_thing(0)}, {things, key_of_thing(1)}}) {
    if (!twice) return;
    // As if they were more than one call takes.
    one_call_ = false;
    phase_ = phase::gathering;
    tasks_ = {{.items = {0, 1}}};
}

void transaction_world::onlooker::answer(std::size_t slot, errand_answer with, const world_rules& rules) {
    if (rules.survey_uncut && phase_ == phase::cutting && !one_call_) {
        transact_get_items_response none;
        none.items.resize(tasks_[slot].items.size());
        with.several = std::move(none);
    }
    if (rules.survey_once && phase_ == phase::confirming) {
        batch_get_item_response as_before;
        for (const auto each : tasks_[slot].items) as_before.items[things].push_back(*seen_[each]);
        with.several = std::move(as_before);
    }
    together_reader::answer(slot, std::move(with));
}

/// All that was committed at some moment since it began, and nothing else, may be what it is told.
void transaction_world::watch() {
    if (!looking_) return;
    const std::array now{states_[0].size() - 1, states_[1].size() - 1};
    if (moments_.empty() || moments_.back() != now) moments_.push_back(now);
    while (auto wanted = looking_->next(wall)) send(the_onlooker, *std::move(wanted));
    if (!looking_->ended()) return;
    const auto& found = looking_->found();
    const auto was_so = [&](const std::array<std::size_t, 2>& moment) {
        return *states_[0][moment[0]] == found[0] && *states_[1][moment[1]] == found[1];
    };
    if (!looking_->why().code && std::ranges::none_of(moments_, was_so))
        wrong_ = "what was read together, never was so";
    if (looking_->why().code && looking_->why().code != errc::transaction_conflict) wrong_ = "a survey failed";
    looking_.reset();
    moments_.clear();
}

}  // namespace dynalease::protocol::test
