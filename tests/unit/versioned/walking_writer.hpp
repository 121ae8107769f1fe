// One process that writes a versioned item, by the library's own sequences.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "version_walk.hpp"

#include "database/protocol/sequence.hpp"
#include "versioned/protocol/version_sequences.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace dynalease::protocol::test {

class walking_writer final : public writer_view {
public:
    walking_writer(version_walk& in, std::size_t number) : in_(in), number_(number) {}

    bool rests() const { return needs_.index() == 0; }
    bool pauses() const { return std::holds_alternative<pause_step*>(needs_); }
    bool awaits_answer() const { return !rests() && !pauses(); }
    bool awaits(std::uint64_t call) const { return awaits_answer() && call == call_; }
    bool may_resend() const { return awaits_answer() && !resent_ && (settles_ || intent_.repeatable); }
    bool has_doubt() const { return rests() && doubted_.has_value(); }
    /// Nothing may be sent twice of what it sends now.
    bool is_punctual() const;

    // ---- what happens ----
    void write(write_kind kind);
    void resolve();
    void close();
    /// The pause is over.
    void wake();
    void time_out();
    /// Its client sends what has no answer again, in the same call.
    void resend();
    void answer(result<any_response> with);

    // ---- the process ----
    time_point now() const noexcept override { return in_.now_; }
    double unit() override { return 0.5; }
    item_stamp new_stamp() override;
    std::string new_token() override { return "token"; }
    bool cancelled() const noexcept override { return false; }

private:
    void begin(sequence<void> what);
    void take_up(step next);
    void send();
    void plan();
    void ended();
    void told_of_doubt();
    version_walk::copy::effect effect() const;
    result<any_response> as_mutants_see(failure why);

    version_walk& in_;
    const std::size_t number_;
    stepper steps_;
    step needs_;
    std::uint64_t call_ = 1;
    write_kind kind_{};
    write_intent intent_;
    write_outcome end_;
    resolved_write resolution_;
    std::size_t record_ = 0;              ///< of what is under way
    std::optional<std::size_t> doubted_;  ///< the record of the last write, if that is in doubt
    bool settles_ = false;                ///< what is under way is about that
    write_intent sent_;                   ///< as it was when it was sent for the last time
    any_request sent_request_;
    std::uint64_t from_ = 0;   ///< the state that it was made from
    std::uint64_t shown_ = 0;  ///< the state that the last refusal showed
    unsigned sends_ = 0;
    bool resent_ = false;      ///< in this call
    bool unanswered_ = false;  ///< some copy
    bool refused_ = false;     ///< the last answer was
};

}  // namespace dynalease::protocol::test
