// Locking items first, and changing them by the commit.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/held_items.hpp"

#include "item/fresh_stamp.hpp"
#include "item/item_names.hpp"
#include "runtime/cancellation.hpp"
#include "transaction/carry_out.hpp"
#include "transaction/commit.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

using boost::asio::awaitable;
using protocol::coordinator;

namespace {

protocol::transaction_plan plan_of(const open_transaction& of, const std::vector<placed_key>& places) {
    const auto& core = *of.core;
    protocol::transaction_plan plan{.name = core.new_run(of.id), .born = of.born, .items = {}, .holds = true};
    for (const auto& place : places) {
        protocol::planned_item planned{
            .on = {.layout = place.layout, .versioned = true}, .key = place.key, .writes = {}};
        planned.writes.push_back({.kind = protocol::mark_kind::read, .stamp = fresh_stamp(core.world())});
        plan.items.push_back(std::move(planned));
    }
    sort_by_name(plan);
    return plan;
}

bool holds_or_settled(const coordinator& machine) {
    return machine.now() == coordinator::phase::holding || settled(machine);
}

}  // namespace

awaitable<result<std::shared_ptr<held_items>>> held_items::take(std::shared_ptr<open_transaction> of,
                                                                std::vector<placed_key> places) {
    const auto& core = of->core;
    coordinator machine(core->options().table, plan_of(*of, places), core->rules());
    auto run = std::make_shared<driver>(core->target(), std::move(machine));
    run->go_on();
    co_await see_through<coordinator>(core, run, holds_or_settled, of->deadline);
    auto held = std::make_shared<held_items>(core, run);
    const auto& now = run->machine();
    if (now.now() != coordinator::phase::holding) {
        auto why = told(now);
        if (!why) co_return failure(errc::already_committed);
        // Whatever became of its row: nobody else commits it, and this process does not, either.
        const bool cancelled = co_await runtime::cancellation_requested();
        if (why->code == errc::in_doubt) co_return failure(cancelled ? errc::cancelled : errc::timeout);
        co_return *std::move(why);
    }
    for (std::size_t i = 0; i < now.items().size(); ++i) {
        const auto& each = now.plan().items[i];
        auto stored = as_stored({each.on.layout, each.key}, now.items()[i].sight);
        if (!stored) co_return std::move(stored).error();
        if (*stored) held->sights_.emplace(item_name(each.place()), **std::move(stored));
    }
    co_return held;
}

held_items::~held_items() {
    const auto executor = core_->world().executor;
    boost::asio::post(executor, [core = std::move(core_), run = std::move(run_)] {
        if (run->machine().now() == coordinator::phase::holding) run->stop(errc::cancelled);
        run->end_at(core->now() + longest_afterwork);
    });
}

std::optional<stored_item> held_items::find(const std::string& table, const item_key& key) const {
    const auto found = sights_.find(item_name({table, key}));
    return found == sights_.end() ? std::nullopt : std::optional(found->second);
}

awaitable<std::optional<failure>> held_items::commit(std::shared_ptr<held_items> self,
                                                     protocol::transaction_plan wanted, time_point deadline) {
    self->run_->commit(std::move(wanted));
    co_await see_through<coordinator>(self->core_, self->run_, settled, deadline);
    co_return told(self->run_->machine());
}

}  // namespace dynalease::detail
