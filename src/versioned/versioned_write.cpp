// Sending one versioned write until its outcome is known, or nobody can know it.
// SPDX-License-Identifier: BSL-1.0
#include "database/called_verb.hpp"
#include "database/protocol/backoff.hpp"
#include "database/protocol/joint_reasons.hpp"
#include "database/protocol/reply.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"
#include "versioned/versioned_impl.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;
using protocol::verdict;

failure explained(errc code, std::string message) {
    failure why(code);
    why.details.message = std::move(message);
    return why;
}

/// A transaction of one fails as its action did.
void look_through_transaction(failure& why) {
    if (why.code != errc::transaction_canceled || why.reasons.size() != 1) return;
    auto& reason = why.reasons.front();
    if (reason.code == "ConditionalCheckFailed") {
        why.code = errc::condition_failed;
        why.current = std::move(reason.current);
    } else if (reason.code == "TransactionConflict") {
        why.code = errc::transaction_conflict;
    } else if (reason.code == "ProvisionedThroughputExceeded" || reason.code == "ThrottlingError") {
        why.code = errc::throttled;
    } else if (kind_of(reason) == joint_reason::stays) {
        why = failure_of(reason);
    }
}

/// One write on its way. Lives in the frame of `run_write`.
class delivery {
public:
    explicit delivery(write_intent intent)
        : intent_(std::move(intent)), core_(*intent_.core), deadline_(core_.world().clock->now() + resolve_time()) {}

    awaitable<write_end> run() {
        co_await send();
        if (!end_.why && intent_.buries) co_await clear_tombstone();
        co_return std::move(end_);
    }

private:
    enum class step { done, again, at_once };

    /// The service knows a transaction by its token for ten minutes, and the last copy may be late by five.
    std::chrono::nanoseconds resolve_time() const {
        const std::chrono::nanoseconds resolves = core_.options().resolve_within;
        const bool by_token = std::holds_alternative<transact_write_items_request>(intent_.request);
        return by_token ? std::min<std::chrono::nanoseconds>(resolves, std::chrono::minutes(5)) : resolves;
    }

    awaitable<void> send() {
        const auto& clock = *core_.world().clock;
        for (unsigned failures = 0;; ++failures) {
            any_request copy = intent_.request;
            call_options once{.attempts = intent_.repeatable ? 0U : 1U};
            auto reply = co_await core_.target().implementation()->perform(std::move(copy), once);
            if (reply) {
                co_await succeed(*std::move(reply));
                co_return;
            }
            auto why = std::move(reply).error();
            look_through_transaction(why);
            if (why.outcome == outcome::unknown) clean_ = false;
            const auto kind = classify(why);
            if (kind == answer::refused) {
                const auto next = refused(why);
                if (next == step::done) co_return;
                if (next == step::at_once) continue;
            } else if (kind == answer::rejected) {
                fail(std::move(why));
                co_return;
            }
            const bool cancelled = co_await runtime::cancellation_requested();
            if (cancelled) why = failure(errc::cancelled);
            if (!cancelled && !clean_ && !intent_.repeatable) {
                co_await look();
                co_return;
            }
            if (cancelled || clock.now() >= deadline_) {
                fail(std::move(why));
                co_return;
            }
            runtime::alarm pause(core_.world());
            const auto longest = retry_pause(failures);
            const auto jittered = longest / 2 + std::chrono::nanoseconds(core_.world().random->below(
                                                    static_cast<std::uint64_t>(longest.count() / 2 + 1)));
            co_await pause.wait_until(std::min(deadline_, clock.now() + jittered));
            const bool cancelled_meanwhile = co_await runtime::cancellation_requested();
            if (cancelled_meanwhile) {
                fail(failure(errc::cancelled));
                co_return;
            }
        }
    }

    awaitable<void> succeed(any_response response) {
        auto* updated = std::get_if<update_item_response>(&response);
        if (intent_.removes) {
            // Of a removal by revision the answer shows what there was to remove.
            const bool shows = updated && !updated->attributes.empty();
            if (intent_.buries) before_ = shows ? std::move(updated->attributes) : intent_.stored;
        } else if (updated && !updated->attributes.empty()) {
            saved(std::move(updated->attributes));
        } else if (auto after = item_after(intent_)) {
            saved(*std::move(after));
            if (end_.report.saved) end_.report.saved->partial = intent_.partial;
        } else if (std::holds_alternative<transact_write_items_response>(response)) {
            // A transaction returns no item. What is read is at least as new as what was written.
            auto read = co_await read_until_answered();
            if (read)
                saved(std::move(read->found));
            else
                end_.report.unread = "no read of what it left was answered";
        }
    }

    /// The write is done, whatever another writer has made of the item since: even a tombstone, or none.
    void saved(std::optional<item> attributes) {
        auto sight = protocol::visible_in(core_.layout(), std::move(attributes));
        if (!sight) {
            end_.report.unread = sight.error().details.message;
            return;
        }
        end_.report.saved = stored_in(*std::move(sight));
        if (!end_.report.saved) end_.report.unread = "another has removed the item since";
    }

    /// Takes off the tombstone what the removal could not. Whatever becomes of that: the item is removed.
    awaitable<void> clear_tombstone() {
        auto names = left_on_tombstone(intent_, before_);
        while (!names.empty()) {
            const auto count = std::min(names.size(), protocol::most_changes);
            const auto rest = names.end() - static_cast<std::ptrdiff_t>(count);
            auto request = core_.requests().clear(intent_.key, intent_.write, {rest, names.end()});
            auto cleared = co_await core_.target().call(std::move(request));
            if (!cleared) co_return;
            names.erase(rest, names.end());
        }
    }

