// Several items wanted under one claim, until it is granted or nobody wants them any more.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/joint_claim.hpp"

#include "database/protocol/backoff.hpp"
#include "database/protocol/transact_actions.hpp"
#include "item_lock/protocol/item_take_over.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

using protocol::acquire_all_decision;
using protocol::acquire_all_step;
using protocol::item_acquire_step;

joint_claim::joint_claim(std::shared_ptr<session_impl> core, std::vector<wanted_item> wanted, bool once)
    : served(core->world().executor),
      core_(std::move(core)),
      wanted_(std::move(wanted)),
      order_(protocol::acquiring_order(names_of(wanted_))),
      once_(once),
      came_(core_->next_attempt()),
      began_(core_->now()),
      outage_(*core_),
      sleep_(core_->world()) {}

boost::asio::awaitable<void> joint_claim::run(std::shared_ptr<joint_claim> self) {
    // Whoever made us begins to wait after the call, not before.
    co_await boost::asio::post(self->core_->world().executor, boost::asio::deferred);
    bool called = false;
    while (self->wanted() && self->refusals_ < protocol::refusals_together) {
        const auto busy = self->reserve();
        if (busy) {
            // When that one was free, another was in other hands: so it may go on for ever.
            if (std::exchange(called, true)) ++self->refusals_;
            co_await self->wait_here(*busy);
            continue;
        }
        called = false;
        const auto refusing = co_await self->claim_all();
        if (refusing) co_await self->wait_for(*refusing);
    }
    if (!self->core_->live()) self->fail(self->core_->over_failure());
    self->served.complete_one(joint_served{.one_by_one = true});
}

failure joint_claim::given_up(error_code waited) {
    sleep_.wake();
    forsake();
    auto why = core_->given_up(waited, may_land());
    const auto last = outage_.last_since(began_);
    if (why.code == errc::in_doubt && last) return in_doubt(last->details);
    if (why.code != errc::wait_timeout) return why;
    return in_vain(wanted_, outage_.unheard(began_), began_, behind_.item.value_or(0));
}

joint_service joint_claim::at_all() {
    joint_service all{outage_};
    for (const auto& each : wanted_) all.items.push_back(each.front.get());
    return all;
}

/// At one of the items, which hears of it by itself.
boost::asio::awaitable<protocol::item_reply> joint_claim::ask(wanted_item& each,
                                                              const protocol::item_acquire_decision* clearing) {
    outage_.asked();
    auto watch = watched({outage_, {each.front.get()}});  // the item itself hears of the first attempt
    auto seen = co_await each.front->ask(clearing, watch);
    outage_.note(seen.kind, seen.sent_at, seen.why);
    give_up_after(seen.kind, seen.why);
    co_return seen;
}

boost::asio::awaitable<shared_failure> joint_claim::look_at(std::string session) {
    const auto sent = core_->now();
    outage_.asked();
    auto watch = watched({outage_});
    const auto unseen = co_await core_->remotes().look(std::move(session), &watch);
    auto why = unseen ? std::make_shared<const failure>(*unseen) : nullptr;
    outage_.heard(sent, why);
    co_return why;
}

/// What resolves a claim on one item resolves it on all.
bool joint_claim::may_land() const {
    const auto unresolved = [&](const auto& each) { return each.front->machine().unresolved(*left_behind_); };
    return writing_ || unanswered_ || (left_behind_ && std::ranges::all_of(wanted_, unresolved));
}

failure joint_claim::or_doubt(failure why) const {
    if (!may_land() || why.code == errc::missing) return why;
    return in_doubt(std::move(why.details));
}

void joint_claim::fail(failure why) {
    served.complete_one(joint_served{.why = std::make_shared<const failure>(with_holder(wanted_, std::move(why)))});
    forsake();
}

void joint_claim::forsake() {
    if (!reserved_) return;
    for (auto& each : wanted_) each.front->forsake();
}

/// A request that would be refused again, or one more in an outage that has lasted too long.
void joint_claim::give_up_after(answer kind, const shared_failure& why) {
    if (kind != answer::rejected && !outage_.too_long()) return;
    fail(or_doubt(*why));
}

/// A try is told what stands in its way, be it other writes or silence; one answer that is lost is asked for once more.
void joint_claim::fail_try(answer kind, const shared_failure& why) {
    if (!once_) return;
    if (kind == answer::delayed && !unanswered_) fail(*why);
    if (++silent_ > 1) fail(or_doubt(*why));
}

/// All of the items or none. @returns the first that is in other hands.
std::optional<std::size_t> joint_claim::reserve() {
    for (auto busy = order_.begin(); busy != order_.end(); ++busy) {
        if (wanted_[*busy].front->reserve(claim_, came_)) continue;
        for (auto mine = order_.begin(); mine != busy; ++mine) wanted_[*mine].front->give_free({});
        return *busy;
    }
    reserved_ = true;
    return std::nullopt;
}

void joint_claim::give_free() {
    for (auto& each : wanted_) each.front->give_free({.kind = each.seen.kind, .lock = each.seen.lock});
    reserved_ = false;
    // While the items resolve it, the claim is no longer ours.
    if (std::exchange(unanswered_, false)) left_behind_ = std::exchange(claim_, std::nullopt);
}

