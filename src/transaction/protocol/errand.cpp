// How the answers to errands are taken.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/errand.hpp"

#include <string_view>
#include <utility>

namespace dynalease::protocol {

using detail::answer;

namespace {

bool was_condition(const cancellation_reason& reason) {
    return reason.code == "ConditionalCheckFailed";
}

bool passes(const cancellation_reason& reason) {
    return reason.code == "TransactionConflict" || reason.code == "ThrottlingError" ||
           reason.code == "ProvisionedThroughputExceeded";
}

/// An insert that is tied to its run: the run first, the item second.
errand_answer read_cancelled(failure why) {
    const auto& reasons = why.reasons;
    if (reasons.size() == 2 && was_condition(reasons[0])) {
        return {.kind = answer::refused, .why = std::move(why), .undecided_run_is_gone = true};
    }
    if (reasons.size() == 2 && was_condition(reasons[1])) {
        auto shown = reasons[1].current;
        return {.kind = answer::refused, .shown = std::move(shown), .why = std::move(why)};
    }
    bool again = !reasons.empty();
    for (const auto& reason : reasons)
        again = again && (reason.code == "None" || reason.code.empty() || passes(reason));
    return {.kind = again ? answer::delayed : answer::rejected, .why = std::move(why)};
}

}  // namespace

errand_answer read_answer(result<any_response> with) {
    if (with) {
        errand_answer read{.kind = answer::applied};
        if (auto* found = std::get_if<get_item_response>(&*with)) read.shown = std::move(found->found);
        if (auto* updated = std::get_if<update_item_response>(&*with)) read.shown = std::move(updated->attributes);
        return read;
    }
    auto why = std::move(with).error();
    if (why.code == errc::transaction_canceled && why.outcome != outcome::unknown)
        return read_cancelled(std::move(why));
    detail::name_size(why);
    const auto kind = detail::classify(why);
    auto shown = kind == answer::refused ? why.current : std::nullopt;
    return {.kind = kind, .shown = std::move(shown), .why = std::move(why)};
}

}  // namespace dynalease::protocol
