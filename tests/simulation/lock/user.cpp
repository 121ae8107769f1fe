// What users do.
#include "simulation/lock/user.hpp"

#include "simulation/framework/counted_frame.hpp"
#include "simulation/lock/site.hpp"
#include "simulation/lock/world.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <tuple>
#include <utility>

namespace dynalease::simulation::locks {

namespace asio = boost::asio;

namespace {

/// The slot of these is bound, and Boost 1.81 cannot bind one to `asio::deferred`.
constexpr auto as_tuple = asio::as_tuple(asio::use_awaitable);

bool over(session_state state) {
    return state == session_state::lost || state == session_state::closed;
}

}  // namespace

asio::awaitable<void> user::live(std::shared_ptr<user> self) {
    auto& me = *self;
    auto& world = me.site_.world();
    const counted_frame standing(me.site_.frames);
    co_await me.sleep_up_to("user: first rest", world.made_of().longest_rest);
    while (!world.stopping() && !over(me.site_.session()->state())) {
        co_await me.acquire();
        if (me.handle_ != 0) co_await me.hold();
        me.now_ = doing::resting;
        if (world.stopping()) break;
        const auto rest = world.calm() ? std::chrono::milliseconds(200) : world.made_of().longest_rest;
        co_await me.sleep_up_to("user: rest", rest);
    }
    me.now_ = doing::gone;
    me.site_.user_gone();
}

asio::awaitable<void> user::sleep_up_to(const char* label, std::chrono::milliseconds longest) {
    const auto time = site_.world().choices().choose(label, static_cast<std::uint64_t>(longest.count()) + 1);
    const auto clock = site_.machine().environment().clock;
    const auto when = clock->now() + std::chrono::milliseconds(time);
    ++operation_;
    co_await clock->async_wait_until(when, asio::bind_cancellation_slot(cancel_.slot(), as_tuple));
}

void user::cancel_after(std::chrono::nanoseconds time) {
    const auto clock = site_.machine().environment().clock;
    const auto type = site_.world().choices().choose("user: cancellation", 3);
    clock->async_wait_until(
        clock->now() + time,
        asio::bind_executor(site_.machine().environment().executor, [weak = weak_from_this(), type,
                                                                     of = operation_](error_code code) {
            const auto self = weak.lock();
            if (code || !self || self->operation_ != of) return;
            constexpr asio::cancellation_type types[] = {
                asio::cancellation_type::terminal, asio::cancellation_type::partial, asio::cancellation_type::total};
            self->cancel_.emit(types[type]);
        }));
}

void user::interrupt() {
    cancel_.emit(asio::cancellation_type::terminal);
}

bool user::alone() const {
    for (const auto& other : site_.users()) {
        if (other.get() != this && other->lock() == lock_ && other->now() != doing::resting &&
            other->now() != doing::gone)
            return false;
    }
    return true;
}

asio::awaitable<void> user::acquire() {
    auto& world = site_.world();
    auto& choices = world.choices();
    dynalease::lock target(*site_.session(), lock_world::lock_name(lock_));
    now_ = doing::waiting;
    ++operation_;
    auto way = choices.choose("user: way to acquire", 6);
    if (world.calm()) way = 0;
    gives_up_ = way >= 3 && !world.calm();
    const auto before = world.row_of(lock_);
    const bool alone_before = alone();
    if (choices.choose("user: change of mind", world.made_of().cancels) == 1 && !world.calm()) {
        gives_up_ = true;
        cancel_after(std::chrono::microseconds(choices.choose("user: when", 12'000'000)));
    }
    std::tuple<error_code, lock_guard> done;
    if (way == 5) {
        done = co_await target.try_acquire(asio::bind_cancellation_slot(cancel_.slot(), as_tuple));
    } else {
        acquire_options options{.wait = std::chrono::minutes(2)};
        if (gives_up_) options.wait = std::chrono::milliseconds(choices.choose("user: patience", 8'000));
        auto token = asio::bind_cancellation_slot(cancel_.slot(), as_tuple);
        done = co_await target.acquire(std::move(options), std::move(token));
    }
    ++operation_;
    const auto code = std::get<0>(done);
    if (std::get<1>(done)) {
        got(std::get<1>(std::move(done)));
        co_return;
    }
    now_ = doing::resting;
    if (way == 5 && !code && before.holder == site_.session()->id() && alone_before) {
        const auto after = world.row_of(lock_);
        // With others in line it would be their turn.
        const bool there_all_along = after.holder == before.holder && after.attempt == before.attempt;
        if (there_all_along && before.line.empty() && after.line.empty() && alone()) {
            world.fail("P8", "a try was refused for the sake of its own session's grant");
        }
    }
    auto& census = world.run().census;
    if (code == errc::in_doubt) census.hit("given up in doubt");
    if (code == condition::cancelled) census.hit("cancelled while waiting");
    if (code == errc::wait_timeout) census.hit("waited in vain");
    if (way == 5 && !code) census.hit("try refused");
}

void user::got(lock_guard guard) {
    auto& world = site_.world();
    guard_ = std::move(guard);
    handle_ = world.next_number();
    since_ = world.now();
    told_lost_ = false;
    ++grants_;
    now_ = doing::holding;
    world.tell(
        site_.name(),
        guard_given{
            .handle = handle_, .lock = lock_, .session = site_.session()->id(), .token = guard_.fencing_token()});
    guard_.lost([weak = weak_from_this(), of = handle_](error_code code) {
        const auto self = weak.lock();
        if (self && self->handle_ == of && !code) self->told_lost_ = true;
    });
}

void user::let_go() {
    if (handle_ == 0) return;
    site_.world().tell(site_.name(), guard_let_go{.handle = handle_});
    handle_ = 0;
}

void user::write_outside() {
    auto& world = site_.world();
    if (!guard_.valid()) return;
    // Between the look at `valid` and the write anything may happen, and the write goes its way even after a crash.
    const auto longest = world.made_of().longest_mishap / std::chrono::milliseconds(1);
    const auto part = static_cast<double>(world.choices().choose("user: way of a write", 1000)) / 1000;
    const std::chrono::milliseconds delay(static_cast<std::int64_t>(part * part * part * static_cast<double>(longest)));
    auto& scheduler = world.simulated().scheduler();
    scheduler.add_timer(scheduler.now() + delay, [&world, lock = lock_, token = guard_.fencing_token()] {
        if (world.resource(lock).accepts(token)) {
            world.tell("", outside_written{.lock = lock, .token = token});
        } else {
            world.run().census.hit("stale write refused outside");
        }
    });
}

asio::awaitable<void> user::write_fenced() {
    transact_put put{.table_name = table, .new_item = {{"pk", "protected#" + std::to_string(lock_)}, {"sk", "-"}}};
    put.new_item.emplace("writer", number_);
    transact_write_items_request request;
    request.actions = {guard_.fence(), std::move(put)};
    auto& census = site_.world().run().census;
    const auto target = site_.machine().database();
    const auto written = co_await target.call(std::move(request));
    census.hit(written ? "fenced transaction done" : "fenced transaction refused");
}

asio::awaitable<void> user::hold() {
    auto& world = site_.world();
    auto& choices = world.choices();
    const auto longest = world.calm() ? std::chrono::milliseconds(100) : world.made_of().longest_hold;
    const auto pieces = choices.choose("user: writes", 3);
    for (std::uint64_t i = 0; i <= pieces && !told_lost_; ++i) {
        co_await sleep_up_to("user: hold", longest);
        const auto kind = choices.choose("user: kind of write", 4);
        if (kind == 1 || kind == 2) write_outside();
        if (kind == 3 && guard_.valid()) co_await write_fenced();
    }
    co_await end_hold();
}

asio::awaitable<void> user::end_hold() {
    auto& world = site_.world();
    auto& choices = world.choices();
    auto& census = world.run().census;
    if (told_lost_ || guard_.state() == guard_state::lost) census.hit("guard lost");
    auto way = choices.choose("user: way to let go", 8);
    if (way == 7 && !world.calm()) {
        // Too long by far: on a lock of a process that is stopped or cut off this shows who is told what.
        co_await sleep_up_to("user: holds on", std::chrono::milliseconds(world.lease() * 2));
    }
    now_ = doing::letting_go;
    let_go();
    ++operation_;
    if (way == 6) {
        guard_ = {};
        co_return;
    }
    if (way == 5) cancel_after(std::chrono::microseconds(choices.choose("user: when not to release", 30'000)));
    auto token = asio::bind_cancellation_slot(cancel_.slot(), as_tuple);
    const auto done = co_await guard_.release(std::move(token));
    ++operation_;
    const auto code = std::get<0>(done);
    if (code == errc::in_doubt) census.hit("release in doubt");
    if (code == errc::lock_lost || code == errc::session_lost) census.hit("release lost the race");
    guard_ = {};
}

}  // namespace dynalease::simulation::locks
