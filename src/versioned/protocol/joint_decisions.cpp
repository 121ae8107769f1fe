// The decision table of writes that happen together.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/protocol/joint_decisions.hpp"

#include "database/protocol/joint_reasons.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dynalease::protocol {

using detail::joint_reason;

namespace {

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
                        joint_outcome::fate& entry) {
    const auto kind = detail::kind_of(reason);
    if (kind == joint_reason::none) return part_verdict::none;
    if (passes(kind)) {
        entry.code = errc::transaction_conflict;
        return part_verdict::passes;
    }
    // What is not ours may be otherwise when a late copy comes.
    const auto for_now = clean ? part_verdict::refused : part_verdict::open;
    entry.code = kind == joint_reason::condition ? errc::condition_failed : detail::failure_of(reason).code;
    if (kind != joint_reason::condition || !part.intent) return for_now;

    const auto& intent = *part.intent;
    const auto seen = visible_in(*intent.layout, reason.current);
    if (!seen) {
        entry.code = seen.error().code;
        return for_now;
    }
    const auto& sight = *seen;
    const auto meant = decide(intent, sight ? &*sight : nullptr, clean);
    entry.code = code_of(meant);
    auto& facts = entry.facts;
    if (intent.how == write_intent::test::checked) facts.expected = intent.write.base.version;
    if (sight && !sight->gone) {
        facts.found = sight->state.version;
        facts.holder = sight->holder;
        facts.current = stored_in(sight);
    }
    switch (meant) {
        case verdict::applied:
        case verdict::superseded:
            return part_verdict::applied;
        case verdict::again:
        case verdict::doubt:
            entry.code = errc::transaction_conflict;  // it is as it was: not the one to blame
            return part_verdict::open;
        case verdict::create_over:
        case verdict::create_anew:
            return part_verdict::replan;
        case verdict::condition_false:
            if (auto over = overflow_of(intent, *sight)) entry.code = over->code;
            return part_verdict::refused;
        default:
            return part_verdict::refused;
    }
}

}  // namespace

std::optional<visible_item> sight_in(const write_intent& intent, const std::optional<item>& found) {
    auto sight = visible_in(*intent.layout, found);
    return sight ? *std::move(sight) : std::nullopt;
}

joint_verdict decide_together(const joint_plan& plan, const failure& why, bool clean,
                              std::vector<joint_outcome::fate>& each) {
    each.assign(plan.parts.size(), {});
    bool all_pass = true;
    std::vector<part_verdict> said;
    for (std::size_t i = 0; i < plan.parts.size() && i < why.reasons.size(); ++i) {
        said.push_back(judge_part(plan.parts[i], why.reasons[i], clean, each[i]));
        all_pass = all_pass && said.back() <= part_verdict::passes;
    }
    const auto some = [&](part_verdict wanted) { return std::ranges::find(said, wanted) != said.end(); };
    if (some(part_verdict::applied)) return joint_verdict::applied;
    if (all_pass) return joint_verdict::again;
    if (some(part_verdict::refused)) return joint_verdict::refused;
    if (some(part_verdict::open)) return joint_verdict::again;
    return some(part_verdict::replan) ? joint_verdict::replan : joint_verdict::doubt;
}

void blame(failure& why, const joint_plan& plan, const std::vector<joint_outcome::fate>& each) {
    for (std::size_t i = 0; i < each.size(); ++i) {
        const auto& [code, facts] = each[i];
        if (!code || code == errc::transaction_conflict) continue;
        const auto& part = plan.parts[i];
        const auto key = part.intent ? std::optional(part.intent->key) : key_of(part.action);
        why.code = code;
        why.details.table = table_of(part.action);
        why.details.key = key ? text_of(*key) : std::string();
        why.details.message = "entry " + std::to_string(i);
        if (code == errc::conflict) {
            why.details.message += ": " + text_of_conflict(*part.intent, facts);
        } else if (code == errc::locked) {
            why.details.message += ": held by " + words_of_holder(facts.holder);
        } else if (part.intent && i < why.reasons.size()) {
            const auto sight = visible_in(*part.intent->layout, why.reasons[i].current);
            if (!sight) why.details.message += ": " + sight.error().details.message;
        }
        return;
    }
}

}  // namespace dynalease::protocol
