// Reads several items as all of them were committed at one moment.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item/protocol/item_mark.hpp"
#include "transaction/protocol/errand.hpp"
#include "transaction/protocol/transaction_header.hpp"

#include <dynalease/dynamodb/item.hpp>
#include <dynalease/item/item_ref.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// A moment is looked for so often.
inline constexpr unsigned most_moments = 10;

/// Without I/O, and a plain value. It leaves no mark, and waits for nobody.
///
/// Up to a hundred items: cutting (one call shows all of them at one moment), asking (the rows of those who hold some),
/// and that again where they do not tell. More, or too large for a call: gathering, then cutting (what was not there),
/// asking, confirming (what was there, once more), and those three again until nothing has changed.
class together_reader {
public:
    enum class phase { gathering, cutting, asking, confirming, ended };

    /// @param items each once
    together_reader(std::string coordination, std::vector<item_ref> items);

    /// @returns an errand that may leave now; to be asked until it has none.
    std::optional<errand> next(std::int64_t wall);
    void answer(std::size_t slot, errand_answer with);
    /// Nothing more is to be read.
    void stop(failure why);

    phase now() const noexcept { return phase_; }
    bool ended() const noexcept { return phase_ == phase::ended; }
    /// Why it has ended without them; `errc::transaction_conflict`: no moment was found; `errc::throttled`: nor had the
    /// service time for it.
    const failure& why() const noexcept { return why_; }
    /// Of the items, in their order; empty: there was none.
    const std::vector<std::optional<item>>& found() const noexcept { return found_; }

protected:
    /// One request of a phase.
    struct task {
        std::vector<std::size_t> items{};  ///< that it reads
        run_name run{};                    ///< or whose row
        std::chrono::nanoseconds pause{};
    };
    struct known_run {
        std::optional<transaction_header> header{};
        unsigned moment = 0;  ///< after which of them it was read
    };

    /// By the service, in a row.
    struct unread {
        unsigned times = 0;
        std::chrono::nanoseconds waited{};  ///< since the first
    };

    std::string coordination_;
    std::vector<item_ref> items_;
    bool one_call_;
    phase phase_ = phase::gathering;
    failure why_;
    std::vector<task> tasks_;                      ///< of this phase
    std::size_t sent_ = 0;                         ///< of them
    std::size_t busy_ = 0;                         ///< of those
    std::vector<std::optional<item>> seen_;        ///< each item as it lay there
    std::vector<std::optional<item>> again_;       ///< ... when it was looked at once more
    std::vector<std::optional<item_mark>> marks_;  ///< on what was seen
    std::map<std::string, known_run> runs_;        ///< by name
    unsigned moment_ = 1;                          ///< that is looked for
    unread left_unread_;
    std::vector<std::optional<item>> found_;

private:
    void begin(phase what);
    void read_each(const std::vector<std::size_t>& items);
    void cut(std::chrono::nanoseconds pause);
    void ask();
    void confirm();
    void judge(std::optional<std::size_t> changed);
    void miss(failure why);
    void miss_cut(const std::vector<std::size_t>& items, const failure& why);
    void look_again(std::chrono::nanoseconds pause = {});
    void advance();
    void fail(failure why);
    void fail_on(const std::vector<std::size_t>& items, failure why);
    any_request request_of(const task& what) const;
    void answer_cut(const std::vector<std::size_t>& items, errand_answer with);
    void answer_row(const run_name& run, const errand_answer& with);
    void answer_batch(std::vector<std::size_t> items, errand_answer with);
};

}  // namespace dynalease::protocol