boost::asio::awaitable<void> joint_claim::pause(std::chrono::nanoseconds time) {
    if (wanted()) co_await sleep_.wait_until(core_->now() + time);
}

// ---- waiting: nothing is reserved --------------------------------------------------------------------------

/// For others in this process, until the item is ours to take or nobody wants it any more.
boost::asio::awaitable<void> joint_claim::wait_here(std::size_t item) {
    auto& front = *wanted_[item].front;
    const bool behind_others = !front.line().lets(came_) || front.line().looks_out();
    if (once_ && behind_others) fail(or_doubt(of_item(wanted_[item], front.others_have_it())));
    const item_line::place place(front.line(), came_, sleep_);
    front.lined_up();
    behind_ = {.item = item, .made_before = front.requests_made(), .in_all = behind_.in_all};
    while (wanted() && refusals_ < protocol::refusals_together && !front.open_to(came_)) {
        // What is but being given back, or resolved, is soon known to be free; or the service does not answer.
        if (once_) {
            auto why = of_item(wanted_[item], front.in_vain(began_, false));
            const bool taken = front.machine().held() || front.busy(wanted_[item].access);
            if (taken || why.code != errc::wait_timeout) fail(or_doubt(std::move(why)));
            if (!wanted()) break;
        }
        if (const auto why = front.machine().forsaken()) {
            fail(or_doubt(*why));
            break;
        }
        // Readers that join one another may have it for ever, and so may single callers, who are served first.
        if (front.machine().read_here()) ++refusals_;
        const auto turns = front.machine().turns();
        co_await pause(front.item().longest_poll_interval);
        refusals_ += static_cast<unsigned>(front.machine().turns() - turns);
    }
    behind_ = {.in_all = behind_.in_all + front.requests_made() - behind_.made_before};
}

boost::asio::awaitable<void> joint_claim::wait_for(std::size_t item) {
    auto& each = wanted_[item];
    ++refusals_;
    if (once_) {
        const auto& others = each.front->machine().others();
        // By name: as a try for one item does.
        const auto* about = others ? core_->remotes().known(others->session) : nullptr;
        if (others && !others->session.empty() && !(about && about->looked_at())) co_await look_at(others->session);
        fail(or_doubt(of_item(each, each.front->others_have_it())));
    }
    const item_line::lookout looks(each.front->line(), sleep_);
    while (wanted() && refusals_ < protocol::refusals_together) {
        co_await pause(each.front->machine().time_to_next_look(each.seen.lock));
        auto seen = co_await ask(each, nullptr);
        if (seen.kind != answer::applied) continue;
        each.seen = std::move(seen);
        // The claim was given away: the next one tells.
        if (!claim_) co_return;
        each.next = each.front->machine().consider(each.seen.lock, *claim_, each.access);
        if (each.next.step == item_acquire_step::look) {
            const auto failed = co_await look_at(each.next.who.front());
            if (!failed) each.next = each.front->machine().consider(each.seen.lock, *claim_, each.access);
        }
        if (each.next.step != item_acquire_step::refuse && each.next.step != item_acquire_step::look) co_return;
        // Readers that come and go are kept out by an intent only, which whoever holds nothing cannot leave.
        if (!each.seen.lock.readers.empty()) ++refusals_;
    }
}

// ---- claiming: all items are reserved on entry, and none afterwards ------------------------------------------

void joint_claim::choose_claim() {
    protocol::claim next;
    for (const auto& each : wanted_) next.token = std::max(next.token, each.front->machine().next_token());
    next.token += protocol::token_lead(outrun_);
    next.attempt = core_->next_attempt();
    claim_ = next;
}

transact_write_items_request joint_claim::draft() {
    transact_write_items_request all;
    all.client_request_token = core_->world().new_id();
    for (const auto& each : wanted_) {
        auto take = each.front->requests().take(*claim_, each.next.form, each.front->item().most_readers);
        all.actions.emplace_back(as_action(std::move(take)));
    }
    return all;
}

void joint_claim::note_unanswered() {
    unanswered_ = true;
    for (auto& each : wanted_) each.front->machine().note_unanswered();
}

void joint_claim::note_absent(dynalease::time_point sent) {
    for (auto& each : wanted_) each.front->machine().note_absent(sent);
}