    /// Judges a refusal.
    step refused(failure& why) {
        auto seen = protocol::visible_in(core_.layout(), std::move(why.current));
        if (!seen) {
            fail(std::move(seen).error());
            return step::done;
        }
        auto sight = *std::move(seen);
        const auto meant = decide(intent_, sight ? &*sight : nullptr, clean_);
        if (meant == verdict::again) return step::again;
        if (meant == verdict::create_over) {
            if (auto full = plan_create_over(intent_, *sight)) {
                fail(*std::move(full));
                return step::done;
            }
            return step::at_once;
        }
        // Who makes the item whatever stands there writes onto what was made there meanwhile.
        const bool made_by_another = meant == verdict::exists && intent_.makes;
        if (meant == verdict::create_anew || made_by_another) {
            clean_ = true;
            plan_without_tombstone(intent_);
            return step::at_once;
        }
        const bool is_own_tombstone = meant == verdict::applied && intent_.buries;
        if (is_own_tombstone) before_ = sight->attributes;
        conclude(meant, std::move(sight));
        return step::done;
    }

    /// A write that must not be sent again: what does the item say of it?
    awaitable<void> look() {
        deadline_ = core_.world().clock->now() + core_.options().resolve_within;
        auto read = co_await read_until_answered();
        if (!read) {
            doubt({});
            co_return;
        }
        auto seen = protocol::visible_in(core_.layout(), std::move(read->found));
        auto sight = seen ? *std::move(seen) : std::nullopt;
        const auto meant = decide(intent_, sight ? &*sight : nullptr, false);
        conclude(meant, std::move(sight));
    }

    awaitable<result<get_item_response>> read_until_answered() {
        const auto& clock = *core_.world().clock;
        for (unsigned failures = 0;; ++failures) {
            auto request = core_.requests().look(intent_.key, true);
            auto read = co_await core_.target().call(std::move(request));
            if (read) co_return read;
            const bool cancelled = co_await runtime::cancellation_requested();
            if (cancelled || classify(read.error()) == answer::rejected || clock.now() >= deadline_) co_return read;
            runtime::alarm pause(core_.world());
            co_await pause.wait_until(std::min(deadline_, clock.now() + retry_pause(failures)));
        }
    }

    void conclude(verdict meant, std::optional<protocol::visible_item> sight) {
        auto& report = end_.report;
        const auto& base = intent_.write.base;
        if (intent_.how == write_intent::test::checked) report.expected = base.version;
        if (sight && !sight->gone) {
            report.found = sight->state.version;
            report.holder = sight->holder;
        }
        auto overflow = sight ? overflow_of(intent_, *sight) : std::nullopt;
        report.current = stored_in(std::move(sight));
        const auto number = [](const std::optional<std::int64_t>& version) {
            return version ? "version " + std::to_string(*version) : std::string("no version");
        };
        switch (meant) {
            case verdict::applied:
            case verdict::superseded:
                report.superseded = meant == verdict::superseded;
                report.saved = std::move(report.current);
                report.current.reset();
                if (!report.saved) report.unread = "another has removed the item since";
                return;
            case verdict::held:
                end_.why = explained(errc::locked, "held by " + report.holder);
                return;
            case verdict::condition_false:
                end_.why = std::move(overflow);
                if (end_.why) return;
                end_.why =
                    explained(errc::condition_failed, "the version is as expected, but the caller's condition is not");
                return;
            case verdict::conflict:
                end_.why =
                    explained(errc::conflict, "expected " + number(base.version) + ", found " + number(report.found) +
                                                  (report.found == base.version ? " of another life" : ""));
                return;
            case verdict::exists:
                end_.why = explained(errc::exists, "it has " + number(report.found));
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

    void fail(failure why) {
        name_size(why);
        if (clean_) {
            end_.why = std::move(why);
        } else {
            doubt(std::move(why.details));
        }
    }

    void doubt(diagnostics details) {
        auto why = in_doubt(std::move(details));
        why.details.advice = "resolve() or close() the pending write, or load the item and decide";
        end_.why = std::move(why);
        end_.report.pending = std::make_shared<const write_intent>(std::move(intent_));
    }

    write_intent intent_;
    const versioned_impl& core_;
    bool clean_ = true;
    dynalease::time_point deadline_;
    item before_;  ///< what a tombstone took the place of, as far as it is known
    write_end end_;
};

awaitable<runtime::completion<write_report>> run_write_verb(std::shared_ptr<versioned_impl> core, write_order order,
                                                            diagnostics* details) {
    runtime::completion<write_report> done;
    auto planned = plan_write(core, std::move(order));
    if (!planned) {
        done.code = report(planned.error(), details);
        co_return done;
    }
    delivery on_its_way(*std::move(planned));
    auto end = co_await on_its_way.run();
    if (end.why) done.code = report(*end.why, details);
    done.value = std::move(end.report);
    co_return done;
}

}  // namespace

awaitable<write_end> run_write(std::shared_ptr<versioned_impl> core, write_order order, item_stamp mine) {
    auto planned = plan_write(std::move(core), std::move(order), mine);
    if (!planned) {
        write_end refused{.why = std::move(planned).error()};
        co_return refused;
    }
    delivery on_its_way(*std::move(planned));
    auto end = co_await on_its_way.run();
    co_return end;
}

void write_verb::operator()(diagnostics* details, handler_for<write_report> handler) && {
    const auto executor = core->world().executor;
    called_verb called{details, verb_of(order.what), text_of(key_in(*core, order)), core->options().table};
    start_verb<write_report>(executor, std::move(called), run_write_verb(std::move(core), std::move(order), details),
                             std::move(handler));
}

}  // namespace dynalease::detail
