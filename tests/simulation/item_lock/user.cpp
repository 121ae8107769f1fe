// What users do.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/item_lock/user.hpp"

#include "simulation/framework/counted_frame.hpp"
#include "simulation/framework/protected_data.hpp"
#include "simulation/item_lock/changes.hpp"
#include "simulation/item_lock/process.hpp"
#include "simulation/item_lock/world.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dynalease::simulation::item_locks {

namespace asio = boost::asio;
using versions::answer;
using versions::intent;

namespace {
/// Apart from the numbers of the writes that the item history knows.
constexpr std::int64_t fenced_writes = 1'000'000'000;
}  // namespace

user::user(process& at, std::size_t item, habit has)
    : simulation::user(at.world().choices(), at, "user: cancellation"), process_(at), item_(item), habit_(has) {}

asio::awaitable<void> user::live(std::shared_ptr<user> self) {
    auto& me = *self;
    auto& world = me.process_.world();
    const counted_frame standing(me.process_.frames);
    co_await me.sleep_up_to("user: first rest", world.made_of().longest_rest);
    while (!world.stopping() && !me.process_.session_over()) {
        auto turn = me.saves() ? me.save() : me.wants_several() ? me.lock_several() : me.lock_and_write();
        co_await std::move(turn);
        if (world.stopping()) break;
        const auto rest = world.calm() ? std::chrono::milliseconds(1000) : world.made_of().longest_rest;
        co_await me.sleep_up_to("user: rest", rest);
    }
    me.gone_ = true;
    me.process_.user_gone();
}

void user::perhaps_cancel() {
    auto& world = process_.world();
    next_operation();
    if (world.calm() || world.choices().choose("user: change of mind", world.made_of().cancels) != 1) return;
    cancel_after(std::chrono::microseconds(world.choices().choose("user: when", 4'000'000)));
}

