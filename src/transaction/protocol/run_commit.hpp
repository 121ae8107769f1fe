// What commits a run: the requests, what must be so when it does, and who is in the way of that.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/errand.hpp"
#include "transaction/protocol/held_requests.hpp"
#include "transaction/protocol/resolver.hpp"
#include "transaction/protocol/run_brief.hpp"
#include "transaction/protocol/run_course.hpp"
#include "transaction/protocol/run_items.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/item.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

class run_commit {
public:
    explicit run_commit(std::shared_ptr<const run_brief> brief);

    /// Where the plan `holds`: what becomes of the items, by the very call. @returns false if that takes no such call
    bool hold(const run_items& items, transaction_plan wanted);
    bool by_call() const noexcept { return call_.has_value(); }
    /// It is a call of several actions, and refused by their reasons.
    bool has_reasons() const { return by_call() || !brief_->plan.checks.empty(); }
    any_request commit(const run_items& items, std::int64_t wall) const;
    /// The next has another body.
    void renew() noexcept { ++bodies_; }

    /// Checks, or parts of the call, of which each has a reason when it is refused.
    std::size_t parts() const;
    /// Who is in the way of each check.
    const std::vector<std::optional<resolver>>& rivals() const noexcept { return rivals_; }
    /// Somebody is, who is dealt with before it is sent again.
    bool is_obstructed() const;
    /// They are of no interest any more.
    void forget_rivals();
    /// What it wants done about one of them.
    std::optional<errand> next(run_course& run, std::size_t index);
    void answer_rival(run_course& run, std::size_t index, errand_answer with);

    /// A refusal, by the reasons of checks or parts, which follow the row's.
    void judge(run_course& run, const std::vector<cancellation_reason>& reasons);
    /// Why it was rejected, told of the item that is to blame.
    failure blamed(failure why) const;

private:
    std::string token() const;
    item_ref place_of(std::size_t index) const;
    void judge_check(run_course& run, std::size_t index, const std::optional<item>& shown);
    void judge_part(run_course& run, std::size_t index, const std::optional<item>& shown);
    void meet(run_course& run, std::size_t index, item_mark mark);

    std::shared_ptr<const run_brief> brief_;
    std::optional<held_call> call_;
    std::vector<std::optional<resolver>> rivals_;
    unsigned bodies_ = 0;  ///< different ones, so far
};

}  // namespace dynalease::protocol
