// What users do.
#include "simulation/item_lock/user.hpp"

#include "simulation/framework/counted_frame.hpp"
#include "simulation/item_lock/site.hpp"
#include "simulation/item_lock/world.hpp"

#include <tuple>
#include <utility>

namespace dynalease::simulation::item_locks {

namespace asio = boost::asio;
using versions::answer;
using versions::intent;

namespace {

update_expression appended(std::int64_t number) {
    const attribute_value mine(attribute_list{attribute_value(number)});
    return set("entries", list_append(path("entries"), mine));
}

}  // namespace

user::user(site& at, std::size_t item, bool saves)
    : participant(at.world().choices(), at.machine(), "user: cancellation"), site_(at), item_(item), saves_(saves) {}

asio::awaitable<void> user::live(std::shared_ptr<user> self) {
    auto& me = *self;
    auto& world = me.site_.world();
    const counted_frame standing(me.site_.frames);
    co_await me.sleep_up_to("user: first rest", world.made_of().longest_rest);
    while (!world.stopping() && !me.site_.session_over()) {
        auto turn = me.saves_ ? me.save() : me.lock_and_write();
        co_await std::move(turn);
        if (world.stopping()) break;
        const auto rest = world.calm() ? std::chrono::milliseconds(1000) : world.made_of().longest_rest;
        co_await me.sleep_up_to("user: rest", rest);
    }
    me.gone_ = true;
    me.site_.user_gone();
}

void user::perhaps_cancel() {
    auto& world = site_.world();
    next_operation();
    if (world.calm() || world.choices().choose("user: change of mind", world.made_of().cancels) != 1) return;
    cancel_after(std::chrono::microseconds(world.choices().choose("user: when", 4'000'000)));
}

void user::let_go() {
    if (handle_ == 0) return;
    site_.world().tell(site_.name(), guard_let_go{.handle = handle_});
    handle_ = 0;
}

asio::awaitable<void> user::lock_and_write() {
    auto& world = site_.world();
    auto& choices = world.choices();
    auto& census = world.run().census;
    item_lock_options how{.most_readers = world.made_of().most_readers};
    item_lock target(*site_.session(), item_ref{versions::table, versions::ledger::key_of(item_)}, how);
    const bool reads = choices.choose("user: reads", world.made_of().readers) == 1;
    const bool tries = choices.choose("user: tries", 6) == 1 && !world.calm();
    item_acquire_options options{.wait = std::chrono::minutes(2)};
    if (choices.choose("user: little patience", 3) == 1 && !world.calm()) {
        options.wait = std::chrono::milliseconds(choices.choose("user: patience", 8'000));
    }
    waits_ = true;
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
    const auto code = std::get<0>(done);
    guard_ = std::get<1>(std::move(done));
    if (code == errc::in_doubt) census.hit("given up in doubt");
    if (code == condition::cancelled) census.hit("cancelled while waiting");
    if (code == errc::wait_timeout) census.hit("waited in vain");
    if (code == errc::missing) census.hit("item missing");
    if (tries && !code && !guard_) census.hit("try refused");
    if (!guard_) co_return;
    ++served_;
    handle_ = world.next_number();
    world.tell(site_.name(), guard_given{.handle = handle_,
                                         .item = item_,
                                         .session = site_.session()->id(),
                                         .token = guard_.fencing_token(),
                                         .exclusive = guard_.exclusive()});
    const auto longest = world.calm() ? std::chrono::milliseconds(100) : world.made_of().longest_hold;
    const auto pieces = choices.choose("user: writes", 4);
    for (std::uint64_t i = 0; i < pieces; ++i) {
        co_await sleep_up_to("user: hold", longest);
        if (guard_.exclusive()) co_await write(false);
    }
    co_await sleep_up_to("user: holds on", longest);
    co_await end_hold();
}

asio::awaitable<void> user::write(bool last) {
    auto& world = site_.world();
    const auto number = world.ledger().next_number();
    world.ledger().tell(site_.name(), versions::intended{.number = number, .item = item_, .what = intent::guarded});
    world.tell(site_.name(), guarded_begun{.handle = handle_, .number = number});
    if (last) let_go();
    perhaps_cancel();
    auto token = cancellable();
    auto change = appended(number);
    condition_expression always;
    std::tuple<error_code, item> done;
    if (last) {
        done = co_await guard_.update_and_release(std::move(change), std::move(always), std::move(token));
    } else {
        done = co_await guard_.update(std::move(change), std::move(always), std::move(token));
    }
    next_operation();
    const auto left = std::get<1>(std::move(done));
    // After the last write others may have gone on by the time it is known.
    learn(number, std::get<0>(done), last ? nullptr : &left);
}

void user::learn(std::int64_t number, error_code code, const item* left) {
    auto& world = site_.world();
    auto& census = world.run().census;
    auto what = answer::not_applied;
    if (!code) what = answer::applied;
    if (code == errc::lock_lost) what = answer::conflict;
    if (code == errc::in_doubt) what = answer::doubt;
    census.hit(!code                     ? "guarded write done"
               : code == errc::in_doubt  ? "guarded write in doubt"
               : code == errc::lock_lost ? "guarded write lost the item"
                                         : "guarded write not sent");
    std::optional<versions::serial> shown;
    if (!code && left) shown = world.ledger().serial_of(item_, *left);
    world.ledger().tell(
        site_.name(),
        versions::told{.number = number, .what = what, .item = item_, .shown = shown, .unanswered = true});
}

asio::awaitable<void> user::end_hold() {
    auto& world = site_.world();
    auto& choices = world.choices();
    auto& census = world.run().census;
    auto way = choices.choose("user: way to let go", 8);
    if (way == 7 && guard_.exclusive()) {
        perhaps_cancel();
        auto token = cancellable();
        const auto done = co_await guard_.downgrade(std::move(token));
        next_operation();
        if (!std::get<0>(done)) census.hit("downgraded");
        co_await sleep_up_to("user: reads on", world.made_of().longest_hold);
    }
    if (way >= 4 && way < 6 && guard_.exclusive()) {
        co_await write(true);
        guard_ = {};
        co_return;
    }
    let_go();
    if (way == 6) {
        guard_ = {};
        co_return;
    }
    perhaps_cancel();
    auto token = cancellable();
    const auto done = co_await guard_.release(std::move(token));
    next_operation();
    const auto code = std::get<0>(done);
    if (code == errc::in_doubt) census.hit("release in doubt");
    if (code == errc::lock_lost || code == errc::session_lost) census.hit("release lost the race");
    guard_ = {};
}

asio::awaitable<void> user::save() {
    auto& world = site_.world();
    const auto number = world.ledger().next_number();
    world.ledger().tell(site_.name(), versions::intended{.number = number, .item = item_, .what = intent::update});
    versioned_items table(site_.machine().database(), {.table = versions::table, .key = "pk", .sort_key = "sk"});
    auto change = [number](item value) {
        auto entries = *find(value, "entries")->get_if<attribute_list>();
        entries.emplace_back(number);
        value.insert_or_assign("entries", std::move(entries));
        return value;
    };
    waits_ = true;
    perhaps_cancel();
    auto token = cancellable();
    auto key = versions::ledger::key_of(item_);
    update_options how;
    auto done = co_await table.update(std::move(key), std::move(change), how, std::move(token));
    next_operation();
    waits_ = false;
    const auto code = std::get<0>(done);
    auto what = answer::not_applied;
    if (!code) what = std::get<1>(done).superseded ? answer::superseded : answer::applied;
    if (code == errc::in_doubt) what = answer::doubt;
    if (code == errc::locked) world.run().census.hit("save found the item locked");
    if (!code) world.run().census.hit("saved");
    if (!code) ++served_;
    world.ledger().tell(site_.name(),
                        versions::told{.number = number, .what = what, .item = item_, .unanswered = true});
}

}  // namespace dynalease::simulation::item_locks
