// One transaction, copy after copy.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/joint_write.hpp"

#include "database/protocol/backoff.hpp"
#include "database/protocol/reply.hpp"
#include "database/protocol/transact_actions.hpp"
#include "versioned/protocol/joint_decisions.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

namespace dynalease::protocol {

namespace {

constexpr std::chrono::seconds longest_wait{10};

/// All entries as they were written.
std::vector<joint_outcome::fate> all_saved(const joint_plan& plan) {
    std::vector<joint_outcome::fate> each(plan.parts.size());
    for (std::size_t i = 0; i < each.size(); ++i) {
        const auto& intent = plan.parts[i].intent;
        if (!intent || intent->removes) continue;
        auto& saved = each[i].facts.saved;
        saved = stored_in(sight_in(*intent, item_after(*intent)));
        if (saved) saved->partial = intent->partial;
    }
    return each;
}

/// Creations over the tombstones that the refusal showed. @returns what is wrong with one.
std::optional<failure> plan_anew(joint_plan& plan, const failure& why, const std::vector<joint_outcome::fate>& each) {
    for (std::size_t i = 0; i < plan.parts.size(); ++i) {
        auto& part = plan.parts[i];
        if (!part.intent || each[i].code != errc::exists) continue;
        const auto sight = sight_in(*part.intent, why.reasons[i].current);
        if (!sight) {
            plan_without_tombstone(*part.intent);
        } else if (auto full = plan_create_over(*part.intent, *sight)) {
            return full;
        }
        plan_action(part);
    }
    return std::nullopt;
}

/// One transaction on its way. Lives in the frame of `write_together`.
class joint_delivery {
public:
    joint_delivery(writer_view& process, stepper& steps, joint_plan& plan, joint_outcome& end)
        : process_(process),
          steps_(steps),
          plan_(plan),
          end_(end),
          deadline_(process.now() + longest_wait),
          request_(transaction()) {}

    sequence<void> send();

private:
    enum class step_after { done, again };

    transact_write_items_request transaction() {
        return {.actions = plan_.actions(), .client_request_token = process_.new_token()};
    }
    step_after cancelled_transaction(failure& why);
    void fail(failure why);

    writer_view& process_;
    stepper& steps_;
    joint_plan& plan_;
    joint_outcome& end_;
    const time_point deadline_;
    transact_write_items_request request_;
    bool clean_ = true;
};

sequence<void> joint_delivery::send() {
    for (unsigned failures = 0;; ++failures) {
        request_step copy{.request = request_};
        auto sent = co_await asking<request_step>(steps_, std::move(copy));
        if (sent.answer) {
            end_.each = all_saved(plan_);
            co_return;
        }
        auto why = std::move(sent.answer).error();
        if (why.outcome == outcome::unknown) clean_ = false;
        const auto kind = detail::classify(why);
        bool again = kind == detail::answer::unanswered || kind == detail::answer::delayed;
        if (why.code == errc::transaction_canceled) {
            const auto next = cancelled_transaction(why);
            if (next == step_after::done) co_return;
            again = why.code == errc::transaction_conflict;
        }
        const bool cancelled = process_.cancelled();
        if (cancelled || !again || process_.now() >= deadline_) {
            if (cancelled) why.code = errc::cancelled;
            fail(std::move(why));
            co_return;
        }
        pause_step rest{std::min(detail::retry_pause(failures, process_.unit()), deadline_ - process_.now())};
        co_await asking<pause_step>(steps_, rest);
        if (process_.cancelled()) {
            fail(failure(errc::cancelled));
            co_return;
        }
    }
}

/// Leaves the code of a conflict where it is to be sent again.
joint_delivery::step_after joint_delivery::cancelled_transaction(failure& why) {
    switch (decide_together(plan_, why, clean_, end_.each)) {
        case joint_verdict::applied:
            end_.each = all_saved(plan_);
            return step_after::done;
        case joint_verdict::refused:
            blame(why, plan_, end_.each);
            end_.why = std::move(why);
            return step_after::done;
        case joint_verdict::replan:
            if (auto full = plan_anew(plan_, why, end_.each)) {
                fail(*std::move(full));
                return step_after::done;
            }
            request_ = transaction();
            break;
        case joint_verdict::again:
            break;
        case joint_verdict::doubt:
            return step_after::again;
    }
    why.code = errc::transaction_conflict;
    return step_after::again;
}

void joint_delivery::fail(failure why) {
    end_.each.clear();  // no entry is to blame
    end_.in_doubt = !clean_;
    if (end_.in_doubt) {
        why.code = errc::in_doubt;
        why.details.advice = "resolve() the pending write, or load the items and decide";
    }
    end_.why = std::move(why);
}

}  // namespace

std::string table_of(const transact_write& action) {
    return std::visit([](const auto& one) { return one.table_name; }, action);
}

std::optional<item_key> key_of(const transact_write& action) {
    return std::visit(
        [](const auto& one) -> std::optional<item_key> {
            if constexpr (requires { one.key; })
                return one.key;
            else
                return std::nullopt;
        },
        action);
}

std::vector<transact_write> joint_plan::actions() const {
    std::vector<transact_write> all;
    for (const auto& each : parts) all.push_back(each.action);
    return all;
}

void plan_action(joint_plan::part& part) {
    const auto& intent = *part.intent;
    if (part.only_checks) {
        auto check = intent.requests().check(intent.key, intent.write);
        apply(check, part.demand);
        part.action = std::move(check);
        return;
    }
    std::visit(
        [&](const auto& request) {
            if constexpr (requires { detail::as_action(request); }) part.action = detail::as_action(request);
        },
        intent.request);
}

sequence<void> write_together(writer_view& process, stepper& steps, joint_plan& plan, joint_outcome& end) {
    joint_delivery on_its_way(process, steps, plan, end);
    co_await on_its_way.send();
}

sequence<void> resolve_together(stepper& steps, const joint_plan& plan, resolved_together& end) {
    for (const auto& part : plan.parts) {
        if (!part.intent || part.only_checks) continue;
        const auto& intent = *part.intent;
        read_step look{.request = intent.requests().look(intent.key, true)};
        auto read = co_await asking<read_step>(steps, std::move(look));
        if (!read.answer) {
            end.why = std::move(read.answer).error();
            end.why->details.key = text_of(intent.key);
            co_return;
        }
        const auto sight = sight_in(intent, read.answer->found);
        end.became = resolution_of(decide(intent, sight ? &*sight : nullptr, false));
        if (end.became != resolution::open) co_return;
    }
}

}  // namespace dynalease::protocol
