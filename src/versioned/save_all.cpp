// Several versioned writes in one transaction.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/versioned/save_all.hpp>

#include "database/called_verb.hpp"
#include "database/protocol/backoff.hpp"
#include "database/protocol/joint_reasons.hpp"
#include "database/protocol/reply.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"
#include "versioned/joint_plan.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::joint_entry;
using detail::joint_plan;
using detail::write_intent;
using protocol::verdict;

constexpr std::chrono::seconds longest_wait{10};

errc code_of(verdict meant) {
    switch (meant) {
        case verdict::held:
            return errc::locked;
        case verdict::condition_false:
            return errc::condition_failed;
        case verdict::exists:
        case verdict::create_over:
            return errc::exists;
        case verdict::missing:
            return errc::missing;
        default:
            return errc::conflict;
    }
}

std::optional<protocol::visible_item> sight_in(const write_intent& intent, const std::optional<item>& found) {
    auto sight = protocol::visible_in(intent.core->layout(), found);
    return sight ? *std::move(sight) : std::nullopt;
}

/// All entries as they were written.
joint_result all_saved(const joint_plan& plan) {
    joint_result done;
    for (const auto& part : plan.parts) {
        auto& entry = done.entries().emplace_back();
        if (!part.intent || part.intent->removes) continue;
        entry.saved = detail::stored_in(sight_in(*part.intent, detail::item_after(*part.intent)));
        if (entry.saved) entry.saved->partial = part.intent->partial;
    }
    return done;
}

/// What one entry has to do with the end of all.
enum class part_verdict {
    none,
    applied,
    passes,   ///< others were in its way for a moment
    refused,  ///< all is refused; and if this tests what never returns, no late copy can be applied either
    open,     ///< a late copy may be applied
    replan,   ///< a tombstone came or went
};

part_verdict judge_part(const joint_plan::part& part, const cancellation_reason& reason, bool clean,
                        joint_result::entry& entry) {
    const auto kind = detail::kind_of(reason);
    if (kind == detail::joint_reason::none) return part_verdict::none;
    if (kind == detail::joint_reason::passes) {
        entry.code = errc::transaction_conflict;
        return part_verdict::passes;
    }
    // What is not ours may be otherwise when a late copy comes.
    const auto for_now = clean ? part_verdict::refused : part_verdict::open;
    entry.code = kind == detail::joint_reason::condition ? errc::condition_failed : detail::failure_of(reason).code;
    if (kind != detail::joint_reason::condition || !part.intent) return for_now;

    const auto& intent = *part.intent;
    const auto seen = protocol::visible_in(intent.core->layout(), reason.current);
    if (!seen) {
        entry.code = seen.error().code;
        return for_now;
    }
    const auto& sight = *seen;
    const auto meant = detail::decide(intent, sight ? &*sight : nullptr, clean);
    entry.code = code_of(meant);
    if (intent.how == write_intent::test::checked) entry.expected = intent.write.base.version;
    if (sight && !sight->gone) {
        entry.found = sight->state.version;
        entry.holder = sight->holder;
        entry.current = detail::stored_in(sight);
    }
    switch (meant) {
        case verdict::applied:
        case verdict::superseded:
            return part_verdict::applied;
        case verdict::again:
        case verdict::doubt:
            return part_verdict::open;
        case verdict::create_over:
        case verdict::create_anew:
            return part_verdict::replan;
        case verdict::condition_false:
            if (auto over = detail::overflow_of(intent, *sight)) entry.code = over->code;
            return part_verdict::refused;
        default:
            return part_verdict::refused;
    }
}

enum class joint_verdict { applied, refused, again, replan, doubt };

