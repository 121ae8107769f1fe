// The life of a queue in one process: who is here, who is served, and how it ends with its session.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_impl.hpp"

#include "runtime/spawn.hpp"
#include "session/holder_words.hpp"
#include "session/protocol/session_words.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {
/// A head seen so lately is taken for the present one where a mistake costs a request, not a promise.
constexpr std::chrono::seconds lately{1};

protocol::queue_name split(const std::string& name) {
    const auto slash = name.find('/');
    return {.entity = name.substr(slash + 1), .reason = name.substr(0, slash)};
}
}  // namespace

queue_impl::queue_impl(session_impl& core, std::string name, const queue_options& options)
    : core_(core),
      registered_in_(core.weak_from_this()),
      name_(std::move(name)),
      queue_(split(name_)),
      options_(options),
      service_(core),
      lines_{.singly = draw_line(core.world().executor), .jointly = draw_line(core.world().executor)},
      examined_{.foremost = runtime::waiter_list<runtime::unit>(core.world().executor)},
      leftovers_(*this) {}

queue_impl::~queue_impl() {
    // Handles may let go of the session first.
    if (const auto core = registered_in_.lock()) core->members().forget(key());
}

std::string queue_impl::member_name(std::string_view entity, std::string_view reason) {
    std::string name(reason);
    name += '/';
    name += entity;
    return name;
}

bool queue_impl::start(boost::asio::awaitable<void> body) {
    return runtime::spawn_background(core_.world().executor, core_.members().running(), std::move(body));
}

const protocol::queue_head* queue_impl::fresh_head() const {
    return head_.known() && core_.now() - head_.seen_at() < lately ? &*head_ : nullptr;
}

// ---- who is in the way -------------------------------------------------------------------------------------

bool queue_impl::foremost_is_seen() const {
    return turn_.foremost.from <= head_->passed + 1 && turn_.foremost.ticket > head_->passed;
}

std::string queue_impl::turn_in_words() const {
    if (const auto hold = turn_.hold.lock()) {
        return "this process has had the turn for " + time_since(core_, hold->granted_at()) +
               "; a caller that has a turn and enters the queue again waits for itself";
    }
    if (!head_.known() || head_->free()) return {};
    const bool is_new = core_.now() - head_.moved_at() < std::chrono::milliseconds(1);
    const auto at_least =
        is_new ? " has the turn" : " has had the turn for at least " + time_since(core_, head_.moved_at());
    if (!foremost_is_seen() || turn_.foremost.is_void) return "ticket " + std::to_string(head_->passed + 1) + at_least;
    if (turn_.foremost.session == core_.id()) return {};
    return protocol::words_of_session(turn_.foremost.session, turn_.foremost.owner) + at_least;
}

std::string queue_impl::in_the_way(const queue_entrant* who) const {
    auto told = turn_in_words();
    if (!head_.known() || head_->free()) return told;
    const bool drawn = who && who->ticket->known();
    const auto before = drawn ? protocol::tickets_ahead(*head_, who->ticket->mine) : head_->outstanding();
    if (before < 1) return told;
    told += told.empty() ? "" : "; ";
    const auto tickets = before == 1 ? "1 ticket " : std::to_string(before) + " tickets ";
    if (!drawn) return told + tickets + (before == 1 ? "is in line" : "are in line");
    return told + tickets + (before == 1 ? "goes before this one" : "go before this one");
}

void queue_impl::note_wait() {
    if (!std::exchange(turn_.wait_noted, true)) core_.members().note_wait(weak_from_this());
}

bool queue_impl::tell_long_wait() {
    if (waiting_.empty()) {
        turn_.wait_noted = false;
        return false;
    }
    const auto hold = turn_.hold.lock();
    const auto since = hold ? hold->granted_at() : head_.moved_at();
    const bool long_ago = core_.now() - std::max(since, waiting_.begin()->second->came) >= core_.options().lease;
    const auto words = turn_in_words();
    if (!long_ago || words.empty() || std::exchange(turn_.long_wait_told, since) == since) return true;
    core_.log(hold ? severity::warning : severity::info,
              "queue '" + name_ + "': " + (hold ? "others" : "callers") +
                  " of this process wait in it longer than a lease: " + words);
    return true;
}

