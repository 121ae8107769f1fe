// The one place of a process for one item: its callers, its guards, and who carries its lock's protocol out.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_impl.hpp"

#include "item/fresh_stamp.hpp"
#include "runtime/cancellation.hpp"
#include "runtime/spawn.hpp"
#include "session/holder_words.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dynalease::detail {

using fate = protocol::guarded_end::grant;

item_lock_impl::item_lock_impl(session_impl& core, std::string identity, const item_place& place)
    : claiming_front(core, place.name, place.item),
      identity_(std::move(identity)),
      options_(place.options),
      renewed_(core.world().executor),
      line_([this] { return machine_.idle() && !driven_; }) {}

item_lock_impl::~item_lock_impl() {
    // By what it is known as there, which is no more when the base ends.
    if (const auto core = registered_in_.lock()) core->members().forget(key());
}

std::shared_ptr<item_lock_impl> item_lock_impl::in(session_impl& life) const {
    return life.members().member<item_lock_impl>(identity_, item_place{name(), item(), options_});
}

// ---- its callers -------------------------------------------------------------------------------------------

void item_lock_impl::serve() {
    first()->served.complete_one({item_hold::make_guard(make_hold()), nullptr});
}

std::string item_lock_impl::in_the_way() const {
    const auto present = holds_.first();
    if (machine_.held()) return words_of_own_hold(core_, held_since_, present.get(), machine_.read_here());
    if (machine_.in_transaction()) return "a transaction has it to change or read";
    const auto& others = machine_.others();
    if (!others || others->session == core_.id()) return {};
    if (others->session.empty()) return "a program of another make holds it";
    auto words = words_of_hold(core_, others->session, {others->since, others->last_seen}, others->readers > 0);
    if (others->readers > 1) words += ", and " + std::to_string(others->readers - 1) + " more read it";
    words += words_of_heartbeat(core_, others->session);
    return machine_.others_intend() ? words + "; and a writer elsewhere waits before further readers" : words;
}

void item_lock_impl::turn_all_away(const failure& why) {
    turn_away(why);
    line_.wake_all();
}

// ---- driving -----------------------------------------------------------------------------------------------

void item_lock_impl::wake() {
    machine_.want();
    hurry();
    // A reader may join those of this process.
    if (!machine_.held() || machine_.read_here()) drive();
}

boost::asio::awaitable<void> item_lock_impl::keep([[maybe_unused]] item_target self) {
    // Whoever made the grant serves it after the call.
    co_await boost::asio::post(core_.world().executor, boost::asio::deferred);
    {
        session_driver driver(core_, keeper_);
        co_await driver.run(machine_.keep(driver.steps()));
    }
    kept_ = false;
    if (!machine_.rests()) drive();
}

/// A grant has ended beside the coroutine that drives.
void item_lock_impl::go_on() {
    machine_.rest();
    if (!machine_.rests()) drive();
}

// ---- the grant ---------------------------------------------------------------------------------------------

std::shared_ptr<item_hold> item_lock_impl::make_hold() {
    const auto& grant = machine_.grant();
    auto hold = std::make_shared<item_hold>(core_.shared_from_this(), shared_from_this(), grant.held);
    hold->known = grant.known;
    if (holds_.empty()) held_since_ = core_.now();
    holds_.add(hold);
    if (core_.plain()) tell_end(*hold);
    if (core_.plain() && !kept_) {
        kept_ = runtime::spawn_background(core_.world().executor, core_.members().running(),
                                          keep({core_.shared_from_this(), shared_from_this()}));
    }
    ++core_.counters().leases_held;
    ++core_.counters().acquired;
    return hold;
}

void item_lock_impl::tell_end(item_hold& hold) const {
    const auto& [times, renew] = *core_.plain();
    const auto& grant = machine_.grant();
    const auto end = machine_.grant_end();
    hold.keep(grant.held.id.attempt, renew ? grant.kept_since + times.jeopardy : end, end);
}

void item_lock_impl::kept() {
    for (const auto& hold : holds_.living()) tell_end(*hold);
}

/// Not beside a write of the guard's owner, which does as much for the grant, or which must first be resolved.
bool item_lock_impl::begin_renewal() {
    bool held = false;
    for (const auto& hold : holds_.living()) {
        // One that has been let go and is still here is being committed with others, by what the item shows now.
        if (hold->state() == guard_state::released) return false;
        if (!hold->held()) continue;
        if (hold->write != item_hold::writing::nothing) return false;
        held = true;
    }
    renewing_ = held;
    return held;
}

void item_lock_impl::end_renewal() {
    renewing_ = false;
    renewed_.complete_all({});
}

boost::asio::awaitable<bool> item_lock_impl::between_renewals(std::shared_ptr<item_hold> hold) {
    for (;;) {
        // Then the write that follows is not sent.
        const bool cancelled = co_await runtime::cancellation_requested();
        if (!renewing_ || cancelled) break;
        co_await renewed_.async_wait(boost::asio::as_tuple(boost::asio::deferred));
    }
    co_return !core_.plain() || holds_.contains(*hold);
}

