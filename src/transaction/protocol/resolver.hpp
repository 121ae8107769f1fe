// Frees one item of the mark of another transaction: the way every transaction, sweeper and operator takes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/errand.hpp"
#include "transaction/protocol/transaction_decisions.hpp"

#include <dynalease/dynamodb/operations.hpp>
#include <dynalease/item/item_ref.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace dynalease::protocol {

/// Without I/O, and a plain value: a copy of it goes its own way. It looks at the run's row after the item was seen; it
/// waits for a run that is not decided, or rolls it back; and then ends the mark that it saw, and no other.
class resolver {
public:
    enum class end { none, freed, gave_up, failed };

    /// @param mark as it was seen on the item @param self for the row of a run that is rolled back @param looks made
    /// at others who held the item before, while it was waited for
    resolver(std::string coordination, item_ref where, item_mark mark, seniority self, rivalry rules,
             unsigned looks = 0)
        : coordination_(std::move(coordination)),
          where_(std::move(where)),
          mark_(std::move(mark)),
          self_(std::move(self)),
          rules_(rules),
          looks_before_(looks) {}

    /// Until it has ended. @returns what it wants done next, in slot 0
    errand next() const;
    void answer(errand_answer with);

    /// `freed`: this mark is off the item, or was taken off by its own run when it ended; there may be another.
    /// `gave_up`: the rules let it wait no longer.
    end ended() const noexcept { return end_; }
    const failure& why() const noexcept { return why_; }
    const item_mark& mark() const noexcept { return mark_; }
    /// At all who held the item, so far.
    unsigned looks() const noexcept { return looks_before_ + looks_; }

    enum class phase { looking, rolling_back, keeping, undoing };
    phase now() const noexcept { return phase_; }

protected:
    std::string coordination_;
    item_ref where_;
    item_mark mark_;
    seniority self_;
    rivalry rules_;

    phase phase_ = phase::looking;
    end end_ = end::none;
    failure why_;
    std::chrono::nanoseconds pause_{};
    unsigned failures_ = 0;
    unsigned looks_before_;             ///< at others
    unsigned looks_ = 0;                ///< at this one, while it was not decided
    std::optional<std::int64_t> beat_;  ///< as the row last said
    std::chrono::nanoseconds silent_{};
    std::chrono::nanoseconds waited_{};

private:
    void judge(const std::optional<transaction_header>& header);
    void fail(failure why);
    any_request request() const;
};

}  // namespace dynalease::protocol
