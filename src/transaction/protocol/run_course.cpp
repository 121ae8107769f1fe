// The course of a run.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/protocol/run_course.hpp"

#include "database/protocol/backoff.hpp"

#include <chrono>
#include <utility>

namespace dynalease::protocol {

// ---- how it fails ------------------------------------------------------------------------------------------

void run_course::fail(failure reason) {
    // A commit under way may decide it; what became of those before, its row tells.
    const bool may_fail = phase == run_phase::beginning || phase == run_phase::storing || phase == run_phase::locking ||
                          phase == run_phase::holding ||
                          (phase == run_phase::committing && aim_of(slot_of_row) != run_aim::commit);
    if (!may_fail) return;
    const bool sent = begun || doubtful || !is_idle(slot_of_row);
    if (!sent) return end_unbegun(std::move(reason));
    why = std::move(reason);
    phase = run_phase::rolling_back;
}

void run_course::break_off(failure reason) {
    if (!begun && !doubtful) return end_unbegun(std::move(reason));
    if (reason.details.message.empty()) reason.details.message = reason.code.message();
    why = detail::in_doubt(std::move(reason.details));
    phase = run_phase::ended;
}

void run_course::end_unbegun(failure reason) {
    verdict = run_verdict::rolled_back;
    why = std::move(reason);
    phase = run_phase::ended;
}

// ---- errands -----------------------------------------------------------------------------------------------

void run_course::occupy(std::size_t slot, run_aim aim) {
    slots_[slot].aim = aim;
    ++busy_;
}

errand run_course::leave(std::size_t slot, run_aim aim, any_request request) {
    occupy(slot, aim);
    const auto failed = failures(slot);
    const auto pause = failed == 0 ? std::chrono::nanoseconds{} : detail::retry_pause(failed - 1);
    return {.slot = slot, .pause = pause, .request = std::move(request)};
}

errand run_course::pass_on(std::size_t slot, run_aim aim, errand made) {
    occupy(slot, aim);
    made.slot = slot;
    return made;
}

run_aim run_course::take_back(std::size_t slot, const errand_answer& with) {
    auto& state = slots_[slot];
    const auto aim = std::exchange(state.aim, run_aim::nothing);
    if (aim == run_aim::nothing) return aim;
    --busy_;
    if (slot != slot_of_row) want_first(slot - 1);
    state.failures = detail::was_answered(with.kind) ? 0 : state.failures + 1;
    return aim;
}

void run_course::want_all(std::size_t items) {
    wanting_.clear();
    for (std::size_t i = 0; i < items; ++i) wanting_.push_back(i);
}

std::optional<std::size_t> run_course::next_wanting() {
    if (wanting_.empty()) return std::nullopt;
    const auto first = wanting_.front();
    wanting_.pop_front();
    return first;
}

}  // namespace dynalease::protocol
