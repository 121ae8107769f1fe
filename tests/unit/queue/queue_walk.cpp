// Processes that enter one queue, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#include "queue_walk.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::protocol::test {

namespace {
constexpr auto long_ago = time_point{};
constexpr auto now = time_point(std::chrono::hours(1));
const ticket_face face{.owner = "walk", .since = {}, .data = {}};
}  // namespace

queue_walk::queue_walk(const queue_rules& rules, std::uint64_t seed)
    : rules_(rules), random_(seed), fronts_(2 + seed % 2) {
    for (auto& each : fronts_) renew(each);
}

void queue_walk::renew(front& who) {
    who = front{};
    who.id = "session-" + std::to_string(++sessions_);
}

void queue_walk::begin(front& who) {
    auto fresh = front{};
    fresh.id = who.id;
    fresh.wants = who.wants;
    fresh.now = phase::drawing;
    fresh.attempt = "attempt-" + std::to_string(++attempts_);
    who = std::move(fresh);
}

std::optional<queue_head> queue_walk::head() {
    const auto found = world_.find(queue_head_key(name_));
    if (!found) return {};
    return parse_queue_head(*found).value();
}

void queue_walk::sight(front& who, const std::optional<queue_head>& shown, std::uint64_t asked) {
    const auto told = who.head.sight(shown, rules_.knows_order ? asked : who.head.count(), now);
    if (told && told->back) wrong_ = "an old answer was taken for a head that went back";
}

bool queue_walk::valid(const front& who) const {
    if (who.now == phase::held) return true;
    return who.now == phase::direct && (who.claim_running || !rules_.claim_ends);
}

// ---- the network -------------------------------------------------------------------------------------------

void queue_walk::send(std::size_t index, queue_write request) {
    if (auto* update = std::get_if<update_item_request>(&request)) rules_.change(*update);
    if (auto* put = std::get_if<put_item_request>(&request)) rules_.change_row(*put);
    fronts_[index].awaited = ++last_serial_;
    fronts_[index].asked = fronts_[index].head.count();
    flight_.push_back({std::move(request), index, fronts_[index].id, last_serial_});
}

void queue_walk::deliver(std::size_t index, bool lose_answer, bool keep_copy) {
    const auto what = flight_[index];
    if (!keep_copy) flight_.erase(flight_.begin() + static_cast<std::ptrdiff_t>(index));
    const auto before = head();
    const bool applied = std::visit([&](const auto& request) { return world_.applies(request); }, what.request);
    const auto after = head();
    const auto* put = std::get_if<put_item_request>(&what.request);
    if (applied && after)
        check_moved(before.value_or(queue_head{.tail = after->passed, .passed = after->passed}), *after);
    if (applied && put && find(put->new_item, attribute::void_ticket)) {
        const auto ticket = parse_ticket_row(put->new_item).value().ticket;
        if (put->condition_expression.find("#v") == std::string::npos) ++buried;
        for (const auto& who : fronts_) {
            const bool entered = who.mine && who.mine->ticket == ticket && who.now == phase::held;
            if (entered && who.id != what.session) wrong_ = "a ticket that was written down was buried";
        }
    }
    auto& who = fronts_[what.owner];
    if (who.id != what.session || who.awaited != what.serial) return;
    who.awaited.reset();
    if (lose_answer) {
        unanswered(who);
        return;
    }
    std::optional<item> row;
    if (put) row = world_.find({{"pk", put->new_item.at("pk")}, {"sk", put->new_item.at("sk")}});
    answered(who, applied, after, row);
}

void queue_walk::check_moved(const queue_head& before, const queue_head& after) {
    if (after.passed < before.passed) wrong_ = "passed fell";
    if (after.tail > before.tail) {
        if (before.last == after.last) wrong_ = "one attempt drew two tickets in a row";
        drawn_by_[after.tail] = after.last;
    }
    const auto row = world_.find(queue_head_key(name_));
    if (!after.free() && find(*row, attribute::time_to_live)) wrong_ = "a busy head has a ttl";
    for (const auto& who : fronts_) {
        const bool waits = who.now == phase::waiting || who.now == phase::held;
        if (waits && who.mine->ticket > before.passed && who.mine->ticket <= after.passed) {
            wrong_ = "a live ticket was passed over";
        }
    }
    if (after.passed > before.passed) passed_over += static_cast<unsigned>(after.passed - before.passed - 1);
}

void queue_walk::check_turns() {
    const auto count = std::count_if(fronts_.begin(), fronts_.end(), [&](const front& f) { return valid(f); });
    if (count > 1) wrong_ = "two valid turns";
}

// ---- answers -----------------------------------------------------------------------------------------------

void queue_walk::turn_begins(front& who, phase as) {
    who.now = as;
    ++turns;
    if (valid(who) && who.mine->ticket <= last_turn_) wrong_ = "a ticket did not rise";
    last_turn_ = std::max(last_turn_, who.mine->ticket);
}