std::optional<std::chrono::nanoseconds> user::patience() {
    auto& world = process_.world();
    if (world.choices().choose("user: little patience", 3) != 1 || world.calm()) return std::chrono::minutes(2);
    return std::chrono::milliseconds(world.choices().choose("user: patience", 8'000));
}

item_lock user::lock_of(std::size_t item) {
    item_lock_options how{.most_readers = process_.world().made_of().most_readers};
    return {*process_.session(), item_ref{versions::table, versions::item_history::key_of(item)}, how};
}

void user::take(std::size_t item, item_guard guard) {
    auto& world = process_.world();
    const auto handle = world.next_number();
    // The life in which it was granted may have ended since.
    auto session = process_.session()->id();
    if (guard.state() != guard_state::released) {
        session = *guard.fence().values.at(guard.exclusive() ? ":sa" : ":reader").get_if<std::string>();
        session.erase(session.find('.'));
    }
    world.tell(process_.name(), guard_given{.handle = handle,
                                            .item = item,
                                            .session = session,
                                            .token = guard.fencing_token(),
                                            .exclusive = guard.exclusive()});
    hands_.push_back({item, std::move(guard), std::move(session), handle});
    hands_.back().guard.lost([weak = weak_from_this(), handle](error_code code) {
        const auto self = std::static_pointer_cast<user>(weak.lock());
        if (!self || code) return;
        for (auto& each : self->hands_) {
            if (each.handle == handle) each.told_lost = true;
        }
    });
}

void user::let_go(holding& in) {
    if (in.handle != 0) process_.world().tell(process_.name(), guard_let_go{.handle = std::exchange(in.handle, 0)});
}

void user::let_go() {
    for (auto& each : hands_) let_go(each);
}

void user::note_failure(error_code code) {
    auto& coverage = process_.world().run().coverage;
    if (code == errc::in_doubt) coverage.hit("given up in doubt");
    if (code == condition::cancelled) coverage.hit("cancelled while waiting");
    if (code == errc::wait_timeout) coverage.hit("waited in vain");
    if (code == errc::missing) coverage.hit("item missing");
}

asio::awaitable<void> user::lock_and_write() {
    auto& world = process_.world();
    auto& choices = world.choices();
    auto target = lock_of(item_);
    const bool reads = choices.choose("user: reads", world.made_of().readers) == 1;
    const bool tries = choices.choose("user: tries", 6) == 1 && !world.calm();
    const bool asks = !tries && choices.choose("user: asks whether others live", 6) == 1 && !world.calm();
    const item_acquire_options options{.wait = asks ? until_known : patience()};
    auto demanded = begin_demand({item_}, tries || asks || options.wait == std::chrono::nanoseconds::zero());
    demanded.asks = asks;
    perhaps_cancel();
    auto token = cancellable();
    std::tuple<error_code, item_guard> done;
    if (tries && reads) {
        done = co_await target.try_acquire_shared(std::move(token));
    } else if (tries) {
        done = co_await target.try_acquire(std::move(token));
    } else if (reads) {
        done = co_await target.acquire_shared(options, std::move(token));
    } else {
        done = co_await target.acquire(options, std::move(token));
    }
    next_operation();
    waits_ = false;
    note_failure(std::get<0>(done));
    auto got = std::get<1>(std::move(done));
    if (tries && !std::get<0>(done) && !got) world.run().coverage.hit("try refused");
    if (asks) check_asked(demanded, std::get<0>(done));
    if (!got) {
        check_told(demanded, std::get<0>(done));
        co_return;
    }
    ++served_;
    take(item_, std::move(got));
    auto& mine = hands_.back();
    const auto longest = world.calm() ? std::chrono::milliseconds(100) : world.made_of().longest_hold;
    const auto pieces = choices.choose("user: writes", 4);
    for (std::uint64_t i = 0; i < pieces; ++i) {
        co_await sleep_up_to("user: hold", longest);
        const bool fences = choices.choose("user: fences a write elsewhere", 4) == 1;
        if (fences && mine.guard.held()) co_await write_fenced(mine);
        if (mine.guard.exclusive()) co_await write(mine, false);
    }
    co_await sleep_up_to("user: holds on", longest);
    co_await end_hold(mine);
    hands_.clear();
}

void user::begin_write(const holding& in, std::int64_t number, intent what) {
    auto& world = process_.world();
    world.item_history().tell(process_.name(), versions::intended{.number = number, .item = in.item, .what = what});
    world.tell(process_.name(), guarded_begun{.handle = in.handle, .item = in.item, .number = number});
}

asio::awaitable<void> user::write(holding& in, bool last) {
    const auto number = process_.world().item_history().next_number();
    begin_write(in, number, intent::guarded);
    if (last) let_go(in);
    perhaps_cancel();
    auto token = cancellable();
    auto change = appended(number);
    condition_expression always;
    std::tuple<error_code, item> done;
    if (last) {
        done = co_await in.guard.update_and_release(std::move(change), std::move(always), std::move(token));
    } else {
        done = co_await in.guard.update(std::move(change), std::move(always), std::move(token));
    }
    next_operation();
    const auto left = std::get<1>(std::move(done));
    if (std::get<0>(done) == errc::in_doubt && in.doubted == 0) in.doubted = number;
    // After the last write others may have gone on by the time it is known.
    learn(number, in.item, std::get<0>(done), last ? nullptr : &left);
}

/// Something else, in one transaction with the fence: it happens while the item is held, or never.
asio::awaitable<void> user::write_fenced(const holding& in) {
    auto& world = process_.world();
    const auto number = fenced_writes + static_cast<std::int64_t>(world.next_number());
    world.tell(process_.name(), guarded_begun{.handle = in.handle, .item = in.item, .number = number});
    auto fence = in.guard.fence();
    co_await simulation::write_fenced(process_.machine(), world.run().coverage, std::move(fence), in.item,
                                      static_cast<std::uint64_t>(number));
}

bool user::removes() {
    auto& world = process_.world();
    const auto one_in = world.made_of().erasures;
    return one_in != 0 && !world.calm() && world.choices().choose("user: removes the item", one_in) == 1;
}

asio::awaitable<void> user::erase(holding& in) {
    const auto number = process_.world().item_history().next_number();
    begin_write(in, number, intent::guarded_removal);
    let_go(in);
    perhaps_cancel();
    auto token = cancellable();
    auto always = not_yet(number);
    const auto done = co_await in.guard.erase(std::move(always), std::move(token));
    next_operation();
    learn(number, in.item, std::get<0>(done), nullptr);
}

void user::learn(std::int64_t number, std::size_t item, error_code code, const dynalease::item* left) {
    auto& world = process_.world();
    auto& coverage = world.run().coverage;
    auto what = answer::not_applied;
    if (!code) what = answer::applied;
    if (code == errc::lock_lost) what = answer::conflict;
    if (code == errc::in_doubt) what = answer::doubt;
    coverage.hit(!code                     ? "guarded write done"
                 : code == errc::in_doubt  ? "guarded write in doubt"
                 : code == errc::lock_lost ? "guarded write lost the item"
                                           : "guarded write not sent");
    std::optional<versions::serial> shown;
    if (!code && left) shown = world.item_history().serial_of(item, *left);
    const bool after_doubt =
        std::ranges::any_of(hands_, [&](const auto& each) { return each.doubted != 0 && each.doubted != number; });
    world.item_history().tell(process_.name(),
                              versions::told{.number = number,
                                             .what = what,
                                             .item = item,
                                             .shown = shown,
                                             .unanswered = after_doubt || process_.is_unknown(number)});
}

asio::awaitable<void> user::end_hold(holding& in) {
    auto& world = process_.world();
    auto& coverage = world.run().coverage;
    auto& guard = in.guard;
    const auto way = world.choices().choose("user: way to let go", 8);
    if (guard.exclusive() && removes()) {
        co_await erase(in);
        co_return;
    }
    if (way == 7 && guard.exclusive()) {
        perhaps_cancel();
        auto token = cancellable();
        const auto done = co_await guard.downgrade(std::move(token));
        next_operation();
        if (!std::get<0>(done)) coverage.hit("downgraded");
        co_await sleep_up_to("user: reads on", world.made_of().longest_hold);
    }
    if (way >= 4 && way < 6 && guard.exclusive()) {
        co_await write(in, true);
        co_return;
    }
    const bool wrote = guard.exclusive();
    const auto granted_to = world.grant_of(in.session, in.item, guard.fencing_token());
    let_go(in);
    if (way == 6) co_return;
    perhaps_cancel();
    auto token = cancellable();
    const auto done = co_await guard.release(std::move(token));
    next_operation();
    const auto code = std::get<0>(done);
    if (!code && wrote && one_life() && granted_to && world.stands_in(in.item, *granted_to)) {
        world.fail("T1", "a release was told as done, and the item is still locked by that grant");
    }
    const auto doubted = guard.doubtful_write();
    if (doubted != resolution::open) coverage.hit("doubt resolved by the release");
    const bool told_applied = doubted == resolution::applied;
    const bool checked = in.doubted != 0 && doubted != resolution::open && one_life();
    if (checked && world.shows_write(in.item, in.doubted) != told_applied) {
        world.fail("T2", "a release told wrongly what became of write " + std::to_string(in.doubted));
    }
    if (code == errc::in_doubt) coverage.hit("release in doubt");
    if (code == errc::lock_lost || code == errc::session_lost) coverage.hit("release lost the race");
}

/// Of an update: after so many conflicts it takes the item's lock.
std::optional<promotion> user::promoted() {
    auto& world = process_.world();
    const auto one_in = world.made_of().promotions;
    if (one_in == 0 || world.choices().choose("user: promotes", one_in) != 0) return std::nullopt;
    return promotion{.with = process_.session(),
                     .after = static_cast<unsigned>(1 + world.choices().choose("user: conflicts", 3))};
}

asio::awaitable<void> user::save() {
    auto& world = process_.world();
    const auto number = world.item_history().next_number();
    update_options how{.promote = promoted()};
    const auto what_it_is = how.promote ? intent::promoted : intent::update;
    world.item_history().tell(process_.name(), versions::intended{.number = number, .item = item_, .what = what_it_is});
    versioned_items table(process_.machine().database(), {.table = versions::table, .key = "pk", .sort_key = "sk"});
    auto change = [number](item value) {
        auto entries = *find(value, "entries")->get_if<attribute_list>();
        entries.emplace_back(number);
        value.insert_or_assign("entries", std::move(entries));
        return value;
    };
    begin_wait({item_});
    saving_ = number;
    perhaps_cancel();
    auto token = cancellable();
    auto key = versions::item_history::key_of(item_);
    auto done = co_await table.update(std::move(key), std::move(change), how, std::move(token));
    next_operation();
    saving_ = 0;
    waits_ = false;
    const auto code = std::get<0>(done);
    auto what = answer::not_applied;
    if (!code) what = std::get<1>(done).superseded ? answer::superseded : answer::applied;
    if (code == errc::in_doubt) what = answer::doubt;
    if (code == errc::locked) world.run().coverage.hit("save found the item locked");
    if (!code) world.run().coverage.hit("saved");
    if (!code && how.promote) world.run().coverage.hit("saved by one who may promote");
    if (!code) ++served_;
    world.item_history().tell(process_.name(),
                              versions::told{.number = number, .what = what, .item = item_, .unanswered = true});
}

}  // namespace dynalease::simulation::item_locks
