// Reads what a run wants, as another process has stored it: its row, and the pages beside it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "transaction/protocol/errand.hpp"
#include "transaction/protocol/transaction_header.hpp"
#include "transaction/protocol/transaction_requests.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::protocol {

/// Without I/O, and a plain value.
///
/// The pages of a run that is not decided may not all be there yet; then it has sent no lock. One who takes it over
/// rolls it back, and reads once more: what is not there then, will never be, and there is nothing to be given back.
class plan_reader {
public:
    enum class phase { looking, reading, rolling_back, ended };

    /// Decides nothing: what is there, is shown.
    static plan_reader looking_at(std::string coordination, std::string id);
    /// @param header as just read
    static plan_reader looking_at(std::string coordination, transaction_header header);
    /// For one who brings the run to its end: it is rolled back, if its pages are not all there.
    static plan_reader taking_over(std::string coordination, std::string id);
    /// @param header as just read
    static plan_reader taking_over(std::string coordination, transaction_header header);

    /// @returns an errand that may leave now; to be asked until it has none.
    std::optional<errand> next(std::int64_t wall);
    void answer(std::size_t slot, errand_answer with);
    /// Nothing more is to be read.
    void stop(failure why);

    bool ended() const noexcept { return phase_ == phase::ended; }
    /// Why it has ended without having read it.
    const failure& why() const noexcept { return why_; }
    /// The row, with what stands in the pages. Empty: there is none.
    const std::optional<transaction_header>& found() const noexcept { return found_; }

protected:
    plan_reader(std::string coordination, std::string id, bool takes_over);
    plan_reader(std::string coordination, transaction_header header, bool takes_over);

    std::string coordination_;
    std::string id_;
    bool takes_over_;
    phase phase_ = phase::looking;
    failure why_;
    std::optional<transaction_header> found_;
    std::vector<std::optional<stored_page>> pages_;  ///< empty: it is not there
    std::size_t sent_ = 0;                           ///< of the requests of this phase
    std::size_t busy_ = 0;                           ///< ... those that are without an answer
    unsigned failures_ = 0;                          ///< of a roll-back
    bool looked_again_ = false;                      ///< though the run has committed

private:
    void begin(phase what);
    void take_row(const std::optional<item>& row);
    void read_pages();
    void take_page(std::size_t number, const std::optional<item>& row);
    void judge();
    void fail(failure why);
};

}  // namespace dynalease::protocol