void queue_walk::drawn(front& who, bool applied, const queue_head& head) {
    who.unanswered = false;
    const auto claim = who.claim_running || !rules_.claim_ends ? std::chrono::hours(2) : std::chrono::hours(0);
    const auto next = decide_ticket({applied, head, who.attempt, true, false, long_ago, now, claim});
    if (next == ticket_step::renew || next == ticket_step::exhausted) return begin(who);
    who.mine = last_place(head);
    if (next == ticket_step::direct) return turn_begins(who, phase::direct);
    who.now = phase::entering;
}

void queue_walk::answered(front& who, bool applied, const std::optional<queue_head>& head,
                          const std::optional<item>& row) {
    if (head) sight(who, head, who.asked);
    switch (who.now) {
        case phase::drawing:
            drawn(who, applied, head.value_or(*who.head));
            break;
        case phase::entering:
        case phase::direct: {
            const bool direct = who.now == phase::direct;
            const auto found = parse_ticket_row(row.value()).value();
            const bool entered = decide_entered(applied ? nullptr : &found, who.attempt) == entered_step::entered;
            if (direct) {
                who.now = entered && valid(who) ? phase::held : phase::giving_up;
            } else if (entered) {
                who.now = phase::waiting;
            } else {
                begin(who);
            }
            break;
        }
        case phase::waiting:
            // A ticket was buried, or `passed` was moved; which of both shows the next look.
            if (!applied) who.to_bury.clear();
            break;
        case phase::leaving: {
            const auto next = decide_leave({applied, head ? &*head : nullptr, *who.mine, who.left_sent});
            if (next == leave_step::lost) wrong_ = "a turn was lost";
            if (next == leave_step::done) who.now = phase::idle;
            break;
        }
        case phase::giving_up:
            if (!who.voided) {
                who.voided = true;
            } else {
                who.now = phase::idle;
            }
            break;
        default:
            break;
    }
}

void queue_walk::unanswered(front& who) {
    if (who.now == phase::drawing) who.unanswered = true;
    if (who.now == phase::leaving) {
        who.left_sent = true;
        if (!rules_.leaves_again) who.now = phase::idle;
    }
    if (who.now == phase::entering && !rules_.cancels_row_in_doubt) who.now = phase::idle;
    if (who.now == phase::giving_up && !rules_.voids_again && who.mine) who.now = phase::idle;
    if (who.now == phase::waiting) who.to_bury.clear();
}

// ---- steps -------------------------------------------------------------------------------------------------

bool queue_walk::claimed(std::int64_t ticket) const {
    const auto attempt = drawn_by_.find(ticket);
    return std::any_of(fronts_.begin(), fronts_.end(), [&](const front& who) {
        return who.claim_running && attempt != drawn_by_.end() && who.attempt == attempt->second;
    });
}

examine_decision queue_walk::examine(const front& who) {
    std::vector<seen_ticket> rows;
    const auto passed = who.head->passed;
    const auto until = who.mine->from;
    const auto page = world_.execute(requests_of(who).ahead(passed + 1, until - 1)).value();
    for (const auto& each : page.items) {
        auto row = parse_ticket_row(each).value();
        auto owner = over_sessions_.contains(row.session) ? owner_is::over : owner_is::other;
        if (row.session == who.id) owner = owner_is::ghost;
        if (!rules_.asks_session) owner = owner_is::over;
        if (!rules_.passes_void && row.is_void) row.is_void = false;
        rows.push_back({std::move(row), owner});
    }
    missing_tickets missing;
    for (auto ticket = passed + 1; ticket < until; ++ticket) {
        if (!rules_.waits_to_bury || !claimed(ticket)) missing.note(ticket, ticket, long_ago);
    }
    return decide_examine({passed, rows, until, missing, now, std::chrono::seconds(3)});
}

void queue_walk::wait(std::size_t index) {
    auto& who = fronts_[index];
    const auto requests = requests_of(who);
    if (!who.to_bury.empty()) {
        // All of them are void now: pass over them.
        const auto over = std::exchange(who.to_bury, {});
        if (over.front().ticket == who.head->passed + 1) send(index, requests.pass(over));
        return;
    }
    // What it acts on may be old: answers come late, and in any order.
    if (!who.looking && (chance(3) || calm_)) who.looking = front::look{head(), who.head.count()};
    if (who.looking && (chance(2) || calm_)) {
        const auto answer = *std::exchange(who.looking, std::nullopt);
        sight(who, answer.shown, answer.asked);
    }
    const auto next = decide_poll(&*who.head, *who.mine);
    if (next == poll_step::turn) return turn_begins(who, phase::held);
    if (next == poll_step::place_lost) return begin(who);
    const auto found = examine(who);
    if (!rules_.asks_for_turn && (found.step == examine_step::await || found.step == examine_step::bury)) {
        return turn_begins(who, phase::held);
    }
    if (found.step == examine_step::pass) send(index, requests.pass(found.places));
    if (found.step == examine_step::give_up) send(index, requests.cancel_written(found.places.front(), found.attempt));
    if (found.step == examine_step::bury) {
        const auto grave = found.graves.front();
        std::vector<place> before;
        for (const auto& each : found.places) {
            if (each.ticket < grave) before.push_back(each);
        }
        if (!before.empty()) return send(index, requests.pass(before));
        const std::vector first{found.places.front()};
        if (!rules_.buries) return send(index, requests.pass(first));
        who.to_bury = first;
        send(index, requests.bury(first.front().ticket));
    }
}

