// What callers do, one thing after the other.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/transaction/user.hpp"

#include "simulation/framework/counted_frame.hpp"
#include "simulation/transaction/process.hpp"
#include "simulation/transaction/world.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace dynalease::simulation::transfers {

namespace asio = boost::asio;

namespace {

transactions_options options_of(process& at) {
    auto& choices = at.world().choices();
    const auto& made_of = at.world().made_of();
    const auto longest = static_cast<std::uint64_t>(made_of.longest_patience.count());
    return {.table = coordination,
            .policy = made_of.policies[choices.choose("caller: policy", made_of.policies.size())],
            .patience = std::chrono::milliseconds(choices.between("caller: patience", 1, longest)),
            .wait = std::chrono::milliseconds(choices.choose("caller: wait", 5'000))};
}

std::size_t draw_weighted(testing::tape& choices, const char* label, const auto& weights) {
    std::uint64_t all = 0;
    for (const auto each : weights) all += each;
    auto drawn = choices.choose(label, all);
    std::size_t which = 0;
    while (drawn >= weights[which]) drawn -= weights[which++];
    return which;
}

}  // namespace

user::user(process& at)
    : simulation::user(at.world().choices(), at, "caller: cancellation"),
      process_(at),
      all_(at.machine().database(), options_of(at)),
      accounts_(at.machine().database(), {.table = table, .key = "pk", .sort_key = "sk"}) {}

void user::stop() {
    stopped_ = true;
    // Boost 1.81 throws out of its loop when a coroutine is cancelled before its first step.
    if (!entering_) interrupt();
}

asio::awaitable<void> user::live(std::shared_ptr<user> self) {
    auto& me = *self;
    auto& world = me.process_.world();
    const counted_frame standing(me.process_.frames);
    co_await me.sleep_up_to("caller: first rest", world.made_of().longest_rest);
    while (!world.stopping()) {
        co_await me.act();
        if (world.stopping()) break;
        const auto rest = world.calm() ? std::chrono::milliseconds(100) : world.made_of().longest_rest;
        co_await me.sleep_up_to("caller: rest", rest);
    }
}

wish user::draw() {
    auto& world = process_.world();
    auto& choices = world.choices();
    auto& item_history = world.item_history();
    const auto& habits = world.made_of().users;
    const bool anothers = choices.choose("caller: another's wish", world.made_of().shared) == 1;
    if (anothers && !world.shared().empty() && !world.calm()) {
        return world.shared()[choices.choose("caller: which of them", world.shared().size())];
    }
    constexpr std::array kinds{wish_kind::transfer, wish_kind::append, wish_kind::skew, wish_kind::survey,
                               wish_kind::token};
    const std::array weights{habits.transfer, habits.append, habits.skew, habits.survey, habits.token};
    // Nothing may keep it from happening once all is well.
    const auto kind = world.calm() ? wish_kind::append : kinds[draw_weighted(choices, "caller: kind of wish", weights)];
    auto made = draw_wish(choices, kind, item_history.accounts(), item_history.items() - item_history.accounts(),
                          item_history.next_number());
    // What but reads, each call for it does anew.
    if (!made.steps.empty() && choices.choose("caller: names it", world.made_of().named) == 0) {
        made.id = "wish-" + std::to_string(made.number);
        world.know({.id = made.id});
        world.share(made);
    }
    item_history.tell(process_.name(), wished{.number = made.number, .effects = made.effects()});
    return made;
}

run_options user::draw_options(const wish& wanted) {
    auto& world = process_.world();
    auto& choices = world.choices();
    const auto& made_of = world.made_of();
    run_options how;
    if (!wanted.id.empty()) how.id = wanted.id;
    how.tier = made_of.tiers[choices.choose("caller: tier", made_of.tiers.size())];
    // What meets all items of a crowd is more than can be locked first.
    if (wanted.steps.size() >= 100) how.tier = transaction_tier::inline_undo;
    if (world.calm()) return how;
    how.attempts = static_cast<unsigned>(choices.between("caller: attempts", 1, 10));
    const auto longest = static_cast<std::uint64_t>(made_of.longest_within.count());
    how.within = std::chrono::milliseconds(choices.between("caller: within", 20, longest));
    return how;
}

asio::awaitable<void> user::act() {
    auto& world = process_.world();
    auto& choices = world.choices();
    const auto& habits = world.made_of().users;
    const auto wishes = habits.transfer + habits.append + habits.skew + habits.survey + habits.token;
    const std::array weights{wishes,       habits.plain, habits.read, habits.end,
                             habits.sweep, habits.pages, habits.free, habits.together};
    auto what = draw_weighted(choices, "caller: verb", weights);
    // Who fails fast waits for nobody, not even for one that was left: somebody sweeps.
    if (world.calm()) what = std::exchange(failed_, false) ? 4 : 0;
    if (what == 0) {
        auto wanted = draw();
        co_await want(std::move(wanted));
    }
    if (what == 1) co_await write_plainly();
    if (what == 2) co_await read_beside();
    if (what == 3) co_await end_another();
    if (what == 4) co_await sweep();
    if (what == 5) co_await read_pages();
    if (what == 6) co_await free_one();
    if (what == 7) co_await read_together();
}

// ---- a wish ----------------------------------------------------------------------------------------------------

asio::awaitable<void> user::want(wish wanted) {
    auto& world = process_.world();
    auto& choices = world.choices();
    auto& item_history = world.item_history();
    call_ = item_history.next_number();
    item_history.tell(process_.name(), called{.call = call_, .number = wanted.number});
    auto how = draw_options(wanted);
    const bool by_hand = choices.choose("caller: by hand", 4) == 1;
    next_operation();
    if (choices.choose("caller: change of mind", world.made_of().cancels) == 1 && !world.calm()) {
        cancel_after(std::chrono::microseconds(choices.between("caller: when", 1, 3'000'000)));
    }
    guarded_ = world.made_of().guarded != 0 && !world.calm() &&
               choices.choose("caller: requires the lock", world.made_of().guarded) == 0;
    entering_ = true;
    auto self = std::static_pointer_cast<user>(shared_from_this());
    const auto shared = std::make_shared<const wish>(std::move(wanted));
    auto working = carry_out(std::move(self), shared, std::move(how), by_hand);
    const auto executor = process_.machine().environment().executor;
    auto token = cancellable();
    const auto done = co_await asio::co_spawn(executor, std::move(working), std::move(token));
    next_operation();
    const auto code = std::get<1>(done);
    tell_call(code);
    if (guarded_ && code == errc::lock_lost) world.run().coverage.hit("lock lost");
    if (guarded_ && !code) world.run().coverage.hit("done under the lock");
    if (guarded_ && (code == errc::lock_lost || choices.choose("caller: keeps the lock", 3) == 0)) guard_ = {};
}

/// The guard of an earlier call does as well, and may be lost by now: the fence is for that.
asio::awaitable<bool> user::take_lock() {
    if (guard_ && (guard_.held() || process_.world().choices().choose("caller: looks at its guard", 3) != 0))
        co_return true;
    guard_ = {};
    const lock wanted{*process_.session(), guarding_lock};
    auto taking = wanted.acquire({.wait = 2s}, asio::as_tuple(asio::use_awaitable));
    auto [code, guard] = co_await std::move(taking);
    guard_ = std::move(guard);
    co_return guard_.held();
}

asio::awaitable<error_code> user::carry_out(std::shared_ptr<user> self, std::shared_ptr<const wish> wanted,
                                            run_options how, bool by_hand) {
    auto& me = *self;
    const counted_frame standing(me.process_.frames);
    me.entering_ = false;
    if (me.stopped_) co_return asio::error::operation_aborted;
    co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation(),
                                                       asio::enable_total_cancellation());
    bool refuses = false;
    try {
        if (me.guarded_) {
            auto taking = me.take_lock();
            const bool taken = co_await std::move(taking);
            // Whether the lock is in doubt, says nothing of the transaction: it has not begun.
            if (!taken) co_return make_error_code(errc::wait_timeout);
        }
        if (by_hand) {
            auto tx = me.all_.begin(how);
            auto thinking = me.body(tx, wanted);
            co_await std::move(thinking);
            auto committing = tx.commit();
            co_await std::move(committing);
        } else {
            auto again = [&me, &wanted](transaction& tx) { return me.body(tx, wanted); };
            auto running = me.all_.run(again, how);
            co_await std::move(running);
        }
    } catch (const gave_up&) {
        refuses = true;
    } catch (const boost::system::system_error& wrong) {
        co_return wrong.code();
    }
    if (!refuses) co_return error_code{};
    auto& world = me.process_.world();
    world.run().coverage.hit("body gave up");
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (!by_hand && cancellation.cancelled() == asio::cancellation_type::none)
        world.item_history().tell(me.process_.name(), refused_by_body{.call = me.call_, .read = me.read_});
    co_return make_error_code(errc::condition_failed);
}

void user::tell_call(const error_code& code) {
    auto& world = process_.world();
    auto& coverage = world.run().coverage;
    auto what = answer::refused;
    if (!code || code == errc::already_committed) what = answer::done;
    if (code == errc::in_doubt) what = answer::doubt;
    if (!code) coverage.hit("done");
    if (code == errc::already_committed) coverage.hit("already committed");
    if (code == errc::in_doubt) coverage.hit("in doubt");
    if (code == errc::conflict) coverage.hit("conflict");
    if (code == errc::locked) coverage.hit("locked");
    if (code == errc::exists) coverage.hit("exists");
    if (code == errc::missing) coverage.hit("missing");
    if (code == errc::condition_failed) coverage.hit("condition failed");
    if (code == condition::cancelled) coverage.hit("cancelled");
    if (what == answer::done && world.calm()) served_ = true;
    failed_ = what != answer::done;
    world.run().trace.add(world.now(), process_.name(), static_cast<std::uint64_t>(code.value()),
                          [&] { return "Told: " + code.message(); });
    world.item_history().tell(process_.name(), told{.call = call_, .what = what, .read = std::move(read_)});
    read_.clear();
    call_ = attempt_ = 0;
}

// ---- the end of a world ------------------------------------------------------------------------------------------

asio::awaitable<void> user::tidy_up(std::shared_ptr<user> self) {
    auto& me = *self;
    auto& world = me.process_.world();
    const counted_frame standing(me.process_.frames);
    const sweep_options how{.older_than = 1s};
    auto first = me.all_.sweep(how);
    co_await std::move(first);
    world.item_history().comb();
    // A copy that landed late left a mark whose row tells nothing any more: whoever meets the item takes it off.
    auto& item_history = world.item_history();
    wish meets_all{.number = item_history.next_number()};
    for (std::size_t i = 0; i < item_history.items(); ++i) {
        const auto there = item_history.checked().state(i).there;
        meets_all.steps.push_back({{.item = i, .what = there ? deed::add : deed::insert}, way::unread});
    }
    item_history.tell(me.process_.name(), wished{.number = meets_all.number, .effects = meets_all.effects()});
    co_await me.want(std::move(meets_all));
    // What was set aside is so for an hour.
    auto& clock = *me.process_.machine().environment().clock;
    co_await clock.async_wait_until(clock.now() + 80min, asio::use_awaitable);
    auto last = me.all_.sweep(how);
    co_await std::move(last);
}

}  // namespace dynalease::simulation::transfers
