// Load, change, save, and again from what a conflict shows, until it holds.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/versioned_update.hpp"
#include "database/called_verb.hpp"
#include "database/protocol/backoff.hpp"
#include "database/protocol/reply.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"
#include "versioned/protocol/version_decisions.hpp"

#include <dynalease/session.hpp>

#include <optional>
#include <string>
#include <utility>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;

/// The order that brings the item to what the function wants; empty: it is as wanted.
std::optional<write_order> order_for(const versioned_impl& core, const update_order& what,
                                     const std::optional<stored_item>& stored) {
    auto made = what.change(stored ? &*stored : nullptr);
    if (!made) return std::nullopt;
    write_order order{.what = stored ? write_order::kind::save : write_order::kind::create,
                      .key = what.key,
                      .seen = std::move(made->seen),
                      .members = std::move(made->wanted),
                      .unwritten = std::move(made->unwritten),
                      .complete = what.complete,
                      .whole = what.options.scope == save_scope::whole,
                      .ignore_lock = what.options.ignore_lock};
    if (!stored) return order;
    auto members = order.members;
    if (what.complete) {
        members.absent = protocol::replaced_members(core.layout(), stored->attributes, members).remove;
    }
    const bool key_kept = what.complete ? protocol::key_of(core.layout(), members.present) == what.key
                                        : protocol::keeps_key(core.layout(), what.key, members.present);
    const auto& seen = order.seen ? *order.seen : stored->attributes;
    const auto changes =
        protocol::changed_members(core.layout(), {.stored = stored->attributes, .seen = seen, .wanted = members});
    if (key_kept && changes.size() == 0) return std::nullopt;
    order.base = stored->state;
    order.stored = stored->attributes;
    return order;
}

}  // namespace

update_step next_write(const versioned_impl& core, const update_order& what, const std::optional<stored_item>& stored) {
    update_step step;
    try {
        step.write = order_for(core, what, stored);
        if (step.write) return step;
        step.end.report.saved = stored;
        if (!stored) {
            step.end.why = failure(errc::missing);
            step.end.why->details.message = "the function left it so; nothing was written";
        }
    } catch (const error& why) {
        step.end.report.thrown = std::current_exception();
        step.end.why = failure(why.code());
        step.end.why->details = why.diagnostics();
    } catch (...) {
        step.end.report.thrown = std::current_exception();
        step.end.why = failure(errc::cancelled);
        step.end.why->details.message = "the function threw, and nothing was written";
    }
    return step;
}

namespace {

bool is_overtaken(const failure& why, const update_options& how) {
    return why.code == errc::conflict || why.code == errc::exists || (why.code == errc::missing && how.create);
}

/// Who is in the way of the update; empty: nobody.
std::string holder_of(const update_order& what, const std::optional<protocol::visible_item>& seen) {
    const bool held = seen && !seen->gone && (!what.options.ignore_lock || seen->mark);
    return held ? seen->holder : std::string();
}

/// Until `when`; why not, if that is beyond the deadline, or the caller goes.
awaitable<std::optional<failure>> sleep_until(std::shared_ptr<versioned_impl> core, dynalease::time_point when,
                                              dynalease::time_point deadline, failure late) {
    std::optional<failure> why;
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        why = failure(errc::cancelled);
    } else if (when > deadline) {
        why = std::move(late);
    } else {
        runtime::alarm alarm(core->world());
        co_await alarm.wait_until(when);
        const bool cancelled_meanwhile = co_await runtime::cancellation_requested();
        if (cancelled_meanwhile) why = failure(errc::cancelled);
    }
    co_return why;
}

/// Behind a lock, or a transaction. It looks: a write that is refused costs as much as one that is done, and is in the
/// holder's way.
/// @param behind the end of the write that met the lock; it takes along what is there once nobody holds it
/// @param mine of that write: it is done with once the item shows it, whoever holds that now
awaitable<std::optional<failure>> wait_behind_lock(std::shared_ptr<versioned_impl> core, const update_order* what,
                                                   item_stamp mine, dynalease::time_point deadline,
                                                   write_report* behind) {
    const auto& world = core->world();
    std::optional<failure> why;
    for (unsigned looks = 0; !why;) {
        const auto next = world.clock->now() + retry_pause(looks++, world.random->unit());
        failure locked(errc::locked);
        locked.details.message = "held by " + behind->holder;
        why = co_await sleep_until(core, next, deadline, std::move(locked));
        if (why) break;
        auto seen = co_await look_at(core, what->key, true);
        if (!seen) {
            if (classify(seen.error()) == answer::rejected) why = std::move(seen).error();
            continue;
        }
        behind->holder = holder_of(*what, *seen);
        behind->current = stored_in(*std::move(seen));
        behind->found.reset();
        if (behind->current) behind->found = behind->current->state.version;
        if (behind->current && protocol::remembers(behind->current->state, mine)) break;
        if (behind->holder.empty()) break;
    }
    co_return why;
}