bool item_lock_impl::forget(const std::shared_ptr<item_hold>& hold) {
    const bool ours = holds_.remove(*hold);
    core_.counters().leases_held -= ours;
    return ours;
}

void item_lock_impl::lose_holds() {
    std::erase_if(outlived_, [](const auto& each) { return each.expired() || each.lock()->finished().has_value(); });
    core_.counters().leases_held -= holds_.size();
    const auto holds = holds_.living();
    holds_.clear();
    for (const auto& hold : holds) {
        if (!hold->lose()) outlived_.push_back(hold);
    }
}

void item_lock_impl::end_grant() {
    holds_.clear();
    machine_.lose();
    if (keeper_) keeper_->wake();
    if (driver_) driver_->wake();
}

void item_lock_impl::lose_grant() {
    lose_holds();
    end_grant();
}

void item_lock_impl::leave_to_lease(const std::shared_ptr<item_hold>& hold) {
    const bool ours = forget(hold);
    if (ours && holds_.empty()) end_grant();
    // Ours, and left to the lease: by the session's end. Else it was gone before.
    hold->finish(ours || !core_.may_write() ? core_.over_failure() : failure(errc::lock_lost));
}

void item_lock_impl::give_back(const std::shared_ptr<item_hold>& hold) {
    if (!core_.may_write() || !holds_.contains(*hold)) {
        leave_to_lease(hold);
        return;
    }
    forget(hold);
    if (!holds_.empty()) {
        // Other readers of this process go on with the same grant, or lose it too.
        const bool in_time = machine_.grant_lives();
        if (in_time) ++core_.counters().released;
        hold->finish(in_time ? failure() : failure(errc::lock_lost));
        return;
    }
    end_grant();
    leaving_ = hold;
    hold->stay_until_finished();
    machine_.give_back();
    drive();
}

void item_lock_impl::tell_release(const failure& how) {
    if (const auto hold = leaving_.lock()) hold->tell(how);
}

void item_lock_impl::resolve_doubt(std::int64_t step) {
    if (const auto hold = leaving_.lock()) hold->resolve(step);
}

void item_lock_impl::end_hand_over() {
    if (const auto hold = leaving_.lock()) hold->ends_by(grant_event::handed_over);
    end_release({});
}

void item_lock_impl::end_release(const failure& how) {
    if (const auto hold = leaving_.lock()) hold->finish(how);
    leaving_.reset();
}

void item_lock_impl::session_lost(const failure& why) {
    turn_all_away(why);
    lose_holds();
    if (machine_.held()) machine_.lose();
}

void item_lock_impl::session_closes(const failure& why, bool release) {
    turn_all_away(why);
    for (const auto& hold : holds_.living()) {
        if (!hold->let_go()) continue;
        hold->ends_by(grant_event::closed);
        if (release) {
            give_back(hold);
        } else {
            leave_to_lease(hold);
        }
    }
}

void item_lock_impl::list_grants(std::vector<std::shared_ptr<pending_release>>& into) const {
    std::ranges::copy(holds_.living(), std::back_inserter(into));
    if (auto hold = leaving_.lock()) into.push_back(std::move(hold));
    for (const auto& each : outlived_) {
        if (auto hold = each.lock(); hold && !hold->finished()) into.push_back(std::move(hold));
    }
}

// ---- guarded writes ----------------------------------------------------------------------------------------

item_lock_impl::write_end item_lock_impl::lost(const std::shared_ptr<item_hold>& hold, shared_failure why) {
    if (hold->lose()) {
        forget(hold);
        if (holds_.empty() && machine_.held()) {
            end_grant();
            go_on();
        }
    }
    return {.why = std::move(why)};
}

boost::asio::awaitable<item_lock_impl::write_end> item_lock_impl::change(std::shared_ptr<item_hold> hold,
                                                                         update_expression update,
                                                                         condition_expression condition) {
    protocol::guarded_change what{.update = std::move(update),
                                  .condition = std::move(condition),
                                  .stamp = fresh_stamp(core_.world()),
                                  .versioned = item().versioned()};
    hold->write = item_hold::writing::under_way;
    const bool ours = co_await between_renewals(hold);
    if (!ours) co_return lost(hold, std::make_shared<const failure>(errc::lock_lost));
    protocol::guarded_end end;
    {
        session_driver driver(core_);
        co_await driver.run(machine_.change(driver.steps(), std::move(what), end));
    }
    hold->write = item_hold::writing::nothing;
    if (end.is == fate::doubtful) hold->doubt(end.doubtful_step);
    if (end.is == fate::lost) co_return lost(hold, std::move(end.why));
    if (!end.why) hold->known = end.left;
    co_return write_end{.why = std::move(end.why), .left = std::move(end.left)};
}

