// Carrying a transaction to its end: this process's own, and those that others have begun.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/commit.hpp"

#include "database/table_key.hpp"
#include "item/fresh_stamp.hpp"
#include "item/item_names.hpp"
#include "runtime/cancellation.hpp"
#include "transaction/carry_out.hpp"
#include "transaction/held_items.hpp"
#include "transaction/protocol/plan_limits.hpp"
#include "transaction/protocol/plan_reader.hpp"
#include "transaction/protocol/stored_writes.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dynalease::detail {

namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using protocol::coordinator;
using protocol::native_call;
using protocol::run_verdict;

/// What was put without having been read, is read now: what it becomes depends on what it was.
awaitable<std::optional<failure>> read_puts(std::shared_ptr<open_transaction> of) {
    std::vector<placed_key> unread;
    for (const auto& each : of->draft.items()) {
        if (!each.wants_reading()) continue;
        auto held = of->held ? of->held->find(each.layout.table, each.key) : std::nullopt;
        if (held)
            of->draft.saw(each.layout, each.key, std::move(held));
        else
            unread.push_back({each.layout, each.key});
    }
    if (unread.empty()) co_return std::nullopt;
    auto found = co_await read_latest(of->core, unread);
    if (!found) co_return std::move(found).error();
    for (std::size_t i = 0; i < unread.size(); ++i) {
        of->draft.saw(unread[i].layout, unread[i].key, std::move((*found)[i]));
    }
    co_return std::nullopt;
}

/// What was current by itself when it was read, no commit makes more so.
bool does_nothing(const protocol::transaction_plan& plan) {
    if (!plan.items.empty() || plan.checks.size() > 1) return false;
    return std::ranges::none_of(plan.checks, [](const auto& each) { return each.demand || each.fence; });
}

}  // namespace

void sort_by_name(protocol::transaction_plan& plan) {
    std::ranges::sort(plan.items, {}, [](const protocol::planned_item& each) { return item_name(each.place()); });
}

namespace {

/// @param held what was locked before the body ran; null: nothing
awaitable<std::optional<failure>> commit_plan(std::shared_ptr<open_transaction> of, std::shared_ptr<held_items> held,
                                              protocol::transaction_plan sealed) {
    const auto core = of->core;
    of->one_call = protocol::fits_native(sealed);
    of->leaves_row = true;
    if (held) {
        auto why = co_await held_items::commit(held, std::move(sealed), of->deadline);
        // What the body wants this time, takes more: as if nothing were held, then.
        const bool otherwise = why && why->code == errc::too_many_items;
        if (otherwise && of->options.tier == transaction_tier::automatic) why->code = errc::conflict;
        of->one_call = !otherwise;
        co_return why;
    }
    sealed.keeps_outcome = of->has_callers_id();

    const auto& table = core->options().table;
    const auto tier = of->options.tier;
    const bool fits = of->one_call;
    if ((tier == transaction_tier::native || tier == transaction_tier::locked_commit) && !fits) {
        failure why(errc::too_many_items);
        why.details.message = "one native call takes 100 items, 4 MB in all, and one write to each";
        co_return why;
    }
    if (fits && tier != transaction_tier::inline_undo) {
        native_call call(table, std::move(sealed), core->rules());
        const auto ran = co_await carry_out(core, std::move(call), of->deadline);
        auto why = told(ran->machine());
        of->leaves_row = why && protocol::is_refused_run(*why, table, of->id);
        co_return why;
    }
    if (auto why = protocol::fault_of_inline(table, sealed)) co_return why;
    if (core->options().policy == wait_policy::wait) sort_by_name(sealed);
    coordinator run(table, std::move(sealed), core->rules());
    const auto ran = co_await carry_out(core, std::move(run), of->deadline);
    co_return told(ran->machine());
}

}  // namespace

