// Several versioned writes in one transaction.
#include <dynalease/save_all.hpp>

#include "primitives/answer.hpp"
#include "primitives/joint_reasons.hpp"
#include "primitives/verb_failure.hpp"
#include "primitives/versioned_core.hpp"
#include "protocol/waiting.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"
#include "runtime/spawn.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::joint_entry;
using detail::joint_write;
using detail::write_intent;
using protocol::verdict;

constexpr std::size_t most_actions = 100;
constexpr std::chrono::seconds longest_wait{10};

/// The writes with one stamp for all of them, so that any one item tells of all.
struct joint_plan {
    std::vector<std::optional<write_intent>> intents;  ///< empty: somebody else's action
    std::vector<transact_write> actions;
};

transact_write action_of(const write_intent& intent, bool only_checks) {
    if (only_checks) return intent.core->requests().check(intent.key, intent.write);
    return std::visit(
        [](const auto& request) -> transact_write {
            if constexpr (requires { protocol::as_action(request); })
                return protocol::as_action(request);
            else
                return condition_check{};
        },
        intent.request);
}

std::pair<std::string, item_key> item_of(const transact_write& action) {
    return std::visit(
        [](const auto& one) {
            if constexpr (requires { one.key; })
                return std::pair(one.table_name, one.key);
            else
                return std::pair(one.table_name, one.new_item);
        },
        action);
}

failure joint_failure(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

result<joint_plan> plan_jointly(std::vector<joint_entry> entries) {
    if (entries.empty()) return joint_failure(errc::invalid_option, "there is nothing to write");
    if (entries.size() > most_actions) {
        return joint_failure(errc::too_many_items, std::to_string(entries.size()) + " entries, of at most 100");
    }
    joint_plan plan;
    std::optional<item_stamp> mine;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (auto* foreign = std::get_if<transact_write>(&entries[i])) {
            plan.intents.emplace_back();
            plan.actions.push_back(std::move(*foreign));
            continue;
        }
        auto& entry = std::get<joint_write>(entries[i]);
        if (!mine) mine = entry.core->new_stamp();
        auto intent = detail::plan_write(std::move(entry.core), std::move(entry.order), mine);
        if (!intent) {
            auto why = std::move(intent).error();
            why.details.message = "entry " + std::to_string(i) + ": " + why.details.message;
            return why;
        }
        plan.actions.push_back(action_of(*intent, entry.only_checks));
        if (entry.only_checks) intent->removes = true;  // it leaves nothing to show
        plan.intents.push_back(*std::move(intent));
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!plan.intents[i]) continue;
        for (std::size_t j = 0; j < entries.size(); ++j) {
            if (i == j || !plan.intents[j]) continue;
            const bool same = plan.intents[i]->key == plan.intents[j]->key &&
                              item_of(plan.actions[i]).first == item_of(plan.actions[j]).first;
            if (!same) continue;
            return joint_failure(errc::duplicate_item, "entries " + std::to_string(std::min(i, j)) + " and " +
                                                           std::to_string(std::max(i, j)) +
                                                           " are one item: " + detail::text_of(plan.intents[i]->key));
        }
    }
    return plan;
}

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

/// All entries as they were written.
joint_result all_saved(const joint_plan& plan) {
    joint_result done;
    for (const auto& intent : plan.intents) {
        auto& entry = done.entries().emplace_back();
        if (!intent || intent->removes) continue;
        if (auto written = detail::item_after(*intent)) {
            auto sight = protocol::sight_of(intent->core->layout(), *written);
            if (sight) entry.saved = detail::stored_item{std::move(sight->state), *std::move(written)};
        }
    }
    return done;
}

enum class joint_verdict { applied, refused, again, doubt };