/// What the reasons of a cancelled transaction say of all of it.
joint_verdict judge_reasons(const joint_plan& plan, const failure& why, bool clean, joint_result& into) {
    into = {};
    bool all_pass = true;
    std::vector<part_verdict> each;
    for (std::size_t i = 0; i < plan.parts.size(); ++i) {
        auto& entry = into.entries().emplace_back();
        if (i < why.reasons.size()) each.push_back(judge_part(plan.parts[i], why.reasons[i], clean, entry));
        if (i < why.reasons.size()) all_pass = all_pass && each.back() <= part_verdict::passes;
    }
    const auto some = [&](part_verdict wanted) { return std::ranges::find(each, wanted) != each.end(); };
    if (some(part_verdict::applied)) return joint_verdict::applied;
    if (all_pass) return joint_verdict::again;
    if (some(part_verdict::refused)) return joint_verdict::refused;
    if (some(part_verdict::open)) return joint_verdict::again;
    return some(part_verdict::replan) ? joint_verdict::replan : joint_verdict::doubt;
}

/// Creations over the tombstones that the refusal showed. @returns what is wrong with one.
std::optional<failure> plan_anew(joint_plan& plan, const failure& why, const joint_result& refused) {
    for (std::size_t i = 0; i < plan.parts.size(); ++i) {
        auto& part = plan.parts[i];
        if (!part.intent || refused.at(i).code != errc::exists) continue;
        const auto sight = sight_in(*part.intent, why.reasons[i].current);
        if (!sight) {
            detail::plan_without_tombstone(*part.intent);
        } else if (auto full = detail::plan_create_over(*part.intent, *sight)) {
            return full;
        }
        detail::plan_action(part);
    }
    return std::nullopt;
}

/// Names the first entry that is to blame, and takes its code.
void blame(failure& why, const joint_plan& plan, const joint_result& refused) {
    for (std::size_t i = 0; i < refused.size(); ++i) {
        const auto& entry = refused.at(i);
        if (!entry.code || entry.code == errc::transaction_conflict) continue;
        const auto& part = plan.parts[i];
        const auto key = part.intent ? std::optional(part.intent->key) : detail::key_of(part.action);
        const auto version = [](const auto& one) {
            return one ? "version " + std::to_string(*one) : std::string("no version");
        };
        why.code = entry.code;
        why.details.table = detail::table_of(part.action);
        why.details.key = key ? detail::text_of(*key) : std::string();
        why.details.message = "entry " + std::to_string(i);
        if (entry.code == errc::conflict) {
            why.details.message += ": expected " + version(entry.expected) + ", found " + version(entry.found);
        } else if (entry.code == errc::locked) {
            why.details.message += ": held by " + entry.holder;
        } else if (part.intent && i < why.reasons.size()) {
            const auto sight = protocol::visible_in(part.intent->core->layout(), why.reasons[i].current);
            if (!sight) why.details.message += ": " + sight.error().details.message;
        }
        return;
    }
}

awaitable<runtime::completion<joint_result>> run_save_all(database target, std::vector<joint_entry> entries,
                                                          diagnostics* details) {
    runtime::completion<joint_result> done;
    auto planned = detail::plan_jointly(std::move(entries));
    if (!planned) {
        done.code = detail::report(planned.error(), details);
        co_return done;
    }
    const auto plan = std::make_shared<joint_plan>(*std::move(planned));
    const auto& world = target.environment();
    const auto deadline = world.clock->now() + longest_wait;
    transact_write_items_request request{.actions = plan->actions(), .client_request_token = world.new_id()};
    bool clean = true;
    const auto end = [&](failure why) {
        done.value = {};  // no entry is to blame
        if (!clean) {
            why.code = errc::in_doubt;
            why.details.advice = "resolve() the pending write, or load the items and decide";
            done.value.pending() = pending_joint_write(target, plan);
        }
        done.code = detail::report(why, details);
    };
    for (unsigned failures = 0;; ++failures) {
        auto copy = request;
        auto answer = co_await target.call(std::move(copy));
        if (answer) {
            done.value = all_saved(*plan);
            co_return done;
        }
        auto why = std::move(answer).error();
        if (why.outcome == outcome::unknown) clean = false;
        const auto kind = detail::classify(why);
        bool again = kind == detail::answer::unanswered || kind == detail::answer::delayed;
        if (why.code == errc::transaction_canceled) {
            const auto meant = judge_reasons(*plan, why, clean, done.value);
            if (meant == joint_verdict::applied) {
                done.value = all_saved(*plan);
                co_return done;
            }
            if (meant == joint_verdict::refused) {
                blame(why, *plan, done.value);
                done.code = detail::report(why, details);
                co_return done;
            }
            if (meant == joint_verdict::replan) {
                if (auto full = plan_anew(*plan, why, done.value)) {
                    end(*std::move(full));
                    co_return done;
                }
                request = {.actions = plan->actions(), .client_request_token = world.new_id()};
            }
            again = meant == joint_verdict::again || meant == joint_verdict::replan;
            if (again) why.code = errc::transaction_conflict;
        }
        const bool cancelled = co_await runtime::cancellation_requested();
        if (cancelled || !again || world.clock->now() >= deadline) {
            if (cancelled) why.code = errc::cancelled;
            end(std::move(why));
            co_return done;
        }
        runtime::alarm pause(world);
        const auto longest = detail::retry_pause(failures);
        const std::chrono::nanoseconds jitter(world.random->below(static_cast<std::uint64_t>(longest.count() / 2 + 1)));
        co_await pause.wait_until(std::min(deadline, world.clock->now() + longest / 2 + jitter));
        const bool cancelled_meanwhile = co_await runtime::cancellation_requested();
        if (cancelled_meanwhile) {
            end(failure(errc::cancelled));
            co_return done;
        }
    }
}

