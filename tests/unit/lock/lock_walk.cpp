// Processes that want one lock, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#include "lock_walk.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol::test {

namespace {
constexpr std::size_t copies_at_once = 10;

/// Refused, perhaps for a copy of itself.
failure doubtful(failure why) {
    why.outcome = outcome::unknown;
    return why;
}
}  // namespace

lock_walk::lock_walk(const walk_rules& rules, const walk_size& size, chooser choose)
    : rules_(rules), size_(size), choose_(std::move(choose)), processes_(size.processes) {
    if (size_.dead_holder) {
        const std::string gone = "session-" + std::to_string(++sessions_);
        world_.applies(lock_requests(table, name_, gone).take({.attempt = 1, .token = 1}, {}, {}));
        over_.insert(gone);
    }
    for (auto& who : processes_) who.walker = new_session();
}

std::unique_ptr<lock_walker> lock_walk::new_session() {
    return std::make_unique<lock_walker>(static_cast<walk_surroundings&>(*this),
                                         "session-" + std::to_string(++sessions_), name_);
}

// ---- what surrounds them -----------------------------------------------------------------------------------

wall_time lock_walk::wall() noexcept {
    // Tokens must rise all the same.
    return wall_time(std::chrono::milliseconds(size_.wrong_clocks ? choose_(3000, 0) : 0));
}

void lock_walk::send(const update_item_request& request) {
    flight_.push_back({request, acts_->walker->id(), ++last_serial_});
    rules_.change(flight_.back().request);
    acts_->awaited = last_serial_;
    acts_->resent = false;
}

void lock_walk::wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
}

// ---- what may happen ---------------------------------------------------------------------------------------

lock_walk::events lock_walk::possible() {
    events all;
    for (auto& who : processes_) add_events_of(who, all);
    for (std::size_t i = 0; i < flight_.size(); ++i) {
        all.ordinary.push_back([this, i] { deliver(i, false, false); });
        if (flight_.size() < copies_at_once) all.faults.push_back([this, i] { deliver(i, true, false); });
        all.faults.push_back([this, i] { deliver(i, false, true); });
    }
    if (faults_ >= size_.faults) all.faults.clear();
    return all;
}

void lock_walk::add_events_of(process& who, events& all) {
    auto& walker = *who.walker;
    const auto add = [&](std::vector<event>& where, event what) {
        where.push_back([this, &who, what = std::move(what)] { happen(who, what); });
    };
    const bool idle = walker.callers() == 0 && !walker.holds();
    for (const bool waits : {true, false}) {
        // A try is let in only where nobody waits, and who waits here is joined where a grant may be handed over.
        const bool let_in = idle || (waits && walker.holds() && walker.callers() == 0);
        if (callers_ == size_.callers || !let_in || (waits && size_.only_tries)) continue;
        add(all.ordinary, [this, &walker, waits] {
            ++callers_;
            walker.come(waits);
        });
    }
    if (walker.holds()) add(all.ordinary, [&walker] { walker.release(); });
    if (walker.paused()) {
        add(all.ordinary, [this, &walker] {
            now_ += walker.pause() * (size_.wrong_clocks ? 1 + choose_(5, 0) : 1);
            walker.wake();
        });
    }
    if (rules_.audits && walker.audit_is_due() && !in_flight(who)) add(all.ordinary, [&walker] { walker.audit(); });
    if (walker.callers() > 0) add(all.faults, [&walker] { walker.leave(); });
    if (walker.awaits_answer()) {
        all.faults.push_back([this, &who] { time_out(who); });
        all.faults.push_back([this, &who] {
            // The client sends it again within the call.
            const auto sent = std::ranges::find(flight_, who.awaited, &copy::serial);
            if (sent == flight_.end()) return time_out(who);
            who.resent = true;
            flight_.push_back(*sent);
        });
    }
    all.faults.push_back([this, &who] { end_session(who); });
}

void lock_walk::happen(process& who, const event& what) {
    acts_ = &who;
    what();
}

void lock_walk::deliver(std::size_t index, bool keep_copy, bool lose_answer) {
    const auto what = flight_[index];
    if (!keep_copy) flight_.erase(flight_.begin() + static_cast<std::ptrdiff_t>(index));
    const auto before = world_.lock(name_);
    auto answer = world_.execute(what.request);
    if (answer) check(what, before);
    if (!answer && answer.error().code != errc::condition_failed) wrong(answer.error().details.message);
    for (auto& who : processes_) {
        if (who.awaited != what.serial) continue;
        if (lose_answer) return time_out(who);
        if (!answer && who.resent) answer = doubtful(std::move(answer).error());
        who.awaited = 0;
        return happen(who, [&] { who.walker->answer(std::move(answer)); });
    }
}

