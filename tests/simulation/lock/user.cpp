// What users do.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/lock/user.hpp"

#include "simulation/framework/counted_frame.hpp"
#include "simulation/framework/request_text.hpp"
#include "simulation/lock/process.hpp"
#include "simulation/lock/world.hpp"

#include <tuple>
#include <utility>

namespace dynalease::simulation::locks {

namespace asio = boost::asio;

namespace {

lock_shown shown(std::size_t lock, time_point asked, const lock_info& seen, std::optional<bool> held) {
    return {.lock = lock,
            .asked = asked,
            .holder = seen.holder,
            .token = seen.fencing_token,
            .waiting = seen.waiting,
            .held = held};
}

}  // namespace

user::user(process& at, std::size_t lock, std::uint64_t number)
    : simulation::user(at.world().choices(), at, "user: cancellation"),
      process_(at),
      lock_(lock),
      number_(number),
      poll_interval_(at.world().made_of().poll_intervals[at.world().choices().choose(
          "poll interval of a user", at.world().made_of().poll_intervals.size())]) {}

asio::awaitable<void> user::live(std::shared_ptr<user> self) {
    auto& me = *self;
    auto& world = me.process_.world();
    const counted_frame standing(me.process_.frames);
    co_await me.sleep_up_to("user: first rest", world.made_of().longest_rest);
    while (!world.stopping() && !me.process_.session_over()) {
        co_await me.acquire();
        if (me.handle_ != 0) co_await me.hold();
        me.now_ = doing::resting;
        if (world.stopping()) break;
        const auto rest = world.calm() ? std::chrono::milliseconds(200) : world.made_of().longest_rest;
        co_await me.sleep_up_to("user: rest", rest);
    }
    me.now_ = doing::gone;
    me.process_.user_gone();
}

bool user::alone() const {
    for (const auto& other : process_.users()) {
        const bool idle = other->now() == doing::resting || other->gone();
        if (other.get() != this && other->lock() == lock_ && !idle) return false;
    }
    return true;
}

asio::awaitable<void> user::acquire() {
    auto& world = process_.world();
    auto& choices = world.choices();
    dynalease::lock target(*process_.session(), lock_world::lock_name(lock_), {.poll_interval = poll_interval_});
    now_ = doing::waiting;
    look();
    next_operation();
    auto way = choices.choose("user: way to acquire", 7);
    if (world.calm()) way = 0;
    bool gives_up = way >= 3 && !world.calm();
    const auto before = world.row_of(lock_);
    const bool alone_before = alone();
    if (choices.choose("user: change of mind", world.made_of().cancels) == 1 && !world.calm()) {
        gives_up = true;
        cancel_after(std::chrono::microseconds(choices.choose("user: when", 12'000'000)));
    }
    const attempt call{.tries = way >= 5,
                       .until_known = way == 6,
                       .was_live = process_.live(),
                       .life = process_.session()->lives(),
                       .began = world.now(),
                       .own_began = process_.clock_now()};
    // One that asks until it is known who lives bears an outage for a while.
    tries_ = call.tries && !call.until_known;
    life_ = call.life;
    failed_.reset();
    seen_first_.reset();
    won_by_.reset();
    asked_at_ = call.own_began;
    std::tuple<error_code, lock_guard> done;
    if (way == 5) {
        auto token = cancellable();
        done = co_await target.try_acquire(std::move(token));
    } else {
        acquire_options options{.wait = std::chrono::minutes(2)};
        if (gives_up) options.wait = std::chrono::milliseconds(choices.choose("user: patience", 8'000));
        if (call.until_known) options.wait = until_known;
        auto token = cancellable();
        done = co_await target.acquire(std::move(options), std::move(token));
    }
    next_operation();
    const auto code = std::get<0>(done);
    check_delay("a try");
    tries_ = false;
    check_told(call, code);
    if (call.until_known) check_fate(code);
    if (std::get<1>(done)) {
        got(std::get<1>(std::move(done)));
        co_return;
    }
    now_ = doing::resting;
    if (way == 5 && !code && before.holder == process_.session()->id() && alone_before) {
        const auto after = world.row_of(lock_);
        // With others in line it would be their turn.
        const bool there_all_along = after.holder == before.holder && after.attempt == before.attempt;
        if (there_all_along && before.line.empty() && after.line.empty() && alone()) {
            world.fail("P8", "a try was refused for the sake of its own session's grant");
        }
    }
    auto& coverage = world.run().coverage;
    if (code == errc::in_doubt) coverage.hit("given up in doubt");
    if (code == condition::cancelled) coverage.hit("cancelled while waiting");
    if (code == errc::wait_timeout) coverage.hit("waited in vain");
    if (way == 5 && !code) coverage.hit("try refused");
}

void user::check_told(const attempt& of, error_code told) {
    auto& world = process_.world();
    const bool disturbed = process_.undisturbed_since() >= of.own_began || process_.machine().paused();
    // Three calls of the client's, each with its four attempts of a second, and the pauses between.
    const auto enough = std::chrono::seconds(15) + (of.until_known ? world.take_over_bound() + world.lease() : 0s);
    const bool one_life = of.life == process_.session()->lives();
    if (of.tries && of.was_live && one_life && !disturbed && process_.clock_now() - of.own_began > enough) {
        world.fail("told", "a try was not answered in time");
    }
    // Where rows are lost, what was open for them is closed without an answer.
    if (world.made_of().breaks_assumptions) return;
    // What was open for a life that is over is void with it.
    process_.note_life();
    const bool given_up = told == errc::wait_timeout || told == errc::cancelled || told == condition::unreachable ||
                          told == condition::throttled;
    // Others of this process that wait have the use of what is open.
    // What an outage has ended with its session is told as that outage; what was open dies with the session.
    const bool died = of.until_known && process_.session()->state() == session_state::lost;
    if (given_up && !died && alone() && process_.writes().any_since(lock_, of.began)) {
        world.fail("told", "a call was given up while a write of it was open, and its caller was not told so");
    }
    if (told == errc::in_doubt && !disturbed && !process_.writes().any_lately(lock_, world.now())) {
        world.fail("told", "a call ended in doubt though all its writes were answered");
    }
    if (told == errc::session_lost && !process_.session_over() && (!of.until_known || one_life)) {
        world.fail("told", "a caller was told that its session is lost, which it is not");
    }
    if (told == errc::session_lost) process_.check_state();
}

/// Who asked whether the holder lives, and was told so or has the lock now.
void user::check_fate(error_code told) {
    auto& world = process_.world();
    if (told && told != errc::wait_timeout) return;
    auto& coverage = world.run().coverage;
    coverage.hit(told ? "holder known to live" : "holder known to be dead, or none there");
    const bool in_the_way = seen_first_ && !seen_first_->empty() && *seen_first_ != process_.session()->id();
    if (!in_the_way || world.made_of().breaks_assumptions) return;
    // What was sent before it looked may land as late as it likes, and is granted like any other.
    const bool by_late_write = won_by_ && *won_by_ <= seen_first_at_;
    if (!told && !by_late_write && !world.over(*seen_first_)) {
        world.fail("fate", "the lock was taken after " + *seen_first_ + ", which lived and gave it back");
    }
    // A beat may be seen as late as an answer comes.
    const auto longest = world.lease() + std::chrono::seconds(15);
    const bool still_there = world.row_of(lock_).holder == *seen_first_;
    if (told && still_there && world.now() - world.last_beat(*seen_first_) > longest) {
        world.fail("fate", "the holder " + *seen_first_ + " was told to live, long after its last heartbeat");
    }
}

void user::lock_seen(std::size_t lock, time_point asked, std::string holder) {
    if (lock != lock_ || !waits() || asked < asked_at_ || seen_first_) return;
    seen_first_ = std::move(holder);
    seen_first_at_ = process_.clock_now();
}

void user::grant_written(std::size_t lock, time_point asked) {
    if (lock == lock_) won_by_ = asked;
}

void user::check_release(std::int64_t token, error_code told) {
    auto& world = process_.world();
    const auto row = world.row_of(lock_);
    const bool still_there = row.holder == session_ && row.token == token;
    if (!told && still_there && !world.made_of().breaks_assumptions) {
        world.fail("told", "a release was told done, and the lock is still held");
    }
    // Of a release that the network repeated nobody can tell, once another has the lock.
    const bool unknowable = process_.release_repeated(lock_) && row.token != token;
    const bool lost_with_the_row = world.made_of().breaks_assumptions;
    if (told == errc::lock_lost && world.given_back(lock_, token) && !unknowable && !lost_with_the_row) {
        world.fail("told", "a release was told that the lock was lost, though it gave it back itself");
    }
    if (told == errc::session_lost && process_.session()->id() == session_ && process_.live()) {
        world.fail("told", "a release was told that its session is lost, which it is not");
    }
}

void user::write_failed(std::size_t lock, bool in_doubt) {
    // A release waits for the answer of what surely did not happen; a try waits once for a word on what may have.
    // While its session is being opened, or in the moment of the call, it was another's.
    const auto now = process_.clock_now();
    const bool ends_the_call = in_doubt ? now_ == doing::letting_go : tries_ && process_.live() && now > asked_at_;
    if (lock == lock_ && ends_the_call && !failed_) failed_ = now;
}

void user::check_delay(const char* of) {
    const bool another_life = life_ != process_.session()->lives();
    const bool disturbed =
        another_life || (failed_ && (process_.undisturbed_since() >= *failed_ || process_.machine().paused()));
    if (failed_ && !disturbed && process_.clock_now() - *failed_ > std::chrono::milliseconds(1)) {
        process_.world().fail("told", std::string(of) + " waited on after what should have ended it");
    }
}

void user::look() {
    auto& world = process_.world();
    const auto looks = world.choices().choose("user: looks at the lock", 6);
    if (looks == 2) look_at_all();
    if (looks != 1) return;
    dynalease::lock target(*process_.session(), lock_world::lock_name(lock_));
    target.inspect([&world, lock = lock_, asked = world.now(), under_way = process_.inspection()](
                       error_code code, const lock_info& seen) {
        if (code) return;
        if (seen.held && seen.holder.empty()) world.fail("told", "a lock is held, but by nobody");
        world.tell("", shown(lock, asked, seen, seen.held));
    });
}

void user::look_at_all() {
    auto& world = process_.world();
    list_locks(process_.machine().database(), {.table = coordination},
               [&world, asked = world.now()](error_code code, const lock_page& seen) {
                   if (code) return;
                   for (const auto& each : seen.locks) {
                       world.tell("", shown(lock_world::number_of(each.name), asked, each.info, {}));
                   }
               });
}

void user::got(lock_guard guard) {
    auto& world = process_.world();
    guard_ = std::move(guard);
    // The life in which it was granted may have ended since.
    const bool kept = guard_.state() != guard_state::released;
    session_ = kept ? text_value(guard_.fence().values, ":s") : process_.session()->id();
    handle_ = world.next_number();
    told_lost_ = false;
    ++served_;
    now_ = doing::holding;
    world.tell(process_.name(),
               guard_given{.handle = handle_, .lock = lock_, .session = session_, .token = guard_.fencing_token()});
    guard_.lost([weak = weak_from_this(), of = handle_](error_code code) {
        const auto self = std::static_pointer_cast<user>(weak.lock());
        if (self && self->handle_ == of && !code) self->told_lost_ = true;
    });
}

void user::let_go() {
    if (handle_ == 0) return;
    process_.world().tell(process_.name(), guard_let_go{.handle = handle_});
    handle_ = 0;
}

void user::write_outside() {
    if (handle_ == 0 || !guard_.held()) return;
    // Between this look and the write anything may happen.
    auto& world = process_.world();
    const auto token = guard_.fencing_token();
    const bool another_has_it = world.row_of(lock_).token > token;
    world.resource(lock_).write(
        world, token, world.made_of().nemesis.longest,
        [&world, lock = lock_, token] { world.tell("", outside_written{.lock = lock, .token = token}); },
        [&world, another_has_it] {
            if (another_has_it) world.run().coverage.hit("two believed at once, and the fence decided");
        });
}

asio::awaitable<void> user::hold() {
    auto& world = process_.world();
    auto& choices = world.choices();
    const auto longest = world.calm() ? std::chrono::milliseconds(100) : world.made_of().longest_hold;
    const auto pieces = choices.choose("user: writes", 3);
    for (std::uint64_t i = 0; i <= pieces && !told_lost_; ++i) {
        co_await sleep_up_to("user: hold", longest);
        const auto kind = choices.choose("user: kind of write", 4);
        if (kind == 1 || kind == 2) write_outside();
        if (kind != 3 || !guard_.held()) continue;
        auto fence = guard_.fence();
        co_await write_fenced(process_.machine(), world.run().coverage, std::move(fence), lock_, number_);
    }
    co_await end_hold();
}

asio::awaitable<void> user::end_hold() {
    auto& world = process_.world();
    auto& choices = world.choices();
    auto& coverage = world.run().coverage;
    if (told_lost_ || guard_.state() == guard_state::lost) coverage.hit("guard lost");
    auto way = choices.choose("user: way to let go", 8);
    if (way == 7 && !world.calm()) {
        // Too long by far: on a lock of a process that is stopped or cut off this shows who is told what.
        co_await sleep_up_to("user: holds on", std::chrono::milliseconds(world.lease() * 2));
    }
    now_ = doing::letting_go;
    const auto fencing_token = guard_.fencing_token();
    failed_.reset();
    let_go();
    next_operation();
    if (way == 6) {
        guard_ = {};
        co_return;
    }
    if (way == 5) cancel_after(std::chrono::microseconds(choices.choose("user: when not to release", 30'000)));
    auto token = cancellable();
    const auto done = co_await guard_.release(std::move(token));
    next_operation();
    const auto code = std::get<0>(done);
    check_delay("a release");
    check_release(fencing_token, code);
    if (code == errc::in_doubt) coverage.hit("release in doubt");
    if (code == errc::lock_lost || code == errc::session_lost) coverage.hit("release lost the race");
    guard_ = {};
}

}  // namespace dynalease::simulation::locks