/// Any one item may tell of all.
awaitable<runtime::completion<resolution>> run_resolve(database target, std::shared_ptr<const joint_plan> plan,
                                                       diagnostics* details) {
    runtime::completion<resolution> done;
    done.value = resolution::open;
    for (const auto& part : plan->parts) {
        if (!part.intent || part.only_checks) continue;
        const auto& intent = *part.intent;
        auto request = intent.core->requests().look(intent.key, true);
        auto read = co_await target.call(std::move(request));
        if (!read) {
            done.code = detail::report(read.error(), details);
            if (details) details->key = detail::text_of(intent.key);
            co_return done;
        }
        const auto sight = sight_in(intent, read->found);
        const auto meant = detail::decide(intent, sight ? &*sight : nullptr, false);
        done.value = detail::resolution_of(meant);
        if (done.value != resolution::open) break;
    }
    co_return done;
}

awaitable<joint_result> await_save_all(database target, versioned_writes writes) {
    diagnostics details;
    const auto executor = target.get_executor();
    detail::save_all_verb verb{std::move(target), writes.entries()};
    auto done = co_await detail::initiate<joint_result>(executor, std::move(verb), details,
                                                        boost::asio::as_tuple(boost::asio::deferred));
    const auto code = std::get<0>(done);
    auto result = std::get<1>(std::move(done));
    if (result.pending()) throw joint_in_doubt(code, std::move(details), std::move(result.pending()));
    if (code && result.size() > 0) throw joint_conflict(code, std::move(details), std::move(result));
    if (code) throw error(code, std::move(details));
    co_return result;
}

}  // namespace

void detail::save_all_verb::operator()(diagnostics* details, handler_for<joint_result> handler) && {
    const auto executor = target.get_executor();
    start_verb<joint_result>(executor, {details, "save_all"},
                             run_save_all(std::move(target), std::move(entries), details), std::move(handler));
}

pending_joint_write::pending_joint_write(database target, std::shared_ptr<const detail::joint_plan> plan)
    : target_(std::move(target)), plan_(std::move(plan)) {}

awaitable<resolution> pending_joint_write::resolve() const {
    auto verb = resolving();
    auto where = target_->get_executor();
    return detail::await_verb<resolution>(std::move(where), std::move(verb));
}

detail::joint_resolve_verb pending_joint_write::resolving() const {
    if (plan_) return {*target_, plan_};
    diagnostics details;
    details.operation = "pending_joint_write";
    details.message = "no write is in doubt here";
    throw error(errc::not_held, std::move(details));
}

void detail::joint_resolve_verb::operator()(diagnostics* details, handler_for<resolution> handler) && {
    const auto executor = target.get_executor();
    start_verb<resolution>(executor, {details, "pending_joint_write.resolve"},
                           run_resolve(std::move(target), std::move(plan), details), std::move(handler));
}

awaitable<joint_result> save_all(database target, versioned_writes writes) {
    return await_save_all(std::move(target), std::move(writes));
}

}  // namespace dynalease
