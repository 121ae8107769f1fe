// Carries a whole transaction out by one call of the service, which writes and tests all of it at once.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/errand.hpp"
#include "transaction/protocol/planned_writes.hpp"
#include "transaction/protocol/resolver.hpp"
#include "transaction/protocol/transaction_decisions.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// Without I/O, and a plain value. Nothing is ever marked; whose mark is in the way, is resolved before the call is
/// made again, which is the same to the byte, and has the same token.
///
/// calling <-> clearing, then ended; or withdrawing before that, if it is to be told that it was never applied.
class native_call {
public:
    enum class phase { calling, clearing, withdrawing, ended };
    using verdict = run_verdict;

    /// @param plan `fits_native` of it, or it ends at once @param coordination the table of its outcome
    native_call(std::string coordination, transaction_plan plan, rivalry rules);

    /// @returns an errand that may leave now; to be asked until it has none.
    /// @param wall seconds since the epoch: for the outcome's expiry, and for how long the service knows the token
    std::optional<errand> next(std::int64_t wall);
    void answer(std::size_t slot, errand_answer with);
    /// Gives it up, unless a call is under way that may decide it.
    void stop(failure why);

    phase now() const noexcept { return phase_; }
    verdict decided() const noexcept { return verdict_; }
    /// Why nothing was written, or nobody can tell; `errc::already_committed` if another run of its id was committed.
    const failure& why() const noexcept { return why_; }
    const transaction_plan& plan() const noexcept { return *plan_; }

protected:
    struct obstacle {
        std::optional<resolver> rival{};
        bool asked = false;  ///< it awaits an answer
        unsigned looks = 0;  ///< at those who were in the way before
    };

    struct unanswered {
        std::int64_t since;                 ///< when the first copy was sent that is without an answer
        std::chrono::nanoseconds waited{};  ///< since then, by pauses alone
    };

    std::string coordination_;
    std::shared_ptr<const transaction_plan> plan_;
    rivalry rules_;

    phase phase_ = phase::calling;
    verdict verdict_ = verdict::open;
    failure why_;
    bool asked_ = false;                  ///< the call, or what withdraws it, awaits an answer
    std::optional<unanswered> doubt_{};   ///< some copy of the call is without an answer
    std::optional<failure> stopped_{};    ///< why it is to be given up
    std::optional<std::string> over_{};   ///< the run of this id that was rolled back before
    std::vector<obstacle> obstacles_;     ///< of each item, then of each check
    std::optional<std::int64_t> expiry_;  ///< the same in all copies
    unsigned failures_ = 0;
    std::int64_t sent_at_ = 0;  ///< by the wall clock

private:
    /// Why the call is refused, as far as its reasons tell.
    struct judgement {
        bool committed = false;
        bool already = false;  ///< ... by another run of the id
        std::optional<failure> why{};
        bool for_ever = false;                          ///< no copy of this call will be applied any more
        bool waits = false;                             ///< others are in the way, for a moment
        std::optional<std::string> over{};              ///< to be gone over, from now on
        std::vector<std::optional<resolver>> rivals{};  ///< of each item, then of each check
    };
    errand paused(errand wanted);
    std::optional<errand> next_obstacle();
    item_ref place_of(std::size_t index) const;

    void answer_call(const errand_answer& with);
    void answer_obstacle(std::size_t index, errand_answer with);
    void answer_withdrawal(const errand_answer& with);
    judgement judge(const std::vector<cancellation_reason>& reasons) const;
    void judge_outcome(judgement& all, const std::optional<item>& shown) const;
    void judge_item(judgement& all, std::size_t index, const std::optional<item>& shown) const;
    void obey(judgement all);
    void call_again();
    void give_up(failure why, bool for_ever);
    void end(verdict what, failure why);
};

}  // namespace dynalease::protocol
