// An update, carried out: what its function makes of an item, and when the item is locked for it.
// SPDX-License-Identifier: BSL-1.0
#include "versioned/versioned_update.hpp"

#include "database/called_verb.hpp"
#include "item/item_names.hpp"
#include "runtime/alarm.hpp"
#include "runtime/later.hpp"
#include "versioned/item_lines.hpp"
#include "versioned/writing_process.hpp"

#include <dynalease/session.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace dynalease::detail {

namespace {

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

protocol::next_write next_write_of(const versioned_impl& core, const update_order& what,
                                   const std::optional<stored_item>& stored, const item_stamp& mine,
                                   std::exception_ptr& thrown) {
    protocol::next_write next;
    auto& why = next.end.why;
    std::optional<write_order> order;
    try {
        order = order_for(core, what, stored);
    } catch (const error& by) {
        // What the struct holds and no item can is the verb's own failure; what else is thrown is thrown on.
        if (by.diagnostics().operation != mapping_operation) thrown = std::current_exception();
        why = failure(by.code());
        why->details = by.diagnostics();
        return next;
    } catch (...) {
        thrown = std::current_exception();
        why = failure(errc::cancelled);
        why->details.message = "the function threw, and nothing was written";
        return next;
    }
    if (!order) {
        next.end.facts.saved = stored;
        if (stored) return next;
        why = failure(errc::missing);
        why->details.message = "the function left it so; nothing was written";
        return next;
    }
    auto planned = plan_write(core, *std::move(order), mine);
    if (planned)
        next.write = *std::move(planned);
    else
        why = std::move(planned).error();
    return next;
}

namespace {

using boost::asio::awaitable;

std::optional<failure> fault_of(const versioned_impl& core, const update_order& what) {
    const auto refused = [](const char* message) {
        failure why(errc::invalid_option);
        why.details.message = message;
        return why;
    };
    const auto& promote = what.options.promote;
    if (promote && !what.promotes) return refused("promote.with names no session");
    if (promote && promote->after == 0) return refused("promote.after must be at least 1");
    if (what.options.wait < std::chrono::milliseconds::zero())
        return refused("update_options::wait must not be negative");
    if (what.options.tries == 0) return refused("update_options::tries must be at least 1");
    return core.fault_of(what.key);
}

protocol::update_terms terms_of(const versioned_impl& core, const update_order& what, dynalease::time_point deadline) {
    const auto& options = what.options;
    return {.key = what.key,
            .consistent = options.consistent,
            .create = options.create,
            .ignore_lock = options.ignore_lock,
            .tries = options.tries,
            .promotes_after = what.promotes ? options.promote->after : 0,
            .deadline = deadline,
            .patience = core.options().resolve_within};
}

awaitable<update_end> run_update(std::shared_ptr<versioned_impl> core, update_order what) {
    const auto deadline = runtime::later(core->world().clock->now(), what.options.wait);
    update_end end{.why = fault_of(*core, what)};
    if (end.why) co_return end;
    writing_process process(core->target());
    auto& lines = core->target().implementation()->companion<item_lines>();
    // Who asks for no lock is not held up by those who wait for one.
    const std::string line = what.options.ignore_lock && !what.promotes ? "past its lock: " : "";
    item_lines::place place(lines, line + item_name({core->options().table, what.key}));
    co_await place.wait(deadline);
    std::exception_ptr thrown;
    protocol::item_update update(
        process, process.steps(), core->layout(), terms_of(*core, what, deadline),
        [&](const auto& stored, const auto& mine) { return next_write_of(*core, what, stored, mine, thrown); });
    co_await process.run(update.run());
    for (unsigned tries = 2; update.promotes(); ++tries) {
        auto under_lock = what;
        end = co_await update_locked(core, std::move(under_lock), update.mine(), deadline);
        // What the function has thrown ends the update, whatever its code.
        if (end.report.thrown) co_return end;
        if (end.why && end.why->code == errc::conflict) {
            // By a writer that respects no lock: anew, from what is there then.
            const auto again = core->world().clock->now() + protocol::conflict_pause(tries);
            if (again >= deadline) co_return end;
            runtime::alarm pause(core->world());
            const bool slept = co_await pause.wait_until(again);
            if (slept) continue;
            end.why = failure(errc::cancelled);
            co_return end;
        }
        const bool gone = end.why && end.why->code == errc::missing && what.options.create;
        if (!gone) co_return end;
        co_await process.run(update.run_without_item());
    }
    auto& how = update.end();
    end.why = std::move(how.why);
    end.report =
        report_of(core, std::move(how), how.in_doubt ? std::move(update.last_write()) : protocol::write_intent());
    end.report.thrown = std::move(thrown);
    co_return end;
}

awaitable<runtime::completion<write_report>> run_update_verb(std::shared_ptr<versioned_impl> core, update_order what,
                                                             diagnostics* details) {
    runtime::completion<write_report> done;
    auto end = co_await run_update(core, std::move(what));
    if (end.why) {
        core->explain(*end.why);
        done.code = report(*end.why, details);
    }
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