void lock_walk::time_out(process& who) {
    who.awaited = 0;
    happen(who, [&] { who.walker->answer(failure(errc::timeout, outcome::unknown)); });
}

void lock_walk::end_session(process& who) {
    over_.insert(who.walker->id());
    buried_.push_back(std::exchange(who.walker, new_session()));
    who.awaited = 0;
}

// ---- what must hold ----------------------------------------------------------------------------------------

void lock_walk::check(const copy& what, const lock_row& before) {
    const auto after = world_.find(lock_key(name_));
    const auto row = parse_lock_row(after ? &*after : nullptr).value();
    if (row.floor < before.floor) wrong("the floor fell");
    if (row.holder && find(*after, attribute::time_to_live)) wrong("a held row has a ttl");
    if (!row.holder || row.holder == before.holder) return;
    ++grants;
    if (before.holder && before.holder->session != row.holder->session) ++take_overs;
    if (row.token <= highest_token_) wrong("a token did not rise");
    highest_token_ = std::max(highest_token_, row.token);
    const bool handed = before.holder && before.holder->session == row.holder->session;
    const bool dropped_head = what.request.values.contains(":head");
    if (!handed && !dropped_head && !before.line.empty() && !before.place_of(row.holder->session)) {
        wrong("a newcomer went before the line");
    }
}

void lock_walk::check_holders() {
    const auto row = world_.lock(name_);
    for (const auto& who : processes_) {
        const auto& walker = *who.walker;
        if (walker.holds() && !row.held_by(walker.id(), walker.holds()->attempt)) {
            wrong("a valid holder is not in the row");
        }
        if (walker.callers() > 0 && walker.at_rest() && !walker.holds()) {
            wrong("somebody waits, and nothing is done about it");
        }
        if (row.holder && row.holder->session == walker.id() && row.holder->attempt <= walker.ended()) {
            wrong("a grant that was given back holds the lock");
        }
    }
}

bool lock_walk::in_flight(const process& who) const {
    return std::ranges::find(flight_, who.walker->id(), &copy::session) != flight_.end();
}

bool lock_walk::busy() const {
    return !flight_.empty() || std::ranges::any_of(processes_, [&](const process& who) {
        return !who.walker->at_rest() || who.walker->holds() || (rules_.audits && who.walker->has_open_claim());
    });
}

void lock_walk::calm(process& who) {
    auto& walker = *who.walker;
    while (walker.callers() > 0) walker.leave();
    if (walker.holds()) walker.release();
    if (walker.paused()) {
        now_ += walker.pause();
        walker.wake();
    }
    if (walker.awaits_answer() && !in_flight(who)) time_out(who);
    if (rules_.audits && walker.audit_is_due() && !in_flight(who)) walker.audit();
}

void lock_walk::come_to_rest() {
    for (unsigned round = 0; round < 200 && busy() && wrong_.empty(); ++round) {
        while (!flight_.empty() && wrong_.empty()) deliver(choose_(flight_.size(), 0), false, false);
        for (auto& who : processes_) happen(who, [&] { calm(who); });
        check_holders();
    }
    if (!wrong_.empty()) return;
    if (busy()) return wrong("it does not come to rest");
    const auto row = world_.lock(name_);
    for (const auto& who : processes_) {
        if (row.place_of(who.walker->id())) wrong("a ghost stands in the line");
        if (row.holder && row.holder->session == who.walker->id()) wrong("a ghost holds the lock");
    }
}

std::string lock_walk::run() {
    for (unsigned i = 0; i < size_.steps && wrong_.empty(); ++i) {
        const auto all = possible();
        if (all.ordinary.empty() && all.faults.empty()) break;
        const auto next = choose_(all.ordinary.size(), all.faults.size());
        if (next < all.ordinary.size()) {
            all.ordinary[next]();
        } else {
            ++faults_;
            all.faults[next - all.ordinary.size()]();
        }
        check_holders();
    }
    if (wrong_.empty()) come_to_rest();
    return wrong_;
}

}  // namespace dynalease::protocol::test