/// Sends the claim until it is granted, or certain not to be for now. @returns the item to wait for.
boost::asio::awaitable<std::optional<std::size_t>> joint_claim::claim_all() {
    for (auto& each : wanted_) {
        if (each.next.step != item_acquire_step::take) each.forget();
    }
    if (!claim_) choose_claim();
    auto sending = draft();
    auto drafted = core_->now();
    unsigned failures = 0;
    while (wanted()) {
        for (auto& each : wanted_) each.front->machine().stake(*claim_);
        const auto sent = core_->now();
        auto answered = co_await send(sending);
        if (!core_->may_write()) break;
        if (answered) {
            at_all().heard(answer::applied, sent, nullptr);
            // An earlier copy with the same client token may be the one that did it.
            note_absent(drafted);
            tell_take_overs();
            co_await take_home();
            co_return std::nullopt;
        }
        auto why = std::move(answered).error();
        if (why.outcome == outcome::unknown) note_unanswered();
        bool again = classify(why) == answer::unanswered || classify(why) == answer::delayed;
        bool shown = false;
        const auto told = std::make_shared<const failure>(why);
        at_all().heard(why.code == errc::transaction_canceled ? answer::refused : classify(why), sent, told);
        if (why.code == errc::transaction_canceled) {
            again = read_reasons(wanted_, why, shown);
        } else if (again) {
            give_up_after(classify(why), told);
        }
        if (again && !shown) {
            if (why.code == errc::transaction_canceled) why.code = errc::transaction_conflict;
            fail_try(classify(why), std::make_shared<const failure>(why));
        }
        if (shown && again) {
            const auto meant = co_await decide_all();
            if (meant.step == acquire_all_step::granted) {
                co_await take_home();
                co_return std::nullopt;
            }
            note_absent(sent);
            if (meant.step == acquire_all_step::wait) {
                give_free();
                co_return meant.item;
            }
            if (meant.step == acquire_all_step::missing) {
                const auto& front = *wanted_[meant.item].front;
                why = failure(errc::missing);
                why.details.table = front.item().layout.table;
                why.details.key = front.name();
                why.details.message = "there is no item " + front.name() + " to lock";
                again = false;
            } else {
                sending = draft();
                drafted = core_->now();
            }
        }
        if (!again) {
            fail(or_doubt(std::move(why)));
            break;
        }
        if (!shown) co_await pause(retry_pause(failures++, core_->unit()));
    }
    give_free();
    co_return std::nullopt;
}

boost::asio::awaitable<result<transact_write_items_response>> joint_claim::send(transact_write_items_request copy) {
    const auto about = at_all();
    about.asked();
    auto watch = watched(about, &writing_);
    co_return co_await core_->target().call(std::move(copy), {.watch = &watch});
}

void joint_claim::tell_take_overs() {
    for (const auto& each : wanted_) {
        const auto from = protocol::taken_from(*core_, each.seen.lock, each.next.form);
        protocol::tell_take_over(*core_, each.front->name(), from);
    }
}

/// Takes away what is over, asks after holders that nothing is known of, and takes a new claim if this one is closed,
/// until it is clear what to do.
boost::asio::awaitable<acquire_all_decision> joint_claim::decide_all() {
    for (unsigned failures = 0;;) {
        std::vector<protocol::item_acquire_decision> each_of_them;
        for (auto& each : wanted_) {
            if (each.seen.kind == answer::refused || each.seen.kind == answer::applied) {
                each.next = each.front->machine().consider(each.seen.lock, *claim_, each.access);
            }
            each_of_them.push_back(each.next);
        }
        auto next = protocol::decide_acquire_all(each_of_them);
        if (next.step == acquire_all_step::renew) {
            for (auto& each : wanted_) each.front->machine().close_claim();
            unanswered_ = false;
            ++outrun_;
            choose_claim();
            continue;
        }
        if (next.step == acquire_all_step::clear && wanted()) {
            auto& each = wanted_[next.item];
            auto seen = co_await ask(each, &each.next);
            if (was_answered(seen.kind)) {
                each.seen = std::move(seen);
            } else if (wanted()) {
                fail_try(seen.kind, seen.why);
                co_await pause(retry_pause(failures++, core_->unit()));
            }
            continue;
        }
        if (next.step == acquire_all_step::look && wanted()) {
            const auto failed = co_await look_at(next.session);
            if (failed) fail_try(answer::delayed, failed);
            if (failed) co_await pause(retry_pause(failures++, core_->unit()));
            continue;
        }
        co_return next;
    }
}

/// The claim is granted. What is in the items is read in one go, and shows whether anybody has wiped a lock off since.
boost::asio::awaitable<void> joint_claim::take_home() {
    joint_reading reading(*core_, wanted_);
    for (unsigned failures = 0; core_->may_write() && wanted();) {
        const auto sent = core_->now();
        const auto about = at_all();
        about.asked();
        auto watch = watched(about);
        const auto unread = co_await reading.go_on({.watch = &watch});
        about.heard(unread ? classify(*unread) : answer::applied, sent, unread);
        if (reading.done()) break;
        if (unread) give_up_after(classify(*unread), unread);
        if (unread) fail_try(classify(*unread), unread);
        failures = unread ? failures + 1 : 0;
        co_await pause(retry_pause(failures, core_->unit()));
    }
    const bool ours = std::ranges::all_of(wanted_, [&](const auto& each) {
        return each.seen.whole && each.seen.lock.held_by(core_->id(), claim_->attempt);
    });
    if (!ours || !wanted()) {
        // Each item's implementation looks for what there is of the claim, and gives it back.
        note_unanswered();
        give_free();
        co_return;
    }
    reserved_ = false;
    joint_served all;
    for (auto& each : wanted_) all.granted.push_back(each.front->grant(std::move(each.seen)));
    unanswered_ = false;
    served.complete_one(std::move(all));
}

}  // namespace dynalease::detail