void queue_walk::give_up(std::size_t index) {
    auto& who = fronts_[index];
    who.claim_running = false;
    const auto requests = requests_of(who);
    if (!rules_.voids) who.voided = true;
    switch (decide_cancel({who.mine, who.unanswered, who.voided, *who.head})) {
        case cancel_step::ask:
            sight(who, head(), who.head.count());
            who.unanswered = false;
            if (who.head->last == who.attempt) who.mine = last_place(*who.head);
            return;
        case cancel_step::give_up:
            if (rules_.deletes) {
                return send(index,
                            delete_item_request{.table_name = table, .key = ticket_key(name_, who.mine->ticket)});
            }
            return send(index, requests.cancel(*who.mine, who.attempt));
        case cancel_step::pass:
            return send(index, requests.pass({*who.mine}));
        default:
            who.now = phase::idle;
    }
}

void queue_walk::step(std::size_t index) {
    auto& who = fronts_[index];
    if (!who.awaited && who.claim_running && chance(12)) who.claim_running = false;
    if (who.claim_running && chance(30)) who.claim_running = false;
    if (who.awaited) {
        if (!calm_ && chance(4)) {  // no answer in time, though the request may still arrive
            who.awaited.reset();
            unanswered(who);
        }
        return;
    }
    const bool cancels = !calm_ && chance(10);
    const auto requests = requests_of(who);
    switch (who.now) {
        case phase::idle:
            if (calm_ ? who.wants : chance(2)) begin(who);
            break;
        case phase::drawing:
            if (cancels) {
                who.now = phase::giving_up;
                break;
            }
            if (!who.unanswered) who.claim_running = true;  // from the first copy on
            if (const auto seen = head(); who.unanswered && seen && seen->last == who.attempt) {
                sight(who, seen, who.head.count());
                drawn(who, false, *seen);
                break;
            }
            send(index, requests.take(who.attempt, {}));
            break;
        case phase::entering:
            if (cancels) {
                who.now = rules_.cancels_row_in_doubt ? phase::giving_up : phase::idle;
                break;
            }
            send(index, requests.enter(*who.mine, who.attempt, face));
            break;
        case phase::waiting:
            if (cancels) {
                who.now = phase::giving_up;
                break;
            }
            wait(index);
            break;
        case phase::direct:
            if (!who.claim_running && rules_.claim_ends) {
                who.now = phase::giving_up;
            } else if (chance(2)) {
                send(index, requests.enter(*who.mine, who.attempt, face));
            } else if (chance(3) || calm_) {
                who.now = phase::leaving;
            }
            break;
        case phase::held:
            if (chance(3) || calm_) who.now = phase::leaving;
            break;
        case phase::leaving: {
            who.wants = false;
            const bool idle = who.head->tail == who.mine->ticket && chance(2);
            const auto pace = std::chrono::milliseconds(100);
            send(index,
                 idle ? requests.leave_idle({*who.mine}, pace, 9'000'000'000) : requests.leave({*who.mine}, pace));
            break;
        }
        case phase::giving_up:
            give_up(index);
            break;
    }
}

void queue_walk::come_to_rest() {
    calm_ = true;
    // One more comes, whom everything that was left behind would keep waiting.
    auto& last = fronts_.emplace_back();
    renew(last);
    last.wants = true;
    const auto busy = [&] {
        return !flight_.empty() || std::any_of(fronts_.begin(), fronts_.end(),
                                               [](const front& f) { return f.now != phase::idle || f.wants; });
    };
    for (unsigned round = 0; round < 300 && busy() && wrong_.empty(); ++round) {
        while (!flight_.empty() && wrong_.empty()) deliver(random_() % flight_.size(), false, false);
        for (std::size_t i = 0; i < fronts_.size(); ++i) {
            if (i + 1 < fronts_.size()) fronts_[i].wants = false;
            step(i);
            check_turns();
        }
    }
    if (wrong_.empty() && busy()) wrong_ = "somebody waits for ever";
}

std::string queue_walk::run(unsigned steps) {
    for (unsigned i = 0; i < steps && wrong_.empty(); ++i) {
        if (!flight_.empty() && chance(3)) {
            deliver(random_() % flight_.size(), chance(4), chance(4));
            if (flight_.size() > 6) {
                const auto victim = random_() % flight_.size();
                auto& owner = fronts_[flight_[victim].owner];
                if (owner.awaited == flight_[victim].serial) {
                    owner.awaited.reset();
                    unanswered(owner);
                }
                flight_.erase(flight_.begin() + static_cast<std::ptrdiff_t>(victim));
            }
        } else if (chance(60)) {
            auto& lost = fronts_[random_() % fronts_.size()];
            over_sessions_.insert(lost.id);
            renew(lost);
        } else {
            step(random_() % fronts_.size());
        }
        check_turns();
    }
    if (wrong_.empty()) come_to_rest();
    return wrong_;
}

}  // namespace dynalease::protocol::test
