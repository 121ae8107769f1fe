// What users do.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/queue/user.hpp"

#include "simulation/framework/counted_frame.hpp"
#include "simulation/queue/process.hpp"
#include "simulation/queue/world.hpp"

#include <dynalease/queue.hpp>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace dynalease::simulation::queues {

namespace asio = boost::asio;
using namespace std::chrono_literals;

user::user(process& at, std::size_t queue, std::uint64_t number)
    : simulation::user(at.world().choices(), at, "user: cancellation"), process_(at), queue_(queue), number_(number) {}

asio::awaitable<void> user::live(std::shared_ptr<user> self) {
    auto& me = *self;
    auto& world = me.process_.world();
    const counted_frame standing(me.process_.frames);
    co_await me.sleep_up_to("user: first rest", world.made_of().longest_rest);
    while (!world.stopping() && !me.process_.session_over()) {
        co_await me.enter();
        if (!me.turns_.empty()) co_await me.hold();
        me.now_ = doing::resting;
        if (world.stopping()) break;
        const auto rest = world.calm() ? std::chrono::milliseconds(200) : world.made_of().longest_rest;
        co_await me.sleep_up_to("user: rest", rest);
    }
    me.now_ = doing::gone;
    me.process_.user_gone();
}

asio::awaitable<void> user::enter() {
    auto& world = process_.world();
    auto& choices = world.choices();
    auto& coverage = world.run().coverage;
    auto way = choices.choose("user: way to enter", 9);
    if (world.calm()) way = 0;
    if (way == 7) co_await look();
    if (!world.calm() && choices.choose("user: looks in passing", world.made_of().looks) == 1) look_in_passing();
    enters_all_ = world.queues() > 1 && choices.choose("user: all at once", world.made_of().several) == 1;
    now_ = doing::waiting;
    next_operation();
    enter_options options{.wait = std::chrono::minutes(world.calm() ? 60 : 2)};
    if (way == 4 || way == 5) options.wait = std::chrono::milliseconds(choices.choose("user: patience", 9'000));
    if (choices.choose("user: change of mind", world.made_of().cancels) == 1 && !world.calm()) {
        cancel_after(std::chrono::microseconds(choices.choose("user: when", 12'000'000)));
    }
    options.data = {{"call", static_cast<std::int64_t>(world.next_number())}};
    const bool tries = way == 6 && !enters_all_;
    asks_ = way == 8 && !enters_all_;
    if (asks_) options.wait = until_known;
    asked_at_ = process_.clock_now();
    if (!tries && !enters_all_) options.on_place = [this](const dynalease::queue_place& told) { check_place(told); };
    line_ = world.longest_line();
    seen_first_.reset();
    place_.reset();
    const auto began = world.now();
    error_code code;
    std::vector<queue_turn> turns;
    auto token = cancellable();
    if (enters_all_) {
        std::vector<queue> all;
        for (std::size_t i = 0; i < world.queues(); ++i) all.push_back(process_.queue_of(i));
        auto done = co_await enter_all(std::move(all), std::move(options), std::move(token));
        code = std::get<0>(done);
        turns = std::move(std::get<1>(done));
    } else {
        const auto target = process_.queue_of(queue_);
        std::tuple<error_code, queue_turn> done;
        if (tries) {
            done = co_await target.try_enter(std::move(options), std::move(token));
        } else {
            done = co_await target.enter(std::move(options), std::move(token));
        }
        code = std::get<0>(done);
        if (std::get<1>(done)) turns.push_back(std::move(std::get<1>(done)));
    }
    next_operation();
    now_ = doing::resting;
    process_.check_told_entry(enters_all_, queue_, code);
    if (std::exchange(asks_, false)) check_fate(code, began);
    if (!turns.empty()) got(std::move(turns));
    if (code == errc::in_doubt) coverage.hit("given up in doubt");
    if (code == condition::cancelled) coverage.hit("cancelled while waiting");
    if (code == errc::wait_timeout) coverage.hit("waited in vain");
    if (code && enters_all_) coverage.hit("several given up");
    if (tries && !code) coverage.hit(turns_.empty() ? "try refused" : "try granted");
}

void user::head_seen(std::size_t queue, time_point asked, const head_state& head) {
    if (asks_ && queue == queue_ && asked >= asked_at_ && !seen_first_) seen_first_ = head;
}

void user::check_fate(error_code told, time_point began) {
    auto& world = process_.world();
    const auto& made_of = world.made_of();
    // A lease finds out about some, and the next about twice as many; then there are the requests between.
    const auto enough = (3 + std::bit_width(static_cast<std::uint64_t>(line_))) * (world.lease() + 2s) + 60s;
    const bool disturbed = process_.undisturbed_since() >= asked_at_ || process_.machine().paused();
    if (!disturbed && process_.clock_now() - asked_at_ > enough) {
        world.fail("fate", "it took too long to know whether anybody lives");
    }
    if (told && told != errc::wait_timeout) return;
    world.run().coverage.hit(told ? "somebody known to live" : "nobody known to live");
    const bool checked = seen_first_ && !made_of.breaks_assumptions && !made_of.loses_rows && !made_of.weeks_go_by;
    if (!checked) return;
    const auto now = world.checked().head(queue_);
    const bool unmoved = now.tail == seen_first_->tail && now.passed == seen_first_->passed;
    bool may_live = !unmoved;
    auto [number, ticket] = world.checked().after(queue_, seen_first_->passed);
    for (; ticket != nullptr && number <= seen_first_->tail;
         std::tie(number, ticket) = world.checked().after(queue_, number)) {
        if (!told && ticket->left) {
            world.fail("fate", "the turn was taken after ticket " + std::to_string(number) + ", whose holder lived");
        }
        const auto last = world.checked().last_beat(ticket->session);
        // A beat may be seen as late as an answer comes.
        may_live = may_live || last + world.lease() + 15s >= began || process_.is_own(ticket->session);
    }
    if (told && !may_live) world.fail("fate", "somebody was told to live, though all in line were long dead");
}

void user::check_place(const dynalease::queue_place& told) {
    auto& world = process_.world();
    const auto& made_of = world.made_of();
    const auto former = std::exchange(place_, told);
    world.run().coverage.hit(former ? "told of coming nearer" : "told of a place");
    if (!waits()) world.fail("place", "one who does not wait was told of a place");
    // In a table from before, the next life of a session may draw the same number again.
    if (made_of.breaks_assumptions || made_of.loses_rows || made_of.breaks_tokens || made_of.weeks_go_by) return;
    if (former && former->ticket == told.ticket && told.before >= former->before) {
        world.fail("place", "a place was told that is no nearer than before");
    }
    // Who is counted may leave at any time, and nobody comes in before.
    std::int64_t in_line = 0;
    auto [number, ticket] = world.checked().after(queue_, world.checked().head(queue_).passed);
    for (; ticket != nullptr && number < told.ticket;
         std::tie(number, ticket) = world.checked().after(queue_, number)) {
        using enum checker::ticket::row;
        if (ticket->state == live && !ticket->left && !world.checked().over(ticket->session)) ++in_line;
    }
    if (told.before < in_line) world.fail("place", "more go before a place than were told of");
}

/// Its answer comes when others of this process enter, and wait.
void user::look_in_passing() {
    auto& coverage = process_.world().run().coverage;
    const auto target = process_.queue_of(queue_);
    coverage.hit("looked at in passing");
    next_operation();
    if (number_ % 2 == 0) {
        target.inspect([](error_code, const queue_info&) {});
    } else {
        target.position([](error_code, std::size_t) {});
    }
}

asio::awaitable<void> user::look() {
    const auto target = process_.queue_of(queue_);
    next_operation();
    auto token = cancellable();
    auto seen = co_await target.inspect(std::move(token));
    next_operation();
    if (std::get<0>(seen)) co_return;
    const auto& info = std::get<1>(seen);
    auto before = info.holder ? info.holder->ticket : 0;
    for (const auto& each : info.waiting) {
        if (each.ticket <= before) process_.world().fail("Q1", "a queue was shown out of order");
        before = each.ticket;
    }
    process_.world().run().coverage.hit("looked at");
}

void user::got(std::vector<queue_turn> turns) {
    auto& world = process_.world();
    now_ = doing::holding;
    ++served_;
    turns_.clear();
    turns_.resize(turns.size());
    if (turns.size() > 1) world.run().coverage.hit("several entered at once");
    for (std::size_t i = 0; i < turns.size(); ++i) {
        auto& mine = turns_[i];
        mine.queue = enters_all_ ? i : queue_;
        mine.turn = std::move(turns[i]);
        mine.handle = world.next_number();
        mine.session = process_.session_of(mine);
        mine.by_session = process_.is_written(mine);
        if (mine.turn.position() > 0) world.run().coverage.hit("waited for");
        world.tell(process_.name(), turn_given{.handle = mine.handle,
                                               .queue = mine.queue,
                                               .session = mine.session,
                                               .ticket = mine.turn.fencing_token()});
        mine.turn.lost([weak = weak_from_this(), of = mine.handle](error_code code) {
            const auto self = std::static_pointer_cast<user>(weak.lock());
            if (!self || code) return;
            for (auto& each : self->turns_) {
                if (each.handle == of) each.told_lost = true;
            }
        });
    }
}

void user::let_go(held_turn& mine) {
    if (mine.handle == 0) return;
    process_.world().tell(process_.name(), turn_let_go{.handle = mine.handle});
    mine.handle = 0;
}

void user::note_invalid(std::uint64_t handle, time_point now) {
    for (auto& each : turns_) {
        if (each.handle != handle || each.invalid_since) continue;
        each.invalid_since = now;
        process_.world().tell(process_.name(), turn_let_go{.handle = handle});
    }
}

void user::let_go() {
    for (auto& each : turns_) let_go(each);
}

bool user::told_any_loss() const {
    return std::any_of(turns_.begin(), turns_.end(), [](const auto& each) { return each.told_lost; });
}

void user::write_outside() {
    auto& world = process_.world();
    for (const auto& mine : turns_) {
        if (mine.handle == 0 || !mine.turn.held()) continue;
        // Between this look and the write anything may happen.
        const auto token = mine.turn.fencing_token();
        auto accepted = [&world, queue = mine.queue, token] {
            world.tell("", outside_written{.queue = queue, .ticket = token});
        };
        world.resource(mine.queue).write(world, token, world.made_of().nemesis.longest, std::move(accepted));
    }
}

asio::awaitable<void> user::hold() {
    auto& world = process_.world();
    auto& choices = world.choices();
    const auto longest = world.calm() ? std::chrono::milliseconds(100) : world.made_of().longest_hold;
    const auto pieces = choices.choose("user: writes", 3);
    for (std::uint64_t i = 0; i <= pieces && !told_any_loss(); ++i) {
        co_await sleep_up_to("user: hold", longest);
        const auto kind = choices.choose("user: kind of write", 4);
        if (kind == 1 || kind == 2) write_outside();
        if (kind != 3 || !turns_.front().turn.held()) continue;
        auto fence = turns_.front().turn.fence();
        co_await write_fenced(process_.machine(), world.run().coverage, std::move(fence), queue_, number_);
    }
    for (auto& each : turns_) co_await end_hold(each);
    turns_.clear();
}

asio::awaitable<void> user::end_hold(held_turn& mine) {
    auto& world = process_.world();
    auto& choices = world.choices();
    auto& coverage = world.run().coverage;
    if (mine.told_lost || mine.turn.state() == guard_state::lost) coverage.hit("turn lost");
    const auto way = choices.choose("user: way to leave", 8);
    if (way == 7 && !world.calm()) {
        // Too long by far: of a process that is stopped or cut off this shows who is told what.
        co_await sleep_up_to("user: holds on", std::chrono::milliseconds(world.lease() * 2));
    }
    now_ = doing::letting_go;
    const bool safe = mine.turn.held() && process_.is_written(mine);
    let_go(mine);
    next_operation();
    if (way == 6) {
        mine.turn = {};
        co_return;
    }
    if (way == 5) cancel_after(std::chrono::microseconds(choices.choose("user: when not to leave", 30'000)));
    auto token = cancellable();
    const auto done = co_await mine.turn.leave(std::move(token));
    next_operation();
    const auto code = std::get<0>(done);
    process_.check_told_leave(mine, way == 5, code);
    if (code == errc::in_doubt) coverage.hit("leaving in doubt");
    if (code == errc::lock_lost || code == errc::session_lost) coverage.hit("leaving lost the race");
    const bool lives = process_.live() && process_.session()->id() == mine.session &&
                       !world.made_of().breaks_assumptions && !world.made_of().loses_rows;
    if (code == errc::lock_lost && safe && lives) {
        world.fail("P9", "the leaving of a valid turn was told as a loss, in session " + mine.session);
    }
    mine.turn = {};
}

}  // namespace dynalease::simulation::queues
