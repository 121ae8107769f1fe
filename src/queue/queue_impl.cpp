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
protocol::queue_name split(const std::string& name) {
    const auto slash = name.find('/');
    return {.entity = name.substr(slash + 1), .reason = name.substr(0, slash)};
}
}  // namespace

queue_impl::queue_impl(session_impl& core, std::string name, const queue_options& options)
    : core_(core),
      registered_in_(core.weak_from_this()),
      name_(std::move(name)),
      options_(options),
      view_(core, split(name_), here_.drawn, *this),
      places_(core, view_, here_),
      leftovers_(core, *this, view_),
      mover_(core, *this, view_, here_, leftovers_),
      watch_(core, *this, view_, here_, mover_, options_),
      departures_(core, *this, view_, here_, leftovers_, mover_, watch_),
      admission_(core, *this, view_, here_, watch_, departures_, options_) {}

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

// ---- who is in the way -------------------------------------------------------------------------------------

std::string queue_impl::words_of_turn() const {
    const auto& head = view_.head();
    return " " + words_of_sight(core_, {"has the turn", "has had the turn", "had the turn"},
                                {head.moved_at(), head.seen_at()});
}

std::string queue_impl::turn_in_words() const {
    if (const auto hold = here_.turn.lock()) {
        return "this process has had the turn for " + time_since(core_, hold->granted_at()) + " under token " +
               std::to_string(hold->token()) + "; whoever enters the queue in that turn waits for itself";
    }
    const auto& head = view_.head();
    if (!head.known() || head->free()) return {};
    const auto* first = view_.foremost();
    if (first == nullptr || first->is_void) return "ticket " + std::to_string(head->passed + 1) + words_of_turn();
    if (first->session == core_.id()) return {};
    return protocol::words_of_session(first->session, first->owner) + words_of_turn() +
           words_of_heartbeat(core_, first->session);
}

std::string queue_impl::in_the_way(const queue_entrant* who) const {
    auto told = turn_in_words();
    const auto& head = view_.head();
    if (!head.known() || head->free()) return told;
    const bool drawn = who && who->ticket->known();
    // Of others that were given up it is known once their rows were looked at.
    const auto over = view_.places().over_before(drawn ? who->ticket->mine.from : head->tail + 1);
    const auto before = (drawn ? protocol::tickets_ahead(*head, who->ticket->mine) : head->outstanding()) - over;
    if (before < 1) return told;
    told += told.empty() ? "" : "; ";
    const auto tickets = before == 1 ? "1 ticket " : "up to " + std::to_string(before) + " tickets ";
    told += tickets + (drawn ? (before == 1 ? "goes before this one" : "go before this one")
                             : (before == 1 ? "is in line" : "are in line"));
    return told + ", that of the turn included";
}

void queue_impl::note_wait() {
    if (!std::exchange(wait_noted_, true)) core_.members().note_wait(weak_from_this());
}

bool queue_impl::tell_long_wait() {
    if (here_.waiting.empty()) {
        wait_noted_ = false;
        return false;
    }
    const auto hold = here_.turn.lock();
    const auto since = hold ? hold->granted_at() : view_.head().moved_at();
    const bool long_ago = core_.now() - std::max(since, here_.waiting.begin()->second->came) >= core_.options().lease;
    const auto words = turn_in_words();
    if (!long_ago || words.empty() || std::exchange(long_wait_told_, since) == since) return true;
    core_.log(hold ? severity::warning : severity::info,
              "queue '" + name_ + "': " + (hold ? "others" : "callers") +
                  " of this process wait in it longer than a lease: " + words);
    return true;
}

// ---- who is here -------------------------------------------------------------------------------------------

failure queue_impl::given_up(error_code waited, bool in_doubt, const queue_entrant& who) const {
    const auto last = view_.service().last_since(who.came);
    if (in_doubt) return last ? detail::in_doubt(last->details) : failure(errc::in_doubt);
    if (waited != boost::asio::error::timed_out) return failure(errc::cancelled);
    auto unheard = here_.turn.expired() ? view_.service().unheard(who.came) : std::nullopt;
    return unheard ? *std::move(unheard) : others_go_before(&who);
}

