// The inserts of a run: as many in one call as it takes, and one call after another.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/errand.hpp"
#include "transaction/protocol/run_brief.hpp"
#include "transaction/protocol/run_course.hpp"
#include "transaction/protocol/run_items.hpp"

#include <dynalease/dynamodb/failure.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace dynalease::protocol {

/// All of them test the run's row, so that calls at the same time would be in each other's way.
class run_inserts {
public:
    explicit run_inserts(std::shared_ptr<const run_brief> brief) : brief_(std::move(brief)) {}

    /// All of them are to be sent.
    void begin();
    /// This one again: nobody is in its way any more.
    void send_again(std::size_t index) { waiting_.push_back(index); }
    /// The call leaves in the slot of its first insert.
    std::optional<errand> next(run_course& run, run_items& items);
    void answer(run_course& run, run_items& items, const errand_answer& with);
    /// Those of one call, which is under way, or to be sent again.
    const std::vector<std::size_t>& batch() const noexcept { return batch_; }

private:
    void judge(run_course& run, run_items& items, const std::vector<std::size_t>& batch,
               const std::vector<cancellation_reason>& reasons);
    void reject(run_course& run, run_items& items, const std::vector<std::size_t>& batch, const failure& why);

    std::shared_ptr<const run_brief> brief_;
    std::deque<std::size_t> waiting_;  ///< to be sent, when no call with others is under way
    std::vector<std::size_t> batch_;
    bool batch_is_new_ = true;  ///< none of them was sent before
    bool one_by_one_ = false;   ///< some call was rejected, and did not say for which of them
    unsigned batches_ = 0;      ///< different bodies of such calls
};

}  // namespace dynalease::protocol