write_end given_up(write_end end, failure why) {
    if (why.code == errc::cancelled) end = {};
    end.why = std::move(why);
    return end;
}

awaitable<write_end> run_update(std::shared_ptr<versioned_impl> core, update_order what) {
    const auto& world = core->world();
    const auto deadline = world.clock->now() + what.options.wait;
    write_end end;
    if (what.options.promote && (!what.promotes || what.options.promote->after == 0)) {
        end.why = failure(errc::invalid_option);
        end.why->details.message = what.promotes ? "promote.after must be at least 1" : "promote.with names no session";
        co_return end;
    }

    auto seen = co_await look_at(core, what.key, what.options.consistent);
    // An eventually consistent read may not know yet of an item that is there.
    const bool unknown = seen && (!*seen || (*seen)->missing());
    if (unknown && !what.options.consistent) seen = co_await look_at(core, what.key, true);
    if (!seen) {
        end.why = std::move(seen).error();
        co_return end;
    }
    end.report.holder = holder_of(what, *seen);
    auto stored = stored_in(*std::move(seen));
    auto mine = core->new_stamp();
    // Whether there is an item will be known when the transaction that inserts it is over.
    if (!stored && !end.report.holder.empty()) {
        auto why = co_await wait_behind_lock(core, &what, mine, deadline, &end.report);
        if (why) co_return given_up(std::move(end), *std::move(why));
        stored = std::move(end.report.current);
    }
    end = {};
    for (unsigned tries = 1;;) {
        if (!stored && !what.options.create) {
            end.why = failure(errc::missing);
            co_return end;
        }
        auto step = next_write(*core, what, stored);
        if (!step.write) co_return std::move(step.end);
        end = co_await run_write(core, *std::move(step.write), mine);
        if (!end.why) co_return end;
        const bool held = end.why->code == errc::locked;
        const bool overtaken = is_overtaken(*end.why, what.options);
        if (!held && !overtaken) co_return end;
        // Behind a lock the state stays, and with it the stamp: should a copy that the network made of the refused
        // write land when the lock goes, the next try knows it for its own.
        if (overtaken) mine = core->new_stamp();
        // Only what is there can be locked.
        const bool promotes = what.promotes && end.report.current && (held || tries >= what.options.promote->after);
        if (promotes) {
            auto under_lock = what;
            end = co_await update_locked(core, std::move(under_lock), mine, deadline);
            const bool gone = end.why && end.why->code == errc::missing && what.options.create;
            if (!gone) co_return end;
            stored.reset();
            continue;
        }
        if (overtaken && tries >= what.options.tries) co_return end;

        std::optional<failure> why;
        if (held) {
            const auto met = end.report.current;
            why = co_await wait_behind_lock(core, &what, mine, deadline, &end.report);
            // A copy of the refused write, made by the network, has landed when the lock went.
            const auto& now = end.report.current;
            if (!why && now && protocol::remembers(now->state, mine)) {
                write_end landed;
                landed.report.superseded = now->state.stamp != mine;
                landed.report.saved = now;
                co_return landed;
            }
            const bool same = met && now ? now->state == met->state : !met && !now;
            if (!same) mine = core->new_stamp();
        } else {
            const auto longest = protocol::conflict_pause(++tries);
            const std::chrono::nanoseconds pause(world.random->below(static_cast<std::uint64_t>(longest.count()) + 1));
            const auto next = world.clock->now() + pause;
            auto late = *end.why;
            why = co_await sleep_until(core, next, deadline, std::move(late));
        }
        if (why) co_return given_up(std::move(end), *std::move(why));
        // What a conflict has brought, or the last look.
        stored = std::move(end.report.current);
        end = {};
    }
}

awaitable<runtime::completion<write_report>> run_update_verb(std::shared_ptr<versioned_impl> core, update_order what,
                                                             diagnostics* details) {
    runtime::completion<write_report> done;
    auto end = co_await run_update(core, std::move(what));
    if (end.why) done.code = report(*end.why, details);
    done.value = std::move(end.report);
    co_return done;
}

}  // namespace

void update_verb::operator()(diagnostics* details, handler_for<write_report> handler) && {
    const auto executor = core->world().executor;
    update_order order{core->key_of(key), std::move(change), options, complete};
    if (options.promote && options.promote->with) order.promotes = access::core_of(*options.promote->with);
    called_verb called{details, "versioned.update", text_of(order.key), core->options().table};
    start_verb<write_report>(executor, std::move(called), run_update_verb(std::move(core), std::move(order), details),
                             std::move(handler));
}

}  // namespace dynalease::detail
