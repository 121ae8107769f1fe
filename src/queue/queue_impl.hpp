// The one place of a process for one queue: its entrants, its watch, its turn.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "queue/draw_line.hpp"
#include "queue/drawn_tickets.hpp"
#include "queue/protocol/head_sights.hpp"
#include "queue/protocol/known_places.hpp"
#include "queue/protocol/poll_plan.hpp"
#include "queue/protocol/queue_decisions.hpp"
#include "queue/protocol/queue_times.hpp"
#include "queue/queue_entrant.hpp"
#include "queue/queue_hold.hpp"
#include "queue/queue_leftovers.hpp"
#include "runtime/alarm.hpp"
#include "runtime/waiter_list.hpp"
#include "session/protocol/outage.hpp"
#include "session/session_impl.hpp"
#include "session/watched_call.hpp"

#include <dynalease/queue/queue.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::detail {

/// An entrant draws its ticket and writes it down in a coroutine of its own; then it waits in `waiting_`, and one watch
/// looks at the table for the lowest of them all. A turn that is held costs no coroutine once it is written down.
/// What must happen after the caller has gone (giving up a ticket, leaving) runs as work of the session.
class queue_impl final : public session_member, public std::enable_shared_from_this<queue_impl> {
public:
    static constexpr char membership{};  ///< its address is the kind of member

    /// @param name the reason, '/', and the entity.
    queue_impl(session_impl& core, std::string name, const queue_options& options);
    ~queue_impl() override;

    static std::string member_name(std::string_view entity, std::string_view reason);
    const protocol::queue_name& queue() const noexcept { return queue_; }
    member_key key() const noexcept override { return {&membership, name_}; }
    protocol::queue_requests requests() const { return {core_.options().table, queue_, core_.id()}; }

    /// The same queue in another life of its session.
    std::shared_ptr<queue_impl> in(session_impl& life) const {
        return life.members().member<queue_impl>(name_, options_);
    }

    // ---- the database's executor ----
    /// Ours, or wanted by others in this process: a try need not ask the table.
    bool busy() const;
    void enter(std::shared_ptr<queue_entrant> who);
    bool tell_long_wait() override;
    bool unsettled() const override { return is_leaving() || drawn_.any_withdrawing(); }
    const std::string& title() const noexcept override { return queue_.entity; }
    /// Its ticket is about to be drawn and written down, together with others.
    void expect(const std::shared_ptr<queue_entrant>& who, const std::string& attempt);
    /// That was done. @param head as it made it. @param asked `sights` when the first copy was sent.
    void join(std::shared_ptr<queue_entrant> who, const protocol::queue_head& head, std::uint64_t asked);
    /// The entrant's caller has gone. @returns whether its ticket is in doubt; it is resolved in the background.
    bool gave_up(const std::shared_ptr<queue_entrant>& who);
    /// Why that entrant has nothing whose wait ended with `waited`: the table in `dynalease/error.hpp`.
    failure given_up(error_code waited, bool in_doubt, const queue_entrant& who) const;
    /// Who has the turn, and how many go before it, as far as it is known here.
    /// @param who null: it never drew a ticket
    failure others_go_before(const queue_entrant* who) const;
    /// Why somebody who came then knows nothing. Empty: he was answered.
    std::optional<failure> unheard(dynalease::time_point came) const { return service_.unheard(came); }
    /// Why a try has nothing that came then, and found others: they have it, or nobody answers them.
    failure refused(dynalease::time_point came) const;
    /// @param who as above
    std::string in_the_way(const queue_entrant* who) const;
    /// Who has the turn. Empty: nothing is known of it.
    std::string turn_in_words() const;
    /// Who has the turn is being found out for a try that came then, and was refused: ends when it is known, and soon.
    boost::asio::awaitable<void> see_holder(dynalease::time_point came);
    /// Those before may be dead.
    void examine_soon();
    /// A request about the queue leaves, by whoever enters several.
    void asked_jointly() {
        ++joint_requests_;
        service_.asked();
    }
    /// ... and has ended that was sent then. @param why null: it was answered
    void heard(dynalease::time_point sent, const shared_failure& why) { service_.heard(sent, why); }
    /// How many were sent about the queue.
    unsigned requests_made() const noexcept { return service_.requests(); }
    /// ... and of those, about others, too.
    unsigned joint_requests_made() const noexcept { return joint_requests_; }
    void leave(const std::shared_ptr<queue_hold>& hold);
    /// The head, if it was seen within the last second.
    const protocol::queue_head* fresh_head() const;
    /// Counts what was seen of the head: an answer is newer than all that if nothing was seen since it was asked for.
    std::uint64_t sights() const noexcept { return head_.count(); }
    /// @param asked `sights` when the request was sent whose answer this is.
    void sight(const std::optional<protocol::queue_head>& head, std::uint64_t asked);
    /// Callers here that enter several queues draw one after the other: none makes another's number void.
    draw_line& drawing_jointly() noexcept { return lines_.jointly; }
    void session_lost(const failure& why) override;
    void session_drains(const failure& why) override;
    void session_closes(const failure& why, bool release) override;
    void list_grants(std::vector<std::shared_ptr<pending_release>>& into) const override;

