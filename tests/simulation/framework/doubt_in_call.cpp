// One mistake that every primitive could make: a client that sends a write again after an attempt without an answer is
// refused by its own first copy, and says so by `outcome::unknown` beside the refusal.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/framework/primitive.hpp"
#include "simulation/framework/rewriting_database.hpp"

#include <utility>

namespace dynalease::simulation {

namespace {

/// A refusal means what it says, even after an attempt of the same call that had no answer.
struct doubt_in_call_ignored final : rewriting_database {
    using rewriting_database::rewriting_database;
    void change_answer(result<any_response>& answer, const any_request&, purpose) override {
        if (answer) return;
        auto why = answer.error();
        if (why.code != errc::condition_failed && why.code != errc::transaction_canceled) return;
        why.outcome = outcome::not_applied;
        answer = std::move(why);
    }
};

contribution doubt_in_call_of(std::string_view name) {
    return contribution{{.name = name,
                         .mutants = {{.name = "DOUBT_IN_CALL_IGNORED",
                                      .rule = "a refusal after an attempt without an answer may be our own doing",
                                      .wrap = wrap<doubt_in_call_ignored>}}}};
}

const contribution of_each[] = {doubt_in_call_of("item_lock"), doubt_in_call_of("wall_clock"),
                                doubt_in_call_of("versioned"), doubt_in_call_of("queue"),
                                doubt_in_call_of("lock")};

}  // namespace

}  // namespace dynalease::simulation