awaitable<std::optional<failure>> commit(std::shared_ptr<open_transaction> of) {
    if (of->core->now() >= of->deadline) {
        of->held = nullptr;
        failure why(errc::timeout);
        why.details.message = "the time for all attempts was over before the commit, and nothing was sent";
        co_return why;
    }
    auto unread = co_await read_puts(of);
    // Given back wherever this ends.
    auto held = std::exchange(of->held, nullptr);
    if (unread) co_return unread;
    const auto new_stamp = [&] { return fresh_stamp(of->core->world()); };
    auto plan = of->draft.plan(of->core->new_run(of->id), of->born, new_stamp);
    if (!plan) co_return std::move(plan).error();
    if (does_nothing(*plan) && !of->has_callers_id()) co_return std::nullopt;
    const bool but_reads = plan->items.empty() && !of->has_callers_id();
    auto why = co_await commit_plan(of, std::move(held), *std::move(plan));
    // Of what but reads nothing can have happened, whether it was answered or not.
    if (but_reads && why && why->code == errc::in_doubt) {
        const bool cancelled = co_await runtime::cancellation_requested();
        why = failure(cancelled ? errc::cancelled : errc::timeout);
    }
    co_return why;
}

// ---- those that others have begun ----------------------------------------------------------------------------

transaction_state state_of(protocol::header_state state) {
    switch (state) {
        case protocol::header_state::pending:
            return transaction_state::pending;
        case protocol::header_state::committed:
            return transaction_state::committed;
        case protocol::header_state::rolled_back:
            break;
    }
    return transaction_state::rolled_back;
}

namespace {

/// The work of another process is done with patience: nobody knows how much there is.
constexpr std::chrono::minutes longest_work{10};

awaitable<result<ended_transaction>> end_read(std::shared_ptr<transactions_impl> core,
                                              protocol::transaction_header self, bool carries_on) {
    if (self.done) co_return ended_transaction{.state = state_of(self.state)};
    auto plan = protocol::plan_in(self);
    if (!plan) co_return std::move(plan).error();
    for (auto& each : plan->items) {
        for (auto& write : each.writes) write.stamp = fresh_stamp(core->world());
    }
    auto run = coordinator::resumed(core->options().table, *std::move(plan), core->rules(), self);
    if (!carries_on) run.stop(failure(errc::cancelled));
    const auto ran = co_await carry_out(core, std::move(run), core->now() + longest_work);
    const auto& machine = ran->machine();
    ended_transaction ended{.state = transaction_state::unknown, .is_complete = !machine.leaves_some()};
    ended.freed_some = machine.freed_some();
    switch (machine.decided()) {
        case run_verdict::committed:
            ended.state = transaction_state::committed;
            break;
        case run_verdict::rolled_back:
            ended.state = transaction_state::rolled_back;
            break;
        case run_verdict::forgotten:
            break;
        case run_verdict::open:
            co_return *told(machine);
    }
    co_return ended;
}

awaitable<result<ended_transaction>> end_by(std::shared_ptr<transactions_impl> core, protocol::plan_reader reader,
                                            bool carries_on) {
    auto self = co_await read_plan(core, std::move(reader));
    if (!self) co_return co_await explained_by_key(core->target(), core->options().table, std::move(self).error());
    if (!*self) co_return ended_transaction{.state = transaction_state::unknown};
    auto known = **std::move(self);
    co_return co_await end_read(std::move(core), std::move(known), carries_on);
}

}  // namespace

awaitable<result<ended_transaction>> end_transaction(std::shared_ptr<transactions_impl> core,
                                                     protocol::transaction_header self, bool carries_on) {
    auto reader = protocol::plan_reader::taking_over(core->options().table, std::move(self));
    return end_by(std::move(core), std::move(reader), carries_on);
}

awaitable<result<ended_transaction>> end_transaction(std::shared_ptr<transactions_impl> core, std::string id,
                                                     bool carries_on) {
    auto reader = protocol::plan_reader::taking_over(core->options().table, std::move(id));
    return end_by(std::move(core), std::move(reader), carries_on);
}

}  // namespace dynalease::detail