// ---- who is here -------------------------------------------------------------------------------------------

bool queue_impl::busy() const {
    return !turn_.hold.expired() || is_leaving() || !waiting_.empty() || drawn_.any_entering();
}

failure queue_impl::given_up(error_code waited, bool in_doubt, const queue_entrant& who) const {
    const auto last = service_.last_since(who.came);
    if (in_doubt) return last ? detail::in_doubt(last->details) : failure(errc::in_doubt);
    if (waited != boost::asio::error::timed_out) return failure(errc::cancelled);
    auto unheard = turn_.hold.expired() ? service_.unheard(who.came) : std::nullopt;
    return unheard ? *std::move(unheard) : others_go_before(&who);
}

failure queue_impl::refused(dynalease::time_point came) const {
    auto unheard = turn_.hold.expired() ? service_.unheard(came, false) : std::nullopt;
    return unheard ? with_last_seen(*std::move(unheard), turn_in_words()) : others_go_before(nullptr);
}

failure queue_impl::others_go_before(const queue_entrant* who) const {
    failure why(errc::wait_timeout);
    why.details.message = in_the_way(who);
    if (why.details.message.empty()) why.details.message = "others are entering it";
    return why;
}

void queue_impl::enter(std::shared_ptr<queue_entrant> who) {
    drawn_.begin_entering(*who);
    new_ticket(who);
    if (start(admit(self(), who))) return;
    drawn_.end_entering(*who);
    who->complete({{}, std::make_shared<const failure>(core_.over_failure())});
}

void queue_impl::new_ticket(const std::shared_ptr<queue_entrant>& who) {
    auto ticket = std::make_shared<drawn_ticket>(drawn_ticket{who->ticket->face});
    ticket->attempt = core_.world().new_id();
    drawn_.add(ticket, who);
    who->ticket = std::move(ticket);
}

bool queue_impl::gave_up(const std::shared_ptr<queue_entrant>& who) {
    drawn_.end_entering(*who);
    end_drawing(*who);
    const auto waits = waiting_.find(who->ticket->mine.ticket);
    if (waits != waiting_.end() && waits->second == who) {
        const bool lowest = waits == waiting_.begin();
        waiting_.erase(waits);
        if (lowest) new_lowest();
        begin_withdraw(who->ticket);
        if (watch_.sleep) watch_.sleep->wake();
        return false;
    }
    // Its admission is under way and will find out.
    return !who->ticket->known() && who->ticket->unanswered;
}

void queue_impl::expect(const std::shared_ptr<queue_entrant>& who, const std::string& attempt) {
    // Known before it is sent: whoever of us sees its row first must not take it for one that nobody wants.
    if (who->wanted()) drawn_.begin_entering(*who);
    who->ticket->attempt = attempt;
    drawn_.add(who->ticket, who);
}

void queue_impl::join(std::shared_ptr<queue_entrant> who, const protocol::queue_head& head, std::uint64_t asked) {
    who->ticket->row_sent = true;
    who->ticket->drawn_at = asked;
    // Computed, not seen: it counts as far as it shows more than is known.
    if (counts(*who->ticket)) {
        if (const auto seen = head_.made(head, core_.now())) note(*seen);
    }
    wait_in_line(who);
}

void queue_impl::wait_in_line(const std::shared_ptr<queue_entrant>& who) {
    drawn_.end_entering(*who);
    if (!who->wanted()) {
        begin_withdraw(who->ticket);
        return;
    }
    if (!counts(*who->ticket)) {
        draw_again(who);
        return;
    }
    const auto ticket = who->ticket->mine.ticket;
    waiting_.emplace(ticket, who);
    serve();
    if (waiting_.empty()) return;
    leftovers_.count_wait();
    note_wait();
    if (waiting_.begin()->first == ticket) {
        new_lowest();
        watch_.polls.look_now(core_.now());
    }
    watch_on();
}

