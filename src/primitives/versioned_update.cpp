// Load, change, save, and again from what a conflict shows, until it holds.
#include "primitives/verb_failure.hpp"
#include "primitives/versioned_core.hpp"
#include "protocol/version_decisions.hpp"
#include "protocol/waiting.hpp"
#include "runtime/alarm.hpp"
#include "runtime/cancellation.hpp"
#include "runtime/spawn.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {

using boost::asio::awaitable;

struct update_order {
    item_key key;
    update_function change;
    update_options options;
    bool complete;
};

/// The order that brings the item to what the function wants; empty: it is as wanted.
std::optional<write_order> order_for(const versioned_core& core, const update_order& what,
                                     const std::optional<stored_item>& stored) {
    auto wanted = what.change(stored ? &*stored : nullptr);
    if (!wanted) return std::nullopt;
    write_order order{.what = stored ? write_order::kind::save : write_order::kind::create,
                      .members = *std::move(wanted),
                      .complete = what.complete,
                      .whole = what.options.scope == save_scope::whole,
                      .ignore_lock = what.options.ignore_lock};
    if (!stored) return order;
    auto members = order.members;
    if (what.complete) {
        members.absent = protocol::replaced_members(core.layout(), stored->attributes, members).remove;
    }
    const bool key_kept = protocol::key_of(core.layout(), members.present) == what.key;
    const auto changes = protocol::changed_members(core.layout(), stored->attributes, members);
    if (key_kept && changes.size() == 0) return std::nullopt;
    order.base = stored->state;
    order.stored = stored->attributes;
    return order;
}

awaitable<write_end> run_update(std::shared_ptr<versioned_core> core, update_order what) {
    const auto& world = core->world();
    const auto deadline = world.clock->now() + what.options.wait;
    write_end end;

    auto loaded = co_await load_item(core, what.key, what.options.consistent);
    // An eventually consistent read may not know yet of an item that is there.
    if (loaded && !*loaded && !what.options.consistent) loaded = co_await load_item(core, what.key, true);
    if (!loaded) {
        end.why = std::move(loaded).error();
        co_return end;
    }
    auto stored = *std::move(loaded);
    auto mine = core->new_stamp();
    for (unsigned tries = 1, waits = 0;;) {
        if (!stored && !what.options.create) {
            end.why = failure(errc::missing);
            co_return end;
        }
        std::optional<write_order> order;
        try {
            order = order_for(*core, what, stored);
        } catch (const error& why) {
            end.report.thrown = std::current_exception();
            end.why = failure(why.code());
            end.why->details = why.diagnostics();
            co_return end;
        } catch (...) {
            end.report.thrown = std::current_exception();
            end.why = failure(errc::cancelled);
            end.why->details.message = "the function threw, and nothing was written";
            co_return end;
        }
        if (!order) {
            end.report.saved = std::move(stored);
            co_return end;
        }
        end = co_await run_write(core, *std::move(order), mine);
        if (!end.why) co_return end;
        const auto code = end.why->code;
        const bool held = code == errc::locked;
        const bool overtaken =
            code == errc::conflict || code == errc::exists || (code == errc::missing && what.options.create);
        if (!held && !overtaken) co_return end;
        if (overtaken && tries >= what.options.tries) co_return end;

        // Behind a lock the state stays, and with it the stamp: should a copy that the network made of the refused
        // write land when the lock goes, the next try knows it for its own.
        if (overtaken) mine = core->new_stamp();
        const auto longest = held ? protocol::retry_pause(waits++) : protocol::conflict_pause(++tries);
        const std::chrono::nanoseconds pause(world.random->below(static_cast<std::uint64_t>(longest.count()) + 1));
        const auto next = world.clock->now() + (held ? longest / 2 + pause / 2 : pause);
        const bool cancelled = co_await runtime::cancellation_requested();
        if (cancelled) {
            end = {.why = failure(errc::cancelled)};
            co_return end;
        }
        if (next > deadline) co_return end;
        runtime::alarm alarm(world);
        co_await alarm.wait_until(next);
        const bool cancelled_meanwhile = co_await runtime::cancellation_requested();
        if (cancelled_meanwhile) {
            end = {.why = failure(errc::cancelled)};
            co_return end;
        }
        // The refusal brought what is there: no read.
        stored = std::move(end.report.current);
        end = {};
    }
}

awaitable<runtime::completion<write_report>> run_update_verb(std::shared_ptr<versioned_core> core, update_order what,
                                                             diagnostics* details) {
    runtime::completion<write_report> done;
    const auto key = text_of(what.key);
    auto end = co_await run_update(core, std::move(what));
    if (end.why) {
        end.why->details.table = core->options().table;
        done.code = report(*end.why, details, "versioned.update", key);
    }
    done.value = std::move(end.report);
    co_return done;
}

}  // namespace

void update_verb::operator()(diagnostics* details, handler_for<write_report> handler) && {
    const auto executor = core->world().executor;
    update_order order{core->key_of(key), std::move(change), options, complete};
    runtime::spawn<write_report>(executor, run_update_verb(std::move(core), std::move(order), details),
                                 std::move(handler));
}

}  // namespace dynalease::detail
