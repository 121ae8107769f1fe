// Carrying a transaction to its end: this process's own, and those that others have begun.
// SPDX-License-Identifier: BSL-1.0
#include "transaction/commit.hpp"

#include "item/fresh_stamp.hpp"
#include "item/item_names.hpp"
#include "transaction/errand_driver.hpp"
#include "transaction/protocol/coordinator.hpp"
#include "transaction/protocol/native_call.hpp"
#include "transaction/protocol/plan_limits.hpp"
#include "transaction/protocol/stored_writes.hpp"

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>

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

/// For the answer to a commit that its caller does not want to wait for any more.
constexpr std::chrono::seconds longest_farewell{10};
/// For what is to be done after the caller was told. Whoever meets an item that is held then frees it.
constexpr std::chrono::seconds longest_afterwork{60};

/// Decided, and every item given back that can be: what its own caller reads next is what it has written.
bool settled(const coordinator& machine) {
    return machine.now() == coordinator::phase::finishing || machine.now() == coordinator::phase::ended;
}
bool settled(const native_call& machine) {
    return machine.now() == native_call::phase::ended;
}

/// Others hold what it wants.
bool waits(const coordinator& machine) {
    return std::ranges::any_of(machine.items(), [](const auto& each) { return each.rival.has_value(); });
}
bool waits(const native_call& machine) {
    return machine.now() == native_call::phase::clearing;
}

/// Why a machine is stopped. @param code what ended the wait for it
template <class Machine>
failure why_stopped(const Machine& machine, error_code code) {
    if (code != boost::asio::error::timed_out) return errc::cancelled;
    return waits(machine) ? errc::locked : errc::timeout;
}

/// @returns the machine as it stood when it was settled, or when the time for that was over
template <class Machine>
awaitable<std::shared_ptr<errand_driver<Machine>>> carry_out(std::shared_ptr<transactions_impl> core, Machine machine,
                                                             time_point deadline) {
    using driver = errand_driver<Machine>;
    const auto running = std::make_shared<driver>(core->target(), std::move(machine));
    running->go_on();
    for (bool stopped = false; !settled(running->machine());) {
        const auto code = co_await driver::answered(running, deadline);
        if (!code) continue;
        if (std::exchange(stopped, true)) break;
        running->stop(why_stopped(running->machine(), code));
        const auto wish = co_await boost::asio::this_coro::cancellation_state;
        if ((wish.cancelled() & boost::asio::cancellation_type::terminal) != boost::asio::cancellation_type::none)
            break;
        deadline = core->now() + longest_farewell;
    }
    running->end_at(core->now() + longest_afterwork);
    co_return running;
}

failure undecided() {
    failure why(errc::in_doubt, outcome::unknown);
    why.details.advice = "transactions::look tells by the id what became of it; resume or roll_back decide it";
    return why;
}

/// Why a run that has been carried out did not happen; empty: it did.
template <class Machine>
std::optional<failure> told(const Machine& machine) {
    switch (machine.decided()) {
        case run_verdict::committed:
            // By another run of the same id.
            if (machine.why().code == errc::already_committed) return machine.why();
            return std::nullopt;
        case run_verdict::rolled_back:
            return machine.why();
        case run_verdict::forgotten:
        case run_verdict::open:
            break;
    }
    auto why = undecided();
    if (!settled(machine) || !machine.why().code) return why;
    auto advice = std::exchange(why.details.advice, {});
    why = machine.why();
    if (why.details.advice.empty()) why.details.advice = std::move(advice);
    return why;
}

/// What was put without having been read, is read now: what it becomes depends on what it was.
awaitable<std::optional<failure>> read_puts(std::shared_ptr<open_transaction> of) {
    std::vector<placed_key> unread;
    for (const auto& each : of->draft.items()) {
        if (each.wants_reading()) unread.push_back({each.layout, each.key});
    }
    if (unread.empty()) co_return std::nullopt;
    auto found = co_await read_latest(of->core, unread);
    if (!found) co_return std::move(found).error();
    for (std::size_t i = 0; i < unread.size(); ++i) {
        of->draft.saw(unread[i].layout, unread[i].key, std::move((*found)[i]), {});
    }
    co_return std::nullopt;
}

/// What was current by itself when it was read, no commit makes more so.
bool does_nothing(const protocol::transaction_plan& plan) {
    if (!plan.items.empty() || plan.checks.size() > 1) return false;
    return std::ranges::none_of(plan.checks, [](const auto& each) { return each.demand || each.fence; });
}

}  // namespace

awaitable<std::optional<failure>> commit(std::shared_ptr<open_transaction> of) {
    auto unread = co_await read_puts(of);
    if (unread) co_return unread;
    const auto core = of->core;
    const auto new_stamp = [&] { return fresh_stamp(core->world()); };
    auto plan = of->draft.plan(core->new_run(of->id), of->born, new_stamp);
    if (!plan) co_return std::move(plan).error();
    if (does_nothing(*plan) && !of->has_callers_id()) co_return std::nullopt;
    auto sealed = *std::move(plan);
    sealed.keeps_outcome = of->has_callers_id();

    const auto& table = core->options().table;
    const auto tier = of->options.tier;
    const bool fits = protocol::fits_native(sealed);
    if (tier == transaction_tier::native && !fits) {
        failure why(errc::too_many_items);
        why.details.message = "one native call takes 100 items, 4 MB in all, and one write to each";
        co_return why;
    }
    if (fits && tier != transaction_tier::inline_undo) {
        native_call call(table, std::move(sealed), core->rules());
        const auto ran = co_await carry_out(core, std::move(call), of->deadline);
        co_return told(ran->machine());
    }
    if (auto why = protocol::fault_of_inline(table, sealed)) co_return why;
    // The order that all who wait have in common.
    const auto name = [](const protocol::planned_item& each) { return item_name(each.place()); };
    if (core->options().policy == wait_policy::wait) std::ranges::sort(sealed.items, {}, name);
    coordinator run(table, std::move(sealed), core->rules());
    const auto ran = co_await carry_out(core, std::move(run), of->deadline);
    co_return told(ran->machine());
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

}  // namespace

awaitable<result<ended_transaction>> end_transaction(std::shared_ptr<transactions_impl> core,
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

awaitable<result<ended_transaction>> end_transaction(std::shared_ptr<transactions_impl> core, std::string id,
                                                     bool carries_on) {
    auto header = co_await read_header(core, std::move(id));
    if (!header) co_return std::move(header).error();
    if (!*header) co_return ended_transaction{.state = transaction_state::unknown};
    auto self = **std::move(header);
    co_return co_await end_transaction(std::move(core), std::move(self), carries_on);
}

}  // namespace dynalease::detail
