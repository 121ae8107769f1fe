// Freeing an item of another transaction's mark.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/resolver.hpp"

#include "database/protocol/backoff.hpp"
#include "transaction/protocol/marking_requests.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace dynalease::protocol {

using detail::answer;

any_request resolver::request() const {
    const transaction_requests header(coordination_, mark_.owner);
    const auto widened = [](auto&& each) { return any_request(std::forward<decltype(each)>(each)); };
    switch (phase_) {
        case phase::looking:
            return header.look();
        case phase::rolling_back:
            return header.roll_back(self_.id);
        case phase::keeping:
            return std::visit(widened, unlock(where_, mark_));
        case phase::undoing:
            break;
    }
    return std::visit(widened, undo(where_, mark_));
}

errand resolver::next() const {
    return {.slot = 0, .pause = pause_, .request = request()};
}

void resolver::fail(failure why) {
    end_ = end::failed;
    why_ = std::move(why);
}

void resolver::judge(const std::optional<transaction_header>& header) {
    const auto fate = decide_mark(mark_, header);
    if (fate != mark_fate::undecided) {
        const bool over = !header || header->done || header->name != mark_.owner;
        if (over && looks_ > 0) {
            // Every item was seen free of it since: to be told by the item itself, which is written next.
            end_ = end::freed;
            return;
        }
        phase_ = fate == mark_fate::keep ? phase::keeping : phase::undoing;
        return;
    }
    if (std::exchange(beat_, header->beat) != header->beat) silent_ = {};
    switch (decide_rival(*header, self_, rules_, silent_, waited_)) {
        case rival_step::roll_back:
            phase_ = phase::rolling_back;
            return;
        case rival_step::give_up:
            end_ = end::gave_up;
            why_ = failure(errc::locked);
            why_.details.message = "transaction " + mark_.owner.id + " holds the item";
            return;
        case rival_step::wait:
            break;
    }
    phase_ = phase::looking;
    pause_ = look_pause(*header, self_, looks_++, looks_before_);
    // A pause takes as long as was asked for, or longer.
    silent_ += pause_;
    waited_ += pause_;
}

void resolver::answer(errand_answer with) {
    pause_ = {};
    if (with.kind == answer::rejected) return fail(std::move(with.why));
    if (!detail::was_answered(with.kind)) {
        // What became of a roll-back, the row tells; all else is sent again.
        if (phase_ == phase::rolling_back) phase_ = phase::looking;
        pause_ = detail::retry_pause(failures_++);
        return;
    }
    failures_ = 0;
    switch (phase_) {
        case phase::keeping:
        case phase::undoing:
            // Refused: somebody else has done it.
            end_ = end::freed;
            return;
        case phase::rolling_back:
            if (with.kind == answer::applied) {
                phase_ = phase::undoing;
                return;
            }
            break;
        case phase::looking:
            break;
    }
    auto header = parse_transaction_header(with.shown ? &*with.shown : nullptr);
    if (!header) return fail(std::move(header).error());
    judge(*header);
}

}  // namespace dynalease::protocol