/// What the reasons of a cancelled transaction say of all of it.
joint_verdict judge_reasons(const joint_plan& plan, const failure& why, bool clean, joint_result& into) {
    bool refused = false;
    bool doubtful = false;
    bool passes = true;
    into = {};
    for (std::size_t i = 0; i < plan.intents.size(); ++i) {
        auto& entry = into.entries().emplace_back();
        if (i >= why.reasons.size()) continue;
        const auto& reason = why.reasons[i];
        const auto kind = detail::kind_of(reason);
        if (kind == detail::joint_reason::none) continue;
        if (kind == detail::joint_reason::passes) {
            entry.code = errc::transaction_conflict;
            continue;
        }
        passes = false;
        if (kind != detail::joint_reason::condition) {
            entry.code = errc::validation;
            refused = true;
            continue;
        }
        entry.code = errc::condition_failed;
        if (!plan.intents[i]) {
            refused = true;
            continue;
        }
        const auto& intent = *plan.intents[i];
        std::optional<protocol::item_sight> sight;
        if (reason.current) {
            auto seen = protocol::sight_of(intent.core->layout(), *reason.current);
            if (!seen) {
                entry.code = seen.error().code;
                refused = true;
                continue;
            }
            sight = *std::move(seen);
        }
        const auto meant = detail::decide(intent, sight ? &*sight : nullptr, clean);
        if (meant == verdict::applied || meant == verdict::superseded) return joint_verdict::applied;
        if (meant == verdict::again || meant == verdict::doubt) {
            doubtful = true;
        } else {
            refused = true;
        }
        entry.code = code_of(meant);
        if (intent.how == write_intent::test::checked) entry.expected = intent.write.base.version;
        if (sight && !sight->gone) {
            entry.found = sight->state.version;
            entry.holder = sight->holder;
            entry.current = detail::stored_item{sight->state, *reason.current};
        }
    }
    if (passes) return joint_verdict::again;
    // One entry that can never be applied keeps all from it, late copies too; but only if it tests what never returns.
    if (refused && (clean || !doubtful)) return joint_verdict::refused;
    return doubtful ? joint_verdict::again : joint_verdict::doubt;
}

awaitable<runtime::completion<joint_result>> run_save_all(database target, std::vector<joint_entry> entries,
                                                          diagnostics* details) {
    runtime::completion<joint_result> done;
    auto plan = plan_jointly(std::move(entries));
    if (!plan) {
        done.code = detail::report(plan.error(), details, "save_all", {});
        co_return done;
    }
    const auto& world = target.environment();
    const auto deadline = world.clock->now() + longest_wait;
    transact_write_items_request request{.actions = plan->actions, .client_request_token = world.random->id()};
    bool clean = true;
    for (unsigned failures = 0;; ++failures) {
        auto copy = request;
        auto answer = co_await target.call(std::move(copy));
        if (answer) {
            done.value = all_saved(*plan);
            co_return done;
        }
        auto why = std::move(answer).error();
        if (why.outcome == outcome::unknown) clean = false;
        bool again =
            detail::classify(why) == detail::answer::unanswered || detail::classify(why) == detail::answer::delayed;
        if (why.code == errc::transaction_canceled) {
            const auto meant = judge_reasons(*plan, why, clean, done.value);
            if (meant == joint_verdict::applied) {
                done.value = all_saved(*plan);
                co_return done;
            }
            if (meant == joint_verdict::refused) {
                for (const auto& entry : done.value.entries()) {
                    if (entry.code && entry.code != errc::transaction_conflict) why.code = entry.code;
                    if (why.code == entry.code && entry.code) break;
                }
                done.code = detail::report(why, details, "save_all", {});
                co_return done;
            }
            if (meant == joint_verdict::again) why.code = errc::transaction_conflict;
            again = meant == joint_verdict::again;
        }
        const bool cancelled = co_await runtime::cancellation_requested();
        if (cancelled || !again || world.clock->now() >= deadline) {
            done.value = {};  // no entry is to blame
            if (cancelled) why.code = errc::cancelled;
            if (!clean) why.code = errc::in_doubt;
            done.code = detail::report(why, details, "save_all", {});
            co_return done;
        }
        runtime::alarm pause(world);
        const auto longest = protocol::retry_pause(failures);
        const std::chrono::nanoseconds jitter(world.random->below(static_cast<std::uint64_t>(longest.count() / 2 + 1)));
        co_await pause.wait_until(std::min(deadline, world.clock->now() + longest / 2 + jitter));
        const bool cancelled_meanwhile = co_await runtime::cancellation_requested();
        if (cancelled_meanwhile) {
            done.value = {};
            done.code = detail::report(failure(clean ? errc::cancelled : errc::in_doubt), details, "save_all", {});
            co_return done;
        }
    }
}

awaitable<joint_result> await_save_all(database target, versioned_writes writes) {
    diagnostics details;
    const auto executor = target.get_executor();
    detail::save_all_verb verb{std::move(target), writes.entries()};
    auto done = co_await detail::initiate<joint_result>(executor, std::move(verb), &details,
                                                        boost::asio::as_tuple(boost::asio::deferred));
    const auto code = std::get<0>(done);
    auto result = std::get<1>(std::move(done));
    if (code && result.size() > 0) throw joint_conflict(code, std::move(details), std::move(result));
    if (code) throw error(code, std::move(details));
    co_return result;
}

}  // namespace

void detail::save_all_verb::operator()(diagnostics* details, handler_for<joint_result> handler) && {
    const auto executor = target.get_executor();
    runtime::spawn<joint_result>(executor, run_save_all(std::move(target), std::move(entries), details),
                                 std::move(handler));
}

awaitable<joint_result> save_all(database target, versioned_writes writes) {
    return await_save_all(std::move(target), std::move(writes));
}

}  // namespace dynalease
