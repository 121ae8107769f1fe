// An update under the item's own lock, for the case that too many others write it.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_impl.hpp"
#include "item_lock/item_lock_options.hpp"
#include "runtime/cancellation.hpp"
#include "versioned/versioned_update.hpp"

#include <dynalease/dynamodb/update_expression.hpp>

#include <utility>

namespace dynalease::detail {

namespace {

/// @throws dynalease::error where another lock of the item in that session keeps its version otherwise.
in_lives<item_target> lock_of_item(const versioned_impl& core, const update_order& what) {
    const auto& options = core.options();
    return {what.promotes, item_target_of(what.promotes->present(), {options.table, what.key}, kept_as(options, {}))};
}

path path_to(const protocol::inner_place& place) {
    path to(place.front());
    for (auto name = place.begin() + 1; name != place.end(); ++name) to = to[*name];
    return to;
}

update_expression as_update(const protocol::member_changes& changes) {
    update_expression update;
    for (const auto& [name, value] : changes.set) update += set(name, value);
    for (const auto& name : changes.remove) update += remove(name);
    for (const auto& [place, value] : changes.inside) {
        update += value ? set(path_to(place), *value) : remove(path_to(place));
    }
    return update;
}

/// The maps are there that it changes something in.
condition_expression as_demand(const protocol::member_changes& changes) {
    condition_expression all;
    for (const auto& map : protocol::maps_needed(changes.inside)) {
        all = std::move(all) && attribute_type(path_to(map), "M");
    }
    return all;
}

}  // namespace

boost::asio::awaitable<update_end> update_locked(std::shared_ptr<versioned_impl> core, update_order what,
                                                 item_stamp mine, dynalease::time_point deadline) {
    update_end end;
    in_lives<item_target> target;
    try {
        target = lock_of_item(*core, what);
    } catch (const dynalease::error& refused) {
        end.why = failure(refused.code());
        end.why->details = refused.diagnostics();
        co_return end;
    }
    const std::chrono::nanoseconds wait = deadline - core->world().clock->now();
    auto got = co_await acquire(target, protocol::item_access::exclusive, false, wait);
    if (got.why) {
        const bool cancelled = co_await runtime::cancellation_requested();
        end.why = *got.why;
        // Of the update nothing was sent yet, whatever becomes of the claim on the lock.
        const auto code = end.why->code;
        if (code == errc::wait_timeout || code == errc::in_doubt) end.why->code = errc::locked;
        if (cancelled) end.why->code = errc::cancelled;
        co_return end;
    }
    auto sight = protocol::visible_in(core->layout(), got.guard.item());
    if (!sight) {
        end.why = std::move(sight).error();
        co_return end;
    }
    auto stored = stored_in(*std::move(sight));
    // A copy of the write before, made by the network, may have landed when the lock went from hand to hand.
    if (stored && protocol::remembers(stored->state, mine)) {
        end.report.superseded = stored->state.stamp != mine;
        end.report.saved = std::move(stored);
        co_return end;
    }
    // Where nothing is to be written the guard gives the item back, in the background.
    auto next = next_write_of(*core, what, stored, mine, end.report.thrown);
    if (!next.write) {
        end.why = std::move(next.end.why);
        end.report.saved = std::move(next.end.facts.saved);
        co_return end;
    }
    const auto hold = item_hold::of(got.guard);
    if (!hold->let_go()) {
        end.why = hold->core()->status().valid() ? failure(errc::lock_lost) : hold->core()->over_failure();
        co_return end;
    }
    auto update = as_update(next.write->changes);
    auto condition = as_demand(next.write->changes);
    auto written = co_await hold->front().change_and_release(hold, std::move(update), std::move(condition), mine);
    if (!written.why) {
        auto left = protocol::visible_in(core->layout(), std::move(written.left));
        if (left && !(*left)->attributes.empty()) end.report.saved = stored_in(*std::move(left));
        co_return end;
    }
    end.why = *written.why;
    if (end.why->code == errc::condition_failed) {
        end.why->code = errc::conflict;
        end.why->details.message = "a map in which something was to be changed went under the item's lock";
    }
    if (end.why->code == errc::in_doubt) {
        end.report.pending = std::make_shared<const write_intent>(write_intent{*std::move(next.write), core});
    }
    co_return end;
}

}  // namespace dynalease::detail
