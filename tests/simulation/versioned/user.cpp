// How callers spend their time, and what they remember.
// SPDX-License-Identifier: BSL-1.0
#include "simulation/versioned/user.hpp"

#include "simulation/framework/counted_frame.hpp"
#include "simulation/versioned/process.hpp"
#include "simulation/versioned/world.hpp"

#include <array>
#include <utility>

namespace dynalease::simulation::versions {

namespace asio = boost::asio;

namespace {

versioned_options options_of(const scenario_config& made_of) {
    return {.table = table,
            .key = "pk",
            .sort_key = "sk",
            .version = made_of.kept.version,
            .stamp = made_of.kept.stamp,
            .stamps = made_of.kept.stamps,
            .lock_prefix = made_of.kept.lock_prefix,
            .step = made_of.kept.step,
            .removal = made_of.removal};
}

}  // namespace

user::user(process& at)
    : simulation::user(at.world().choices(), at, "caller: cancellation"),
      process_(at),
      accounts_(at.machine().database(), options_of(at.world().made_of())) {}

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

loaded<account> user::blank(std::size_t item) {
    loaded<account> nothing;
    nothing.value = {.pk = item_history::name_of(item), .sk = "-"};
    return nothing;
}

key_values user::key_of(std::size_t item) const {
    return {item_history::name_of(item), "-"};
}

asio::awaitable<void> user::act() {
    auto& world = process_.world();
    auto& choices = world.choices();
    if (doubt_ && (world.calm() || choices.choose("caller: doubt", 3) == 1)) {
        const bool closes = choices.choose("caller: close", 2) == 1;
        co_await resolve(closes);
        co_return;
    }
    if (joint_doubt_ && (world.calm() || choices.choose("caller: joint doubt", 3) == 1)) {
        co_await resolve_joint();
        co_return;
    }
    const auto item = choices.choose("caller: item", world.items());
    if (world.calm()) {
        co_await update(item);
        co_return;
    }
    const auto& habits = world.made_of().users;
    const bool from_old = choices.choose("caller: from what is old", world.made_of().stale) == 1;
    const bool again = choices.choose("caller: from what was saved", 4) == 1;
    if (from_old && old_) {
        held_ = std::exchange(old_, std::nullopt);
    } else if (!again || !held_ || held_->item != item) {
        const bool consistent = choices.choose("caller: consistent", 3) != 1;
        const bool all_at_once = world.items() > 1 && choices.choose("caller: loads all", 4) == 1;
        auto loading = all_at_once ? load_all(item, consistent) : load(item, consistent);
        co_await std::move(loading);
    }
    if (held_ && choices.choose("caller: keep", 6) == 1) old_ = held_;
    co_await sleep_up_to("caller: thought", world.made_of().longest_thought);

    const std::array weights{habits.update,  habits.save,   habits.whole,  habits.revision,
                             habits.touch,   habits.remove, habits.blind,  habits.exact,
                             habits.clobber, habits.joint,  habits.upsert, habits.clobber_remove};
    std::uint64_t all = 0;
    for (const auto each : weights) all += each;
    auto drawn = choices.choose("caller: verb", all);
    std::size_t verb = 0;
    while (drawn >= weights[verb]) drawn -= weights[verb++];
    if (verb == 0) {
        co_await update(item);
        co_return;
    }
    if (verb == 6 || verb == 7) {
        co_await blind(item, verb == 7);
        co_return;
    }
    if (verb == 11) {
        co_await clobber_remove(item);
        co_return;
    }
    if (verb == 10) {
        auto value = held_.value_or(known{.item = item, .value = blank(item)});
        co_await clobber(std::move(value), true);
        co_return;
    }
    if (!held_) {
        co_await create(item);
        co_return;
    }
    auto base = *held_;
    if (verb == 1) co_await save(std::move(base), save_scope::changed);
    if (verb == 2) co_await save(std::move(base), save_scope::whole);
    if (verb == 3) co_await save_revision(std::move(base));
    if (verb == 4) co_await touch(std::move(base));
    if (verb == 5) co_await remove(std::move(base));
    if (verb == 8) co_await clobber(std::move(base), false);
    if (verb == 9) co_await joint(std::move(base));
}

// ---- what is told and remembered -----------------------------------------------------------------------------

void user::begin(std::size_t item, intent what, std::optional<serial> base) {
    auto& world = process_.world();
    if (number_ == 0) {
        number_ = world.item_history().next_number();
        next_operation();
        const bool changes_mind =
            !world.calm() && world.choices().choose("caller: change of mind", world.made_of().cancels) == 1;
        if (changes_mind) {
            cancel_after(std::chrono::microseconds(world.choices().choose("caller: when", 3'000'000)));
        }
    }
    since_ = world.item_history().now(item);
    intends_ = what;
    world.item_history().tell(process_.name(), intended{.number = number_, .item = item, .what = what, .base = base});
}

std::optional<serial> user::serial_of(std::size_t item, const std::optional<loaded<account>>& shown) {
    if (!shown) return std::nullopt;
    const auto state = process_.world().item_history().serial_of(item, shown->attributes);
    if (!state) process_.world().fail("O4", "a caller was shown a state that never was");
    return state;
}

void user::remember(std::size_t item, const std::optional<loaded<account>>& value) {
    held_.reset();
    if (!value) return;
    if (const auto state = serial_of(item, value)) held_ = known{.item = item, .value = *value, .state = *state};
}

void user::tell(std::size_t item, answer what, std::optional<serial> shown) {
    const auto met = process_.recorder().requests_of(number_);
    process_.world().item_history().tell(process_.name(), told{.number = number_,
                                                               .what = what,
                                                               .item = item,
                                                               .shown = shown,
                                                               .since = since_,
                                                               .unanswered = met.unanswered,
                                                               .last_refusal = met.last_refusal});
    number_ = 0;
    next_operation();
}

void user::end(std::size_t item, outcome_of_write done, bool shows_its_own) {
    auto& coverage = process_.world().run().coverage;
    const auto code = std::get<0>(done);
    auto& result = std::get<1>(done);
    if (!code) {
        coverage.hit(result.superseded ? "own write found under others" : "written");
        const auto shown = serial_of(item, result.saved);
        remember(item, result.saved);
        tell(item, result.superseded ? answer::superseded : answer::applied,
             shows_its_own ? shown : std::optional<serial>());
        return;
    }
    if (code == errc::in_doubt) {
        coverage.hit("in doubt");
        const bool by_text = intends_ == intent::save_revision || intends_ == intent::remove_revision;
        if (result.pending) doubt_ = doubt{item, number_, std::move(result.pending), by_text};
        held_.reset();
        tell(item, answer::doubt, {});
        return;
    }
    if (code == errc::validation) process_.world().fail("O4", "a write was refused as malformed");
    auto what = answer::not_applied;
    if (code == errc::conflict) what = answer::conflict;
    if (code == errc::exists) what = answer::exists;
    if (code == errc::missing) what = answer::missing;
    if (code == errc::locked) what = answer::locked;
    if (what == answer::conflict) coverage.hit("conflict");
    if (what == answer::exists) coverage.hit("exists");
    if (what == answer::missing) coverage.hit("missing");
    if (what == answer::locked) coverage.hit("locked");
    if (code == condition::cancelled) coverage.hit("cancelled");
    const auto shown = serial_of(item, result.current);
    if (what == answer::conflict && result.found == result.expected && result.expected) {
        coverage.hit("conflict over what another has taken");
    }
    remember(item, result.current);
    tell(item, what, shown);
}

}  // namespace dynalease::simulation::versions
