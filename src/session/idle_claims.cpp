// Locks and items that nobody here uses at the moment.
// SPDX-License-Identifier: BSL-1.0
#include "session/idle_claims.hpp"

#include "runtime/spawn.hpp"
#include "session/protocol/lease_times.hpp"
#include "session/session_impl.hpp"

#include <utility>

namespace dynalease::detail {

idle_claims::idle_claims(session_impl& core) : core_(core), alarm_(core.world()) {}

void idle_claims::remember(std::shared_ptr<claiming_member> front) {
    if (!recent_.empty() && recent_.back() == front) return;
    recent_.push_back(std::move(front));
    if (recent_.size() > capacity) recent_.pop_front();
}

void idle_claims::audit_later(std::shared_ptr<claiming_member> front) {
    const auto due = protocol::audit_due(front->last_sent().value_or(core_.now()));
    audits_.push_back({std::move(front), due});
    if (audits_.size() > capacity) {
        auto oldest = std::move(audits_.front());
        audits_.pop_front();
        take_up(std::move(oldest), false);
    }
    if (std::exchange(auditing_, true)) return;
    // It may begin, and even end, inside this call.
    const bool begun = runtime::spawn_background(core_.world().executor, core_.life(), audit(core_.shared_from_this()));
    if (!begun) auditing_ = false;
}

void idle_claims::take_up(due_audit audit, bool look_first) {
    const auto sent = audit.front->last_sent();
    // Closed meanwhile, or sent again: then there is an entry of that time.
    if (!sent || protocol::audit_due(*sent) > audit.due) return;
    if (audit.front->has_idle_claim()) return audit.front->resolve_claim(look_first);
    // In use at this moment, and perhaps left again without another write: as late again.
    audits_.push_back({std::move(audit.front), protocol::audit_due(core_.now())});
}

void idle_claims::clear() {
    recent_.clear();
    audits_.clear();
    alarm_.wake();
}

boost::asio::awaitable<void> idle_claims::audit(std::shared_ptr<session_impl> core) {
    auto& audits = core->members().idle().audits_;
    while (!audits.empty() && core->live()) {
        co_await core->members().idle().alarm_.wait_until(audits.front().due);
        if (audits.empty() || core->now() < audits.front().due) continue;
        auto next = std::move(audits.front());
        audits.pop_front();
        core->members().idle().take_up(std::move(next), true);
    }
    core->members().idle().auditing_ = false;
}

}  // namespace dynalease::detail
