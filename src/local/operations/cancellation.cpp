// Cancelled transactions.
// SPDX-License-Identifier: BSL-1.0
#include "local/operations/cancellation.hpp"

#include <string>
#include <utility>

namespace dynalease::local {

cancellation_reason conflict_reason() {
    return {"TransactionConflict", transaction_is_ongoing, std::nullopt};
}

failure cancelled_for(std::vector<cancellation_reason> reasons) {
    failure why(errc::transaction_canceled);
    std::string codes;
    for (const auto& reason : reasons) codes += (codes.empty() ? "" : ", ") + reason.code;
    why.details.message =
        "Transaction cancelled, please refer cancellation reasons for specific reasons [" + codes + "]";
    why.reasons = std::move(reasons);
    return why;
}

}  // namespace dynalease::local