failure queue_impl::refused(dynalease::time_point came) const {
    auto unheard = here_.turn.expired() ? view_.service().unheard(came, false) : std::nullopt;
    return unheard ? with_last_seen(*std::move(unheard), turn_in_words()) : others_go_before(nullptr);
}

failure queue_impl::others_go_before(const queue_entrant* who) const {
    failure why(errc::wait_timeout);
    why.details.message = in_the_way(who);
    if (why.details.message.empty()) why.details.message = "others are entering it";
    return why;
}

bool queue_impl::gave_up(const std::shared_ptr<queue_entrant>& who) {
    here_.drawn.end_entering(*who);
    admission_.end_drawing(*who);
    const auto waits = here_.waiting.find(who->ticket->mine.ticket);
    if (waits != here_.waiting.end() && waits->second == who) {
        const bool lowest = waits == here_.waiting.begin();
        here_.waiting.erase(waits);
        if (lowest) watch_.new_lowest();
        departures_.withdraw(who->ticket);
        watch_.wake();
        return false;
    }
    // Its admission is under way and will find out.
    return !who->ticket->known() && who->ticket->unanswered;
}

void queue_impl::expect(const std::shared_ptr<queue_entrant>& who, const std::string& attempt) {
    // Known before it is sent: whoever of us sees its row first must not take it for one that nobody wants.
    if (who->wanted()) here_.drawn.begin_entering(*who);
    here_.drawn.begin_ticket(who, attempt);
}

void queue_impl::join(std::shared_ptr<queue_entrant> who, const protocol::queue_head& head, std::uint64_t asked) {
    who->ticket->row_sent = true;
    who->ticket->row_known = true;
    who->ticket->drawn_at = asked;
    if (view_.counts(*who->ticket)) view_.made(head);
    wait_in_line(who);
}

void queue_impl::wait_in_line(const std::shared_ptr<queue_entrant>& who) {
    here_.drawn.end_entering(*who);
    if (!who->wanted()) {
        departures_.withdraw(who->ticket);
        return;
    }
    if (!view_.counts(*who->ticket)) {
        draw_again(who);
        return;
    }
    const auto ticket = who->ticket->mine.ticket;
    const auto [place, is_first] = here_.waiting.emplace(ticket, who);
    if (!is_first) {
        // Issued twice, in answers that came in no order that tells which of the two counts: the table went back.
        const auto former = place->second;
        here_.waiting.erase(place);
        watch_.new_lowest();
        for (const auto& each : {former, who}) draw_again(each);
        return;
    }
    serve();
    if (here_.waiting.empty()) return;
    leftovers_.count_wait();
    note_wait();
    places_.stands_in_line(who);
    if (here_.waiting.begin()->first == ticket) {
        watch_.new_lowest();
        watch_.look_now();
    }
    watch_.begin();
}

void queue_impl::serve() {
    const auto before = here_.waiting.size();
    while (!here_.waiting.empty()) {
        const auto first = here_.waiting.begin()->second;
        const auto next = protocol::decide_poll(view_.head().known() ? &*view_.head() : nullptr, first->ticket->mine);
        if (next == protocol::poll_step::wait) break;
        if (next == protocol::poll_step::turn && view_.head().asked() < first->ticket->judged_from) break;
        here_.waiting.erase(here_.waiting.begin());
        if (next == protocol::poll_step::turn) {
            grant(first, {});
        } else {
            draw_again(first);
        }
    }
    if (here_.waiting.size() < before) watch_.new_lowest();
    watch_.wake();
}

void queue_impl::draw_again(const std::shared_ptr<queue_entrant>& who) {
    const auto former = who->ticket;
    if (!who->lose_all_places()) {
        ++who->places_lost;
        admission_.admit(who);
    }
    // Its row may stand there all the same: come back with an old table, or too late to be refused.
    if (former->mine.ticket <= view_.head()->passed) {
        leftovers_.discard(former->mine.ticket);
    } else {
        departures_.withdraw(former);
    }
}

