// Tokens, forgotten after ten minutes.
// SPDX-License-Identifier: BSL-1.0
#include "local/storage/token_memory.hpp"

#include "local/values/refusal.hpp"

namespace dynalease::local {

bool token_memory::was_done(const std::string& token, const fingerprint& request, time now) {
    forget(now);
    const auto found = entries_.find(token);
    if (found == entries_.end() || found->second.done + lifetime < now) return false;
    if (found->second.request != request) {
        throw refusal(errc::idempotency_mismatch,
                      "The request uses the same client token as a previous, but non-identical request. Do not reuse a "
                      "client token with different requests, unless the requests are identical");
    }
    if (now < found->second.done) {
        refusal at_work(errc::transaction_conflict, "Transaction from previous request is still in progress");
        at_work.why.outcome = outcome::unknown;
        throw at_work;
    }
    return true;
}

void token_memory::remember(const std::string& token, const fingerprint& request, time done) {
    by_age_.emplace_back(done, token);  // first, for a token without an age would be known for ever
    entries_.insert_or_assign(token, entry{request, done});
}

const token_memory::entry* token_memory::find(const std::string& token) const {
    const auto found = entries_.find(token);
    return found == entries_.end() ? nullptr : &found->second;
}

void token_memory::forget(time now) {
    while (!by_age_.empty() && by_age_.front().first + lifetime < now) {
        const auto found = entries_.find(by_age_.front().second);
        if (found != entries_.end() && found->second.done + lifetime < now) entries_.erase(found);
        by_age_.pop_front();
    }
}

}  // namespace dynalease::local
