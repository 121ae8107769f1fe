// What users do.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/wall_clock/user.hpp"

#include "simulation/framework/counted_frame.hpp"
#include "simulation/item_lock/changes.hpp"
#include "simulation/wall_clock/process.hpp"
#include "simulation/wall_clock/world.hpp"

#include <dynalease/dynamodb/expression.hpp>

#include <tuple>
#include <utility>

namespace dynalease::simulation::wall_clocks {

namespace asio = boost::asio;

user::user(process& at, std::size_t item)
    : simulation::user(at.world().choices(), at, "user: cancellation"),
      process_(at),
      item_(item),
      lock_(at.machine().database(), item_ref{table, clock_world::key_of(item)}, at.world().options()) {}

asio::awaitable<void> user::live(std::shared_ptr<user> self) {
    auto& me = *self;
    auto& world = me.process_.world();
    const counted_frame standing(me.process_.frames);
    co_await me.sleep_up_to("user: first rest", world.made_of().longest_rest);
    while (!world.stopping()) {
        co_await me.lock_and_write();
        if (world.stopping()) break;
        const auto rest = world.calm() ? std::chrono::milliseconds(1500) : world.made_of().longest_rest;
        co_await me.sleep_up_to("user: rest", rest);
    }
    me.gone_ = true;
}

void user::perhaps_cancel() {
    auto& world = process_.world();
    next_operation();
    if (world.calm() || world.choices().choose("user: change of mind", world.made_of().cancels) != 1) return;
    cancel_after(std::chrono::microseconds(world.choices().choose("user: when", 3'000'000)));
}

std::optional<std::chrono::nanoseconds> user::patience() {
    auto& world = process_.world();
    if (world.choices().choose("user: little patience", 3) != 1 || world.calm()) return std::nullopt;
    return std::chrono::milliseconds(world.choices().choose("user: patience", 5'000));
}

std::chrono::milliseconds user::longest_hold() {
    auto& world = process_.world();
    const auto one_in = world.made_of().outstays;
    const bool outstays = one_in != 0 && world.choices().choose("user: outstays", one_in) == 1;
    if (world.calm()) return std::chrono::milliseconds(100);
    return outstays ? world.bounds().timeout : world.made_of().longest_hold;
}

void user::take(wall_clock_guard guard) {
    auto& world = process_.world();
    guard_ = std::move(guard);
    handle_ = world.next_number();
    doubted_ = false;
    const auto* text = find_string(guard_.item(), world.options().attribute);
    world.tell(process_.name(),
               given{.handle = handle_, .item = item_, .by = process_.program(), .text = text ? *text : std::string()});
}

void user::let_go() {
    if (handle_ != 0) process_.world().tell(process_.name(), wall_clocks::let_go{.handle = std::exchange(handle_, 0)});
}

void user::note_failure(error_code code) {
    auto& coverage = process_.world().run().coverage;
    if (code == errc::in_doubt) coverage.hit("given up in doubt");
    if (code == condition::cancelled) coverage.hit("cancelled while waiting");
    if (code == errc::wait_timeout) coverage.hit("waited in vain");
    if (code == errc::missing) coverage.hit("item missing");
    if (code != errc::missing && item_ >= process_.world().items() && !code)
        process_.world().fail("E1", "a user has locked an item that is not there");
}

asio::awaitable<void> user::lock_and_write() {
    auto& world = process_.world();
    auto& choices = world.choices();
    const bool tries = choices.choose("user: tries", 6) == 1 && !world.calm();
    const item_acquire_options options{.wait = patience()};
    waits_ = true;
    perhaps_cancel();
    auto token = cancellable();
    std::tuple<error_code, wall_clock_guard> done;
    if (tries) {
        done = co_await lock_.try_acquire(std::move(token));
    } else {
        done = co_await lock_.acquire(options, std::move(token));
    }
    next_operation();
    waits_ = false;
    note_failure(std::get<0>(done));
    auto got = std::get<1>(std::move(done));
    if (tries && !std::get<0>(done) && !got) world.run().coverage.hit("try refused");
    if (!got) co_return;
    ++served_;
    take(std::move(got));
    const auto longest = longest_hold();
    const auto pieces = choices.choose("user: writes", 4);
    for (std::uint64_t i = 0; i < pieces; ++i) {
        co_await sleep_up_to("user: hold", longest);
        co_await write();
    }
    co_await sleep_up_to("user: holds on", longest);
    co_await end_hold();
    guard_ = {};
}

asio::awaitable<void> user::write() {
    auto& world = process_.world();
    const auto number = static_cast<std::int64_t>(world.next_number());
    world.tell(process_.name(), begun{.handle = handle_, .number = number});
    condition_expression condition;
    const bool in_vain = world.choices().choose("user: condition", 5) == 1;
    if (in_vain) condition = attr("mood") == "good";
    perhaps_cancel();
    auto token = cancellable();
    auto change = item_locks::appended(number);
    const auto done = co_await guard_.update(std::move(change), std::move(condition), std::move(token));
    next_operation();
    learn(number, std::get<0>(done));
}

void user::learn(std::int64_t number, error_code code) {
    auto& world = process_.world();
    world.run().coverage.hit(!code                            ? "guarded write done"
                             : code == errc::in_doubt         ? "guarded write in doubt"
                             : code == errc::lock_lost        ? "guarded write lost the item"
                             : code == errc::condition_failed ? "guarded write in vain"
                                                              : "guarded write not sent");
    const auto what = !code ? answer::applied : code == errc::in_doubt ? answer::doubt : answer::refused;
    // Under a guard whose earlier write is in doubt nothing is sent any more.
    if (what == answer::doubt && !std::exchange(doubted_, true) && !process_.is_unknown(number))
        world.fail("W8", "write " + std::to_string(number) + " was told as in doubt, and its answers tell");
    world.tell(process_.name(), told{.number = number, .what = what});
}

asio::awaitable<void> user::end_hold() {
    auto& world = process_.world();
    auto& coverage = world.run().coverage;
    const auto handle = handle_;
    let_go();
    if (world.choices().choose("user: way to let go", 5) == 1) co_return;
    perhaps_cancel();
    auto token = cancellable();
    const auto done = co_await guard_.release(std::move(token));
    next_operation();
    const auto code = std::get<0>(done);
    if (!code) world.tell(process_.name(), returned{.handle = handle});
    if (code == errc::in_doubt) coverage.hit("release in doubt");
    if (code == errc::lock_lost) coverage.hit("release lost the race");
}

}  // namespace dynalease::simulation::wall_clocks
