// One versioned write, copy after copy.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "database/protocol/joint_reasons.hpp"
#include "database/protocol/reply.hpp"
#include "item/protocol/item_state.hpp"
#include "versioned/protocol/version_sequences.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dynalease::protocol {

using detail::answer;

namespace {

failure explained(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

/// A transaction of one fails as its action did.
void look_through_transaction(failure& why) {
    if (why.code != errc::transaction_canceled || why.reasons.size() != 1) return;
    auto& reason = why.reasons.front();
    using detail::joint_reason;
    switch (detail::kind_of(reason)) {
        case joint_reason::none:
            break;
        case joint_reason::condition:
            why.code = errc::condition_failed;
            why.current = std::move(reason.current);
            break;
        case joint_reason::conflict:
            why.code = errc::transaction_conflict;
            break;
        case joint_reason::throttled:
            why.code = errc::throttled;
            break;
        case joint_reason::stays:
            why = detail::failure_of(reason);
            break;
    }
}

/// One write on its way. Lives in the frame of `write_item`.
class delivery {
public:
    delivery(writer_view& process, stepper& steps, std::chrono::nanoseconds patience, write_intent& intent,
             write_outcome& end)
        : process_(process),
          steps_(steps),
          patience_(patience),
          intent_(intent),
          end_(end),
          deadline_(process.now() + time_to_send()) {}

    sequence<void> send();
    sequence<void> clear_tombstone();

private:
    enum class step_after { done, again, at_once };

    /// The service knows a transaction by its token for ten minutes, and the last copy may be late by five.
    std::chrono::nanoseconds time_to_send() const {
        const bool by_token = std::holds_alternative<transact_write_items_request>(intent_.request);
        return by_token ? std::min<std::chrono::nanoseconds>(patience_, std::chrono::minutes(5)) : patience_;
    }

    sequence<void> pause(std::chrono::nanoseconds longest);
    sequence<void> succeed(any_response& response);
    sequence<void> look();
    bool made_under_another_name(const std::optional<item>& shown);
    step_after refused(failure& why);
    void saved(std::optional<item> attributes);
    void conclude(verdict meant, std::optional<visible_item> sight);
    void fail(failure why);
    void doubt(diagnostics details);

    writer_view& process_;
    stepper& steps_;
    const std::chrono::nanoseconds patience_;
    write_intent& intent_;
    write_outcome& end_;
    time_point deadline_;
    bool clean_ = true;
    item before_;  ///< what a tombstone took the place of, as far as it is known
};

sequence<void> delivery::send() {
    for (unsigned failures = 0;; ++failures) {
        request_step copy{.request = intent_.request, .once = !intent_.repeatable};
        auto sent = co_await asking<request_step>(steps_, std::move(copy));
        if (sent.answer) {
            co_await succeed(*sent.answer);
            co_return;
        }
        auto why = std::move(sent.answer).error();
        look_through_transaction(why);
        if (why.outcome == outcome::unknown) clean_ = false;
        const auto kind = detail::classify(why);
        if (kind == answer::refused) {
            const auto next = refused(why);
            if (next == step_after::done) co_return;
            if (next == step_after::at_once) continue;
        } else if (kind == answer::rejected) {
            fail(std::move(why));
            co_return;
        }
        const bool cancelled = process_.cancelled();
        if (cancelled) why = failure(errc::cancelled);
        if (!cancelled && !clean_ && !intent_.repeatable) {
            co_await look();
            co_return;
        }
        if (cancelled || process_.now() >= deadline_) {
            fail(std::move(why));
            co_return;
        }
        co_await pause(detail::retry_pause(failures, process_.unit()));
        if (process_.cancelled()) {
            fail(failure(errc::cancelled));
            co_return;
        }
    }
}

sequence<void> delivery::pause(std::chrono::nanoseconds longest) {
    pause_step rest{std::min(longest, deadline_ - process_.now())};
    co_await asking<pause_step>(steps_, rest);
}

sequence<void> delivery::succeed(any_response& response) {
    auto* updated = std::get_if<update_item_response>(&response);
    if (intent_.removes) {
        // Of a removal by revision the answer shows what there was to remove.
        const bool shows = updated && !updated->attributes.empty();
        if (intent_.buries) before_ = shows ? std::move(updated->attributes) : intent_.stored;
    } else if (updated && !updated->attributes.empty()) {
        saved(std::move(updated->attributes));
    } else if (auto after = item_after(intent_)) {
        saved(*std::move(after));
        if (end_.facts.saved) end_.facts.saved->partial = intent_.partial;
    } else if (std::holds_alternative<transact_write_items_response>(response)) {
        // A transaction returns no item. What is read is at least as new as what was written.
        auto request = intent_.requests().look(intent_.key, true);
        auto read = co_await read_until_answered(process_, steps_, std::move(request), deadline_);
        if (read)
            saved(std::move(read->found));
        else
            end_.facts.unread = "no read of what it left was answered";
    }
}

/// The write is done, whatever another writer has made of the item since: even a tombstone, or none.
void delivery::saved(std::optional<item> attributes) {
    auto sight = visible_in(*intent_.layout, std::move(attributes));
    if (!sight) {
        end_.facts.unread = sight.error().details.message;
        return;
    }
    end_.facts.saved = stored_in(*std::move(sight));
    if (!end_.facts.saved) end_.facts.unread = "another has removed the item since";
}

/// Takes off the tombstone what the removal could not. Whatever becomes of that: the item is removed.
sequence<void> delivery::clear_tombstone() {
    auto names = left_on_tombstone(intent_, before_);
    while (!names.empty()) {
        const auto count = std::min(names.size(), most_changes);
        const auto rest = names.end() - static_cast<std::ptrdiff_t>(count);
        const std::vector<std::string> some(rest, names.end());
        write_step clears{.request = intent_.requests().clear(intent_.key, intent_.write, some)};
        const auto cleared = co_await asking<write_step>(steps_, std::move(clears));
        if (!cleared.answer) co_return;
        names.erase(rest, names.end());
    }
}

/// Whether the item remembers this write, and cannot be shown: another has given its version another name since.
bool delivery::made_under_another_name(const std::optional<item>& shown) {
    if (!shown) return false;
    const auto named = versioned_state_of(*intent_.layout, *shown);
    if (named) return false;
    const auto now = state_of(*intent_.layout, *shown);
    if (!now || !remembers(now->state, intent_.write.mine)) return false;
    end_.facts.unread = named.error().details.message;
    return true;
}

/// Judges a refusal.
delivery::step_after delivery::refused(failure& why) {
    if (made_under_another_name(why.current)) return step_after::done;
    const bool removes_whatever = intent_.how == write_intent::test::erase_blindly;
    auto seen =
        visible_in(*intent_.layout, std::move(why.current), removes_whatever ? name_test::none : name_test::of_item);
    if (!seen) {
        fail(std::move(seen).error());
        return step_after::done;
    }
    auto sight = *std::move(seen);
    const auto meant = decide(intent_, sight ? &*sight : nullptr, clean_);
    if (meant == verdict::again) return step_after::again;
    if (meant == verdict::create_over) {
        if (auto full = plan_create_over(intent_, *sight)) {
            fail(*std::move(full));
            return step_after::done;
        }
        return step_after::at_once;
    }
    // Who makes the item whatever stands there writes onto what was made there meanwhile.
    const bool made_by_another = meant == verdict::exists && intent_.makes;
    if (meant == verdict::create_anew || made_by_another) {
        clean_ = true;
        plan_without_tombstone(intent_);
        return step_after::at_once;
    }
    const bool is_own_tombstone = meant == verdict::applied && intent_.buries;
    if (is_own_tombstone) before_ = sight->attributes;
    conclude(meant, std::move(sight));
    return step_after::done;
}

/// A write that must not be sent again: what does the item say of it?
sequence<void> delivery::look() {
    deadline_ = process_.now() + patience_;
    auto request = intent_.requests().look(intent_.key, true);
    auto read = co_await read_until_answered(process_, steps_, std::move(request), deadline_);
    if (!read) {
        doubt({});
        co_return;
    }
    if (made_under_another_name(read->found)) co_return;
    auto seen = visible_in(*intent_.layout, std::move(read->found));
    auto sight = seen ? *std::move(seen) : std::nullopt;
    const auto meant = decide(intent_, sight ? &*sight : nullptr, false);
    conclude(meant, std::move(sight));
}

void delivery::conclude(verdict meant, std::optional<visible_item> sight) {
    auto& facts = end_.facts;
    if (intent_.how == write_intent::test::checked) facts.expected = intent_.write.base.version;
    if (sight && !sight->gone) {
        facts.found = sight->state.version;
        facts.holder = sight->holder;
    }
    auto overflow = sight ? overflow_of(intent_, *sight) : std::nullopt;
    facts.current = stored_in(std::move(sight));
    switch (meant) {
        case verdict::applied:
        case verdict::superseded:
            facts.superseded = meant == verdict::superseded;
            facts.saved = std::move(facts.current);
            facts.current.reset();
            if (!facts.saved) facts.unread = "another has removed the item since";
            return;
        case verdict::held:
            end_.why = held_by(facts.holder);
            return;
        case verdict::condition_false:
            end_.why = std::move(overflow);
            if (end_.why) return;
            end_.why =
                explained(errc::condition_failed, "the version is as expected, but the caller's condition is not");
            return;
        case verdict::conflict:
            end_.why = explained(errc::conflict, text_of_conflict(intent_, facts));
            return;
        case verdict::exists:
            end_.why = explained(errc::exists, "it has " + text_of(facts.found));
            return;
        case verdict::missing:
            // A tombstone is no item, and that is what was wanted.
            if (intent_.how != write_intent::test::erase_blindly) end_.why = failure(errc::missing);
            return;
        case verdict::again:
        case verdict::create_over:
        case verdict::create_anew:
        case verdict::doubt:
            doubt({});
            return;
    }
}

void delivery::fail(failure why) {
    detail::name_size(why);
    if (clean_) {
        end_.why = std::move(why);
    } else {
        doubt(std::move(why.details));
    }
}

void delivery::doubt(diagnostics details) {
    auto why = detail::in_doubt(std::move(details));
    why.details.advice = "resolve() or close() the pending write, or load the item and decide";
    end_.why = std::move(why);
    end_.in_doubt = true;
}

}  // namespace

sequence<void> write_item(writer_view& process, stepper& steps, std::chrono::nanoseconds patience, write_intent& intent,
                          write_outcome& end) {
    delivery on_its_way(process, steps, patience, intent, end);
    co_await on_its_way.send();
    if (!end.why && intent.buries) co_await on_its_way.clear_tombstone();
}

sequence<result<get_item_response>> read_until_answered(writer_view& process, stepper& steps, get_item_request request,
                                                        time_point deadline) {
    for (unsigned failures = 0;; ++failures) {
        read_step copy{.request = request};
        auto read = co_await asking<read_step>(steps, std::move(copy));
        if (read.answer) co_return std::move(read.answer);
        const bool rejected = detail::classify(read.answer.error()) == answer::rejected;
        if (process.cancelled() || rejected || process.now() >= deadline) co_return std::move(read.answer);
        pause_step rest{std::min(detail::retry_pause(failures), deadline - process.now())};
        co_await asking<pause_step>(steps, rest);
    }
}

}  // namespace dynalease::protocol
