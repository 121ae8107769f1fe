// How the answers to errands are taken.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/errand.hpp"

#include "database/protocol/joint_reasons.hpp"

#include <utility>

namespace dynalease::protocol {

using detail::answer;

namespace {

errand_answer read_cancelled(failure why) {
    using detail::joint_reason;
    bool refused = false;
    for (const auto& reason : why.reasons) {
        const auto kind = detail::kind_of(reason);
        refused |= kind == joint_reason::condition;
        if (kind != joint_reason::stays) continue;
        // In the words of the one that would be refused again.
        auto fault = detail::failure_of(reason);
        why.code = fault.code;
        why.details.message = std::move(fault.details.message);
        return {.kind = answer::rejected, .why = std::move(why)};
    }
    const auto kind = refused ? answer::refused : why.reasons.empty() ? answer::rejected : answer::delayed;
    return {.kind = kind, .why = std::move(why)};
}

}  // namespace

errand_answer read_answer(result<any_response> with) {
    if (with) {
        errand_answer read{.kind = answer::applied};
        if (auto* found = std::get_if<get_item_response>(&*with)) read.shown = std::move(found->found);
        if (auto* all = std::get_if<transact_get_items_response>(&*with)) read.several = std::move(*all);
        if (auto* all = std::get_if<batch_get_item_response>(&*with)) read.several = std::move(*all);
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