    /// One answer about the head row.
    struct head_answer {
        answer kind = answer::delayed;
        std::optional<protocol::queue_head> head{};
        shared_failure why{};
        bool doubtful = false;    ///< refused after a copy without an answer, which may be the very reason
        std::uint64_t sight = 0;  ///< as of which of `sights` it tells
    };
    boost::asio::awaitable<head_answer> look();
    /// The rows of the tickets in [first, last] of one page, and whether there may be more.
    struct page {
        std::vector<protocol::seen_ticket> rows{};
        bool more = false;
        shared_failure why{};
    };
    boost::asio::awaitable<page> read_ahead(std::int64_t first, std::int64_t last,
                                            std::int32_t rows = protocol::page_of_rows);

private:
    struct row_answer {
        answer kind = answer::delayed;
        std::optional<protocol::ticket_row> found{};  ///< what a refusal showed
        shared_failure why{};
    };
    enum class written { yes, buried, not_yet, refused };

    // Requests: every sight of the head is taken in at once.
    boost::asio::awaitable<head_answer> send(update_item_request request);
    boost::asio::awaitable<head_answer> send(update_item_request request, watched_call& watch);
    boost::asio::awaitable<row_answer> put(put_item_request request, call_options options = {});
    head_answer read_head(answer kind, const item* shown, std::uint64_t asked);
    head_answer read_head_failure(failure why, std::uint64_t asked);
    boost::asio::awaitable<void> pause(unsigned failures);
    void note(const protocol::head_sights::news& seen);
    void went_back();
    /// Its number was issued by the queue as it is: it was neither restored since nor made anew.
    bool counts(const drawn_ticket& ticket) const noexcept { return ticket.drawn_at >= head_.began(); }
    protocol::owner_is owner_of(const protocol::ticket_row& row);

    // Entering.
    std::optional<protocol::ticket_step> found_others(queue_entrant& who, const protocol::queue_head& shown);
    bool bears_silence(const queue_entrant& who) const {
        return who.until_known && service_.is_borne(who.came, core_.options().lease);
    }
    boost::asio::awaitable<bool> ask_who_lives(std::shared_ptr<queue_entrant> who);
    const std::string* first_of_others(const std::vector<protocol::seen_ticket>& line) const;
    protocol::ask_step decide_ask(queue_entrant& who, const std::vector<protocol::seen_ticket>& line);
    boost::asio::awaitable<void> admit(queue_target self, std::shared_ptr<queue_entrant> who);
    boost::asio::awaitable<std::optional<protocol::ticket_step>> draw(std::shared_ptr<queue_entrant> who);
    boost::asio::awaitable<head_answer> ask_for_ticket(std::shared_ptr<queue_entrant> who, bool again);
    boost::asio::awaitable<std::optional<protocol::queue_head>> still_busy();
    boost::asio::awaitable<written> write_down(const std::shared_ptr<queue_entrant>& who);
    boost::asio::awaitable<written> put_row(std::shared_ptr<drawn_ticket> ticket, shared_failure& why,
                                            call_options options = {});
    void new_ticket(const std::shared_ptr<queue_entrant>& who);
    void end_drawing(queue_entrant& who);
    void wait_in_line(const std::shared_ptr<queue_entrant>& who);
    void grant(const std::shared_ptr<queue_entrant>& who, std::optional<dynalease::time_point> unwritten_until);
    void serve();
    void note_wait();
    void draw_again(const std::shared_ptr<queue_entrant>& who);