boost::asio::awaitable<item_lock_impl::write_end> item_lock_impl::downgrade(std::shared_ptr<item_hold> hold) {
    hold->write = item_hold::writing::under_way;
    const bool ours = co_await between_renewals(hold);
    if (!ours) co_return lost(hold, std::make_shared<const failure>(errc::lock_lost));
    // Readers may come in before the answer does.
    hold->set_exclusive(false);
    protocol::guarded_end end;
    {
        session_driver driver(core_);
        co_await driver.run(machine_.downgrade(driver.steps(), end));
    }
    hold->write = item_hold::writing::nothing;
    if (end.is == fate::doubtful) hold->doubt(end.doubtful_step);
    if (end.is == fate::lost) co_return lost(hold, std::move(end.why));
    if (end.why && end.is == fate::kept) hold->set_exclusive(true);
    if (!end.why && machine_.read_here() && wanted()) drive();
    co_return write_end{.why = std::move(end.why)};
}

boost::asio::awaitable<item_lock_impl::write_end> item_lock_impl::change_and_release(std::shared_ptr<item_hold> hold,
                                                                                     update_expression update,
                                                                                     condition_expression condition,
                                                                                     item_stamp stamp) {
    const bool ours = co_await between_renewals(hold);
    if (!ours) co_return ran_out(hold);
    auto last = machine_.last_change(std::move(update), std::move(condition), stamp);
    auto end = co_await end_with(std::move(hold), std::move(last));
    co_return end;
}

boost::asio::awaitable<item_lock_impl::write_end> item_lock_impl::erase(std::shared_ptr<item_hold> hold,
                                                                        condition_expression condition) {
    const bool ours = co_await between_renewals(hold);
    if (!ours) co_return ran_out(hold);
    auto last = machine_.last_erase(condition);
    auto end = co_await end_with(std::move(hold), std::move(last));
    co_return end;
}

boost::asio::awaitable<item_lock_impl::write_end> item_lock_impl::end_with(std::shared_ptr<item_hold> hold,
                                                                           protocol::last_write last) {
    protocol::guarded_end end;
    const bool erases = last.erases;
    {
        session_driver driver(core_);
        co_await driver.run(machine_.end_with(driver.steps(), std::move(last), end));
    }
    // Should its time be over before that is known, the grant may have been given back all the same.
    if (end.why && end.why->code == errc::in_doubt) hold->tell(*end.why);
    if (end.is == fate::to_release) {
        give_back(hold);
    } else {
        if (erases) hold->ends_by(grant_event::erased);
        ended(hold, end.is == fate::lost ? error_code(errc::lock_lost) : error_code());
    }
    co_return write_end{.why = std::move(end.why), .left = std::move(end.left)};
}

item_lock_impl::write_end item_lock_impl::ran_out(const std::shared_ptr<item_hold>& hold) {
    ended(hold, errc::lock_lost);
    return {.why = std::make_shared<const failure>(errc::lock_lost)};
}

void item_lock_impl::ended(const std::shared_ptr<item_hold>& hold, error_code code) {
    // Told, and so counted, though its time was up before the answer came.
    if (!code) ++core_.counters().released;
    if (forget(hold)) end_grant();
    hold->finish(code);
    if (machine_.idle()) go_on();
}

// ---- one of several ----------------------------------------------------------------------------------------

bool item_lock_impl::open_to(std::int64_t came) {
    const bool in_hand = !machine_.idle() || driven_ || line_.looks_out() || wanted();
    return !in_hand && line_.lets(came);
}

bool item_lock_impl::reserve(const std::optional<protocol::claim>& mine, std::int64_t came) {
    if (!open_to(came)) return false;
    if (!machine_.reserve(mine)) {
        resolve_claim(false);
        return false;
    }
    driven_ = true;
    return true;
}

void item_lock_impl::give_free(protocol::item_reply seen) {
    driven_ = forsaken_ = false;
    machine_.give_free(std::move(seen));
    if (!machine_.idle()) drive();
}

item_guard item_lock_impl::grant(protocol::item_reply seen) {
    machine_.take_grant(std::move(seen));
    driven_ = false;
    auto guard = item_hold::make_guard(make_hold());
    // Other readers of this process need not ask.
    if (machine_.read_here() && wanted()) drive();
    return guard;
}

boost::asio::awaitable<protocol::item_reply> item_lock_impl::ask(const protocol::item_acquire_decision* clearing,
                                                                 dynalease::attempt_watch& watch) {
    protocol::item_reply seen;
    session_driver* known = nullptr;
    {
        session_driver driver(core_, known, &service_, &watch);
        auto steps = clearing ? machine_.clear(driver.steps(), *clearing, seen) : machine_.look(driver.steps(), seen);
        co_await driver.run(std::move(steps));
    }
    co_return seen;
}

}  // namespace dynalease::detail