void queue_impl::serve() {
    const auto before = waiting_.size();
    while (!waiting_.empty()) {
        const auto first = waiting_.begin()->second;
        const auto next = protocol::decide_poll(head_.known() ? &*head_ : nullptr, first->ticket->mine);
        if (next == protocol::poll_step::wait) break;
        if (next == protocol::poll_step::turn && head_.asked() < first->ticket->judged_from) break;
        waiting_.erase(waiting_.begin());
        if (next == protocol::poll_step::turn) {
            grant(first, {});
        } else {
            draw_again(first);
        }
    }
    if (waiting_.size() < before) new_lowest();
    if (watch_.sleep) watch_.sleep->wake();
}

void queue_impl::draw_again(const std::shared_ptr<queue_entrant>& who) {
    const auto former = who->ticket;
    if (!who->lose_all_places()) {
        ++who->places_lost;
        enter(who);
    }
    // Its row may stand there all the same: come back with an old table, or too late to be refused.
    if (former->mine.ticket <= head_->passed) {
        leftovers_.discard(former->mine.ticket);
    } else {
        begin_withdraw(former);
    }
}

void queue_impl::grant(const std::shared_ptr<queue_entrant>& who,
                       std::optional<dynalease::time_point> unwritten_until) {
    // Where nobody wants it any more, the turn's own end gives it back.
    const bool wanted = who->wanted() && core_.live();
    auto hold = std::make_shared<queue_hold>(core_.shared_from_this(), shared_from_this(), who->ticket, unwritten_until,
                                             wanted);
    turn_.hold = hold;
    drawn_.end_entering(*who);
    core_.counters().leases_held += wanted;
    core_.counters().acquired += wanted;
    const auto before = is_leaving() ? turn_.leaving.back().lock() : nullptr;
    if (before && wanted && who->ticket->mine.from <= before->passes() + 1) before->hand_over();
    if (unwritten_until) start(write_down_later(self(), hold));
    if (!waiting_.empty()) note_wait();
    auto turn = queue_hold::make_turn(std::move(hold));
    if (wanted) who->complete({std::move(turn), nullptr});
}

void queue_impl::end_turn(const std::shared_ptr<queue_hold>& hold) {
    hold->over().wake();
    if (turn_.hold.lock() != hold) return;
    turn_.hold.reset();
    core_.counters().leases_held -= hold->wanted();
}

// ---- the session's end -------------------------------------------------------------------------------------

void queue_impl::fail_waiting(const shared_failure& why) {
    const auto waiting = std::exchange(waiting_, {});
    for (const auto& [ticket, who] : waiting) {
        who->complete({{}, why});
        begin_withdraw(who->ticket);
    }
    if (watch_.sleep) watch_.sleep->wake();
}

void queue_impl::session_lost(const failure& why) {
    waiting_.clear();
    drawn_.fail_all(why);
    if (watch_.sleep) watch_.sleep->wake();
    const auto hold = turn_.hold.lock();
    if (!hold) return;
    end_turn(hold);
    hold->lose();
}

void queue_impl::session_drains(const failure& why) {
    drawn_.fail_all(why);
    fail_waiting(std::make_shared<const failure>(why));
}

void queue_impl::session_closes(const failure& why, bool release) {
    drawn_.fail_all(why);
    const auto waiting = std::exchange(waiting_, {});
    if (watch_.sleep) watch_.sleep->wake();
    leftovers_.hurry();
    const auto hold = turn_.hold.lock();
    const bool stays = hold && release && hold->in_use();
    const bool was_ours = hold && !stays && hold->let_go();
    if (was_ours) {
        hold->ends_by(grant_event::closed);
        end_turn(hold);
    }
    if (!release) {
        if (was_ours) hold->finish(why);
        return;
    }
    for (const auto& [ticket, who] : waiting) begin_withdraw(who->ticket);
    if (was_ours) leave(hold);
}

void queue_impl::list_grants(std::vector<std::shared_ptr<pending_release>>& into) const {
    if (auto hold = turn_.hold.lock()) into.push_back(std::move(hold));
    for (const auto& each : turn_.leaving) {
        if (auto hold = each.lock()) into.push_back(std::move(hold));
    }
}

}  // namespace dynalease::detail