    // Holding, and the ends of it.
    boost::asio::awaitable<void> write_down_later(queue_target self, std::shared_ptr<queue_hold> hold);
    boost::asio::awaitable<void> give_turn_back(queue_target self, std::shared_ptr<queue_hold> hold);
    boost::asio::awaitable<void> withdraw(queue_target self, std::shared_ptr<drawn_ticket> ticket);
    void begin_withdraw(std::shared_ptr<drawn_ticket> ticket);
    void end_turn(const std::shared_ptr<queue_hold>& hold);
    /// Counts how it was given back, and has it told so.
    void tell_left(queue_hold& hold);
    void has_left(const std::shared_ptr<queue_hold>& hold);
    void lose_turn(const std::shared_ptr<queue_hold>& hold, std::string_view why);
    /// ... as the log is told, and whoever leaves it.
    failure turn_lost(std::string_view why) const;

    // Watching.
    void watch_on();
    boost::asio::awaitable<void> watch(queue_target self);
    boost::asio::awaitable<void> poll();
    boost::asio::awaitable<void> look_at_blocker();
    /// @returns the first page of what stands before `until`, or why there is none
    boost::asio::awaitable<page> examine(std::int64_t until, bool sample);
    boost::asio::awaitable<void> look_at_sessions(const std::vector<protocol::seen_ticket>& rows, std::int64_t until);
    boost::asio::awaitable<bool> carry_out(protocol::examine_decision next);
    boost::asio::awaitable<bool> pass_over(std::vector<protocol::place> over);
    boost::asio::awaitable<bool> bury(std::vector<std::int64_t> missing);
    bool foremost_is_seen() const;
    boost::asio::awaitable<void> examine_for_try(queue_target self);
    void plan_poll();
    protocol::poll_plan::line line() const;
    protocol::poll_plan::limits pace_limits();
    void new_lowest();
    void found_gone(std::int64_t ticket);
    std::int64_t ahead_of(const protocol::place& mine) const;
    void examine_again(std::chrono::nanoseconds after);
    bool blocked_by_ourselves() const;
    dynalease::time_point blocker_due();
    void fail_waiting(const shared_failure& why);

    // Cleaning up.
    boost::asio::awaitable<void> usher(queue_target self);
    boost::asio::awaitable<void> rest(queue_target self, std::int64_t tail);
    void after_moving();
    bool has_turn() const;
    bool is_leaving() const noexcept { return !turn_.leaving.empty(); }

    friend class queue_leftovers;
    bool start(boost::asio::awaitable<void> body);
    queue_target self() { return {core_.shared_from_this(), shared_from_this()}; }
    std::chrono::nanoseconds time_to_bury() const { return protocol::bury_after(core_.options().clock_drift_ppm); }
    std::int64_t expiry() const { return protocol::idle_head_expiry(core_.wall(), head_->tail); }

    session_impl& core_;
    const std::weak_ptr<session_impl> registered_in_;
    const std::string name_;
    const protocol::queue_name queue_;
    const queue_options options_;

    // What is seen.
    protocol::head_sights head_;
    protocol::known_places places_;
    protocol::outage service_;
    unsigned joint_requests_ = 0;

    // Who is here.
    drawn_tickets drawn_;
    std::map<std::int64_t, std::shared_ptr<queue_entrant>> waiting_;
    struct {
        std::weak_ptr<queue_hold> hold;
        std::vector<std::weak_ptr<queue_hold>> leaving;  ///< those that are being given back
        protocol::ticket_row foremost;                   ///< the row before all others, as last seen
        bool wait_noted = false;  ///< the session asks from time to time whether others wait too long
        /// Of a turn since then the log has been told that others wait for long.
        std::optional<dynalease::time_point> long_wait_told{};
    } turn_;
    struct {
        draw_line singly;   ///< in the order of their calls: so they get their tickets
        draw_line jointly;  ///< by those who enter several queues, this among them
    } lines_;

    // The watch.
    struct {
        bool on = false;
        std::optional<runtime::alarm> sleep;
        protocol::poll_plan polls;
    } watch_;
    struct {
        std::optional<std::int64_t> passed{};  ///< its value when the rows were examined last
        dynalease::time_point next{};
        std::optional<dynalease::time_point> look_again{};  ///< when there may be more to find out than now
        std::string blocker{};                              ///< the session that has the turn, or delays it
        dynalease::time_point blocked_since{};
        struct {
            bool running = false;
            dynalease::time_point next{};
        } for_try{};
        runtime::waiter_list<runtime::unit> foremost;  ///< who has the turn is known, or is not found out
    } examined_;

    queue_leftovers leftovers_;
};

}  // namespace dynalease::detail
