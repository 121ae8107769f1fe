// The end of several grants in one transaction.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/item_lock/commit_all.hpp>

#include "database/called_verb.hpp"
#include "database/protocol/backoff.hpp"
#include "database/protocol/joint_reasons.hpp"
#include "database/protocol/transact_actions.hpp"
#include "item/fresh_stamp.hpp"
#include "item_lock/item_lock_impl.hpp"
#include "item_lock/protocol/acquire_all.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"

#include <boost/asio/system_executor.hpp>

#include <algorithm>
#include <utility>

namespace dynalease {

namespace detail {

namespace {

using protocol::guarded_step;

struct last_part {
    std::shared_ptr<item_hold> hold;
    item_commit what;                             ///< its guard gives back what never begins
    std::optional<protocol::last_write> write{};  ///< of a writer; a reader only tests that it may still read
    std::optional<std::size_t> action{};          ///< its place in the transaction
    bool ended = false;                           ///< it is given back, or is about to be
};
using last_parts = std::vector<last_part>;

failure fault_of_part(const last_part& part, failure why) {
    why.details.key = part.hold->name();
    return why;
}

std::optional<failure> unfit_part(const last_part& part, const last_part& first) {
    const auto& hold = *part.hold;
    const bool writes = part.what.erase || !part.what.change.empty();
    if (hold.core() != first.hold->core()) {
        failure why(errc::invalid_option);
        why.details.message = "the guards belong to different sessions";
        return why;
    }
    if (auto why = unfit(hold, hold.state(), writes)) return why;
    return unwritable(hold, part.what.change);
}

std::optional<failure> unfit_parts(const last_parts& parts) {
    if (parts.size() > protocol::items_at_once) {
        failure why(errc::too_many_items);
        why.details.message = std::to_string(parts.size()) + " items, of at most 100 in one transaction";
        return why;
    }
    for (const auto& part : parts) {
        if (auto why = unfit_part(part, parts.front())) return fault_of_part(part, *std::move(why));
    }
    return std::nullopt;
}

transact_write action_of(last_part& part, const item_stamp& stamp) {
    if (!part.hold->exclusive()) return part.hold->fence();
    auto& [guard, change, condition, erases] = part.what;
    const auto& machine = part.hold->front().machine();
    part.write =
        erases ? machine.last_erase(condition) : machine.last_change(std::move(change), std::move(condition), stamp);
    return std::visit([](const auto& request) -> transact_write { return detail::as_action(request); },
                      part.write->request);
}

struct judged {
    bool applied = false;
    bool again = true;  ///< nothing but other writes was in the way
    std::optional<failure> why{};
};

/// What the reasons of a refusal say of the whole. @param clean no copy is unanswered.
judged judge_commit(const last_parts& parts, const failure& refused, bool clean) {
    judged all;
    for (const auto& part : parts) {
        if (part.action.value() >= refused.reasons.size()) continue;
        const auto& reason = refused.reasons[*part.action];
        const auto kind = kind_of(reason);
        if (kind == joint_reason::none || passes(kind)) continue;
        all.again = false;
        auto why = failure_of(reason);
        if (kind == joint_reason::condition) {
            const auto& machine = part.hold->front().machine();
            auto seen = protocol::read_item(machine.item().layout, answer::refused,
                                            reason.current ? &*reason.current : nullptr, true);
            seen.doubtful = !clean;
            auto step = guarded_step::lost;
            if (part.write && seen.kind == answer::refused) step = machine.judge_last(seen, *part.write);
            if (step == guarded_step::applied) return {.applied = true};
            why = step == guarded_step::lost ? failure(errc::lock_lost) : *machine.why_not(seen, part.write->raises);
        }
        if (!clean) why = failure(errc::in_doubt);
        if (!all.why) all.why = fault_of_part(part, std::move(why));
    }
    return all;
}

void end_parts(last_parts& parts) {
    for (auto& part : parts) {
        part.ended = true;
        if (part.write) {
            if (part.what.erase) part.hold->ends_by(grant_event::erased);
            part.hold->front().ended(part.hold, {});
        } else {
            part.hold->front().give_back(part.hold);
        }
    }
}

/// All of their guards have been let go.
boost::asio::awaitable<runtime::completion<void>> commit_parts(last_parts& parts, diagnostics* details) {
    const auto core = parts.front().hold->core();
    const auto& world = core->world();
    const auto refuse = [&](const failure& why) {
        // A release that follows closes every copy that has no answer.
        for (auto& part : parts) {
            // Should its time be over before that is known, it may have been given back all the same.
            if (why.code == errc::in_doubt) part.hold->tell(why);
            part.ended = true;
            part.hold->front().give_back(part.hold);
        }
        return runtime::completion<void>{report(why, details)};
    };
    transact_write_items_request sending;
    const auto stamp = fresh_stamp(world);
    for (auto& part : parts) {
        const bool ours = co_await part.hold->front().between_renewals(part.hold);
        if (!ours) co_return refuse(fault_of_part(part, failure(errc::lock_lost)));
        // Readers of one process share an entry, and a transaction names an item once.
        const auto same = std::ranges::find_if(
            parts, [&](const auto& other) { return other.action && &other.hold->front() == &part.hold->front(); });
        part.action = same == parts.end() ? sending.actions.size() : *same->action;
        if (same != parts.end()) continue;
        // At once: the grant may run out, and another begin, while the next part is waited for.
        sending.actions.push_back(action_of(part, stamp));
    }
    sending.client_request_token = world.new_id();

    const auto deadline = core->now() + protocol::resolve_within;
    bool clean = true;
    for (unsigned failures = 0;; ++failures) {
        auto copy = sending;
        auto answered = co_await core->target().call(std::move(copy));
        if (answered) break;
        auto why = std::move(answered).error();
        if (why.outcome == outcome::unknown) clean = false;
        bool again = classify(why) == answer::unanswered || classify(why) == answer::delayed;
        if (why.code == errc::transaction_canceled) {
            auto meant = judge_commit(parts, why, clean);
            if (meant.applied) break;
            again = meant.again;
            if (meant.why) why = *std::move(meant.why);
        }
        bool cancelled = co_await runtime::cancellation_requested();
        again = again && !cancelled && core->may_write() && core->now() < deadline;
        if (again) {
            runtime::alarm pause(world);
            co_await pause.wait_until(core->now() + detail::retry_pause(failures, core->unit()));
            cancelled = co_await runtime::cancellation_requested();
        }
        if (cancelled) why = failure(errc::cancelled);
        if (!core->may_write()) why = core->over_failure();
        if (!again || cancelled || !core->may_write()) {
            if (!clean) why.code = errc::in_doubt;
            co_return refuse(why);
        }
    }
    end_parts(parts);
    co_return runtime::completion<void>{};
}

boost::asio::awaitable<runtime::completion<void>> run_commit_all(last_parts parts, diagnostics* details) {
    auto unfitting = unfit_parts(parts);
    if (unfitting) co_return runtime::completion<void>{report(*unfitting, details)};
    for (auto& part : parts) part.hold->let_go();
    runtime::completion<void> done;
    try {
        done = co_await commit_parts(parts, details);
    } catch (...) {
        // For want of memory, say. Nobody else would give them back.
        for (const auto& part : parts) {
            if (!part.ended) part.hold->front().give_back(part.hold);
        }
        throw;
    }
    co_return done;
}

auto first_without_guard(const std::vector<item_commit>& parts) {
    return std::ranges::find_if(parts, [](const auto& part) { return !part.guard; });
}

}  // namespace

boost::asio::any_io_executor executor_of(const std::vector<item_commit>& parts) {
    const bool none = parts.empty() || first_without_guard(parts) != parts.end();
    if (none) return boost::asio::system_executor();  // where nothing runs
    return item_hold::of(parts.front().guard)->core()->world().executor;
}

void commit_all_verb::operator()(diagnostics* details, handler_for<void> handler) && {
    const auto missing = first_without_guard(parts);
    if (parts.empty() || missing != parts.end()) {
        failure none(errc::not_held);
        none.details.message = parts.empty() ? "there is no guard to end"
                                             : "guard " + std::to_string(missing - parts.begin() + 1) + " of " +
                                                   std::to_string(parts.size()) + " is empty";
        return answer_at_once<void>({details, "commit_all"}, none, std::move(handler));
    }
    last_parts ending;
    for (auto& part : parts) {
        auto hold = item_hold::of(part.guard);
        ending.push_back({std::move(hold), std::move(part)});
    }
    const auto executor = ending.front().hold->core()->world().executor;
    start_verb<void>(executor, {details, "commit_all"}, run_commit_all(std::move(ending), details), std::move(handler));
}

}  // namespace detail

boost::asio::awaitable<void> commit_all(std::vector<item_commit> parts) {
    auto where = detail::executor_of(parts);
    return detail::await_verb<void>(where, detail::commit_all_verb{std::move(parts)});
}

}  // namespace dynalease
