// How far a run of a transaction has come, and what is under way for it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/errand.hpp"
#include "transaction/protocol/transaction_decisions.hpp"

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace dynalease::protocol {

/// beginning [-> storing] -> locking [-> holding] -> committing -> closing -> finishing -> ended, with rolling_back
/// before closing if it fails, and setting_aside after it if copies of its locks may still land. One that fails before
/// its begin is answered, withdraws that in rolling_back, and ends.
enum class run_phase {
    beginning,
    storing,
    locking,
    holding,
    committing,
    rolling_back,
    closing,
    setting_aside,
    finishing,
    ended
};

/// What an errand is for.
enum class run_aim {
    nothing,
    begin,
    withdraw,
    store,
    commit,
    roll_back,
    set_aside,
    finish,
    lock,
    inserts,
    rival,
    look,
    end,
    check_rival
};

/// What the parts of a coordinator share. One errand at a time is under way for its row, in slot 0; for each of its
/// items; and for each of what its commit checks, whose numbers follow those of the items.
class run_course {
public:
    static constexpr std::size_t slot_of_row = 0;
    static constexpr std::size_t slot_of(std::size_t index) noexcept { return index + 1; }

    explicit run_course(std::size_t items_and_checks) : slots_(items_and_checks + 1) {}

    run_phase phase = run_phase::beginning;
    run_verdict verdict = run_verdict::open;
    failure why{};
    bool begun = false;     ///< its row was seen
    bool doubtful = false;  ///< some copy of its begin is without an answer

    // ---- how it fails ----
    /// It is rolled back, unless that is too late.
    void fail(failure reason);
    /// What is left, is left to others: nobody has rolled it back, and whoever resumes it may commit it.
    void break_off(failure reason);
    /// No copy of its begin was applied, and none will be.
    void end_unbegun(failure reason);

    // ---- errands ----
    run_aim aim_of(std::size_t slot) const { return slots_[slot].aim; }
    bool is_idle(std::size_t slot) const { return aim_of(slot) == run_aim::nothing; }
    bool has_room() const noexcept { return busy_ < most_errands; }
    errand leave(std::size_t slot, run_aim aim, any_request request);
    /// The same, of an errand that somebody else has made.
    errand pass_on(std::size_t slot, run_aim aim, errand made);
    /// An answer has come, or what is taken for one. @returns `nothing`: none was awaited
    run_aim take_back(std::size_t slot, const errand_answer& with);
    /// Of its errands, in a row.
    unsigned failures(std::size_t slot) const { return slots_[slot].failures; }
    void forget_failures(std::size_t slot) { slots_[slot].failures = 0; }

    // ---- so that no errand costs a look at all items ----
    /// It may want something now; first of all.
    void want_first(std::size_t index) { wanting_.push_front(index); }
    void want(std::size_t index) { wanting_.push_back(index); }
    void want_all(std::size_t items);
    std::optional<std::size_t> next_wanting();

private:
    struct slot_state {
        run_aim aim = run_aim::nothing;
        unsigned failures = 0;
    };
    void occupy(std::size_t slot, run_aim aim);

    std::vector<slot_state> slots_;
    std::size_t busy_ = 0;  ///< slots that await an answer
    std::deque<std::size_t> wanting_;
};

}  // namespace dynalease::protocol
