// Carries one run of a transaction from its begin to the last item that it gives back.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/errand.hpp"
#include "transaction/protocol/run_brief.hpp"
#include "transaction/protocol/run_commit.hpp"
#include "transaction/protocol/run_course.hpp"
#include "transaction/protocol/run_inserts.hpp"
#include "transaction/protocol/run_items.hpp"
#include "transaction/protocol/run_row.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// Without I/O, and a plain value: a copy of it goes its own way, as another process would. Any number of coordinators
/// may be at work for one run.
///
/// A plan of more checks than one call takes ends before it begins.
///
/// A plan that `holds` is of locks alone: once they are in place it waits until it is told what to commit.
class coordinator {
public:
    using phase = run_phase;
    using verdict = run_verdict;

    /// @param coordination the table of the run's row
    coordinator(std::string coordination, transaction_plan plan, rivalry rules);
    /// For a run that another process began. One that is not decided, and depends on a guard, is rolled back: whether
    /// the guard holds is a matter of its own process. @param header as just read, of that run; or one that is set
    /// aside
    static coordinator resumed(std::string coordination, transaction_plan plan, rivalry rules,
                               const transaction_header& header);

    /// @returns an errand that may leave now; to be asked until it has none.
    /// @param wall seconds since the epoch, for the row's expiry alone
    std::optional<errand> next(std::int64_t wall);
    void answer(std::size_t slot, errand_answer with);
    /// What becomes of the items that it holds, and of others at the same instant: one write to an item, all in one
    /// call. Fails, and rolls back, with `errc::too_many_items` if that takes no such call.
    void commit(transaction_plan wanted);
    /// Rolls it back, unless it is decided; where a commit is under way, unless that decides it.
    void stop(failure why);

    phase now() const noexcept { return run_.phase; }
    /// Known from the commit point on: what remains to be done changes nothing any more.
    verdict decided() const noexcept { return run_.verdict; }
    /// Why it was rolled back; `errc::already_committed` if another run of its id was committed. One that ends and is
    /// still open could not be rolled back, and others may commit it: `errc::in_doubt`.
    const failure& why() const noexcept { return run_.why; }
    const transaction_plan& plan() const noexcept { return brief_->plan; }
    /// Some item is held still, for the reason that `why` says.
    bool leaves_some() const noexcept { return items_.leaves_some(); }
    bool took_over() const noexcept { return items_.took_over(); }
    /// It has given back some item.
    bool freed_some() const noexcept { return items_.freed_some(); }
    const std::vector<run_item>& items() const noexcept { return items_.all(); }
    /// Who is in the way of each of its checks; where the plan `holds`, of each part of its call.
    const std::vector<std::optional<resolver>>& check_rivals() const noexcept { return commit_.rivals(); }

protected:
    std::shared_ptr<const run_brief> brief_;
    run_course run_;
    run_row row_;
    run_items items_;
    run_inserts inserts_;
    run_commit commit_;
    std::optional<failure> stopped_{};  ///< while the commit was under way

private:
    std::optional<errand> next_for_row(std::int64_t wall);
    std::optional<errand> next_of(std::size_t index);

    void answer_begin(const errand_answer& with);
    void answer_withdrawal(const errand_answer& with);
    void judge_begin(const errand_answer& with);
    void begin_anew_over(std::string former);
    void answer_store(const errand_answer& with);
    void go_on_begun();
    void begin_to_lock();
    void answer_rival(std::size_t index, errand_answer with);
    void answer_commit(const errand_answer& with);
    void judge_commit(const errand_answer& with);
    void answer_roll_back(const errand_answer& with);
    void find_decided(const errand_answer& with);
    void decide(verdict what, std::vector<committed_lock> locks = {});
    void answer_aside(const errand_answer& with);
    void advance();
};

}  // namespace dynalease::protocol