void queue_impl::grant(const std::shared_ptr<queue_entrant>& who,
                       std::optional<dynalease::time_point> unwritten_until) {
    // Where nobody wants it any more, the turn's own end gives it back.
    const bool wanted = who->wanted() && core_.live();
    if (const auto former = here_.turn.lock()) lose_turn(former, "the queue is as it was before");
    auto hold = std::make_shared<queue_hold>(core_.shared_from_this(), shared_from_this(), who->ticket, unwritten_until,
                                             wanted);
    here_.turn = hold;
    here_.drawn.end_entering(*who);
    core_.counters().leases_held += wanted;
    core_.counters().acquired += wanted;
    const auto before = here_.any_leaving() ? here_.leaving.back().lock() : nullptr;
    if (before && wanted && who->ticket->mine.from <= before->passes() + 1) before->hand_over();
    if (unwritten_until) admission_.write_down_later(hold);
    if (!here_.waiting.empty()) note_wait();
    auto turn = queue_hold::make_turn(std::move(hold));
    if (wanted) who->complete({std::move(turn), nullptr});
}

void queue_impl::end_turn(const std::shared_ptr<queue_hold>& hold) {
    hold->over().wake();
    if (here_.turn.lock() != hold) return;
    here_.turn.reset();
    core_.counters().leases_held -= hold->wanted();
}

void queue_impl::lose_turn(const std::shared_ptr<queue_hold>& hold, std::string_view why) {
    end_turn(hold);
    if (!hold->lose(why)) return;
    departures_.turn_lost(why);
    departures_.withdraw(hold->ticket());
}

void queue_impl::leave(const std::shared_ptr<queue_hold>& hold) {
    end_turn(hold);
    departures_.leave(hold);
}

// ---- what is seen ------------------------------------------------------------------------------------------

void queue_impl::seen(const protocol::head_sights::news& what) {
    const auto& head = view_.head();
    if (head.known()) {
        if (what.back) went_back();
        if (what.moved) watch_.moved();
        const auto hold = here_.turn.lock();
        if (hold && head->passed >= hold->mine().ticket) {
            lose_turn(hold, "others passed it over");
        } else if (hold && !view_.counts(*hold->ticket())) {
            lose_turn(hold, "the queue is as it was before");
        }
    }
    // Before the watch is woken, which tells them.
    places_.head_seen();
    // Where somebody has deleted the row, whoever waits begins again.
    serve();
}

// What we know of its rows counts no more, and who waits with a number that was issued since has lost its place.
void queue_impl::went_back() {
    core_.log(severity::warning, "queue '" + name_ + "' is as it was before: those who wait draw new tickets");
    watch_.forget();
    const auto waiting = std::exchange(here_.waiting, {});
    for (const auto& [ticket, who] : waiting) draw_again(who);
}

// ---- the session's end -------------------------------------------------------------------------------------

void queue_impl::fail_waiting(const shared_failure& why) {
    const auto waiting = std::exchange(here_.waiting, {});
    for (const auto& [ticket, who] : waiting) {
        who->complete({{}, why});
        departures_.withdraw(who->ticket);
    }
    watch_.wake();
}

void queue_impl::session_lost(const failure& why) {
    here_.waiting.clear();
    here_.drawn.fail_all(why);
    watch_.wake();
    const auto hold = here_.turn.lock();
    if (!hold) return;
    end_turn(hold);
    hold->lose();
}

void queue_impl::session_drains(const failure& why) {
    here_.drawn.fail_all(why);
    fail_waiting(std::make_shared<const failure>(why));
}

void queue_impl::session_closes(const failure& why, bool release) {
    here_.drawn.fail_all(why);
    const auto waiting = std::exchange(here_.waiting, {});
    watch_.wake();
    leftovers_.hurry();
    const auto hold = here_.turn.lock();
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
    for (const auto& [ticket, who] : waiting) departures_.withdraw(who->ticket);
    if (was_ours) leave(hold);
}

}  // namespace dynalease::detail
