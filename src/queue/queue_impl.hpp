// The one place of a process for one queue: its entrants, its watch, its turn.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/place_teller.hpp"
#include "queue/queue_admission.hpp"
#include "queue/queue_callers.hpp"
#include "queue/queue_departures.hpp"
#include "queue/queue_leftovers.hpp"
#include "queue/queue_mover.hpp"
#include "queue/queue_view.hpp"
#include "queue/queue_watch.hpp"
#include "session/session_impl.hpp"
#include "session/session_member.hpp"

#include <dynalease/queue/queue.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::detail {

/// An entrant is admitted in a coroutine of its own; then it waits, and one watch looks at the table for the lowest of
/// them all. A turn that is held costs no coroutine once it is written down. What must happen after the caller has gone
/// (giving up a ticket, leaving) runs as work of the session.
class queue_impl final : public session_member,
                         public std::enable_shared_from_this<queue_impl>,
                         private queue_view::watcher {
public:
    static constexpr char membership{};  ///< its address is the kind of member

    /// @param name the reason, '/', and the entity.
    queue_impl(session_impl& core, std::string name, const queue_options& options);
    ~queue_impl() override;

    static std::string member_name(std::string_view entity, std::string_view reason);
    const std::string& name() const noexcept { return name_; }
    const protocol::queue_name& queue() const noexcept { return view_.queue(); }
    member_key key() const noexcept override { return {&membership, name_}; }

    /// The same queue in another life of its session.
    std::shared_ptr<queue_impl> in(session_impl& life) const {
        return life.members().member<queue_impl>(name_, options_);
    }

    // ---- the database's executor ----
    queue_view& view() noexcept { return view_; }
    const queue_view& view() const noexcept { return view_; }
    /// Ours, or wanted by others in this process: a try need not ask the table.
    bool busy() const noexcept { return here_.any(); }
    /// A caller of this process has the turn.
    bool held_here() const noexcept { return !here_.turn.expired(); }
    void enter(std::shared_ptr<queue_entrant> who) { admission_.admit(std::move(who)); }
    /// Its ticket is about to be drawn and written down, together with others.
    void expect(const std::shared_ptr<queue_entrant>& who, const std::string& attempt);
    /// That was done. @param head as it made it. @param asked the count of the head's sights when the first copy was
    /// sent
    void join(std::shared_ptr<queue_entrant> who, const protocol::queue_head& head, std::uint64_t asked);
    /// Callers here that enter several queues draw one after the other: none makes another's number void.
    draw_line& drawing_jointly() noexcept { return admission_.drawing_jointly(); }
    /// The entrant's caller has gone. @returns whether its ticket is in doubt; it is resolved in the background.
    bool gave_up(const std::shared_ptr<queue_entrant>& who);
    void leave(const std::shared_ptr<queue_hold>& hold);
    /// Those before may be dead.
    void examine_soon() { watch_.examine_soon(); }

    // ---- what is told ----
    /// Why that entrant has nothing whose wait ended with `waited`: the table in `dynalease/error.hpp`.
    failure given_up(error_code waited, bool in_doubt, const queue_entrant& who) const;
    /// Why a try has nothing that came then, and found others: they have it, or nobody answers them.
    failure refused(dynalease::time_point came) const;
    /// Who has the turn, and how many go before it, as far as it is known here.
    /// @param who null: it never drew a ticket
    failure others_go_before(const queue_entrant* who) const;
    /// @param who as above
    std::string in_the_way(const queue_entrant* who) const;
    /// Who has the turn. Empty: nothing is known of it.
    std::string turn_in_words() const;
    /// Who has the turn is being found out for a try that came then, and was refused: ends when it is known, and soon.
    boost::asio::awaitable<void> see_holder(dynalease::time_point came) { return watch_.see_holder(came); }

    // ---- as a member of its session ----
    const std::string& title() const noexcept override { return queue().entity; }
    bool tell_long_wait() override;
    bool unsettled() const override { return here_.any_leaving() || here_.drawn.any_withdrawing(); }
    void session_lost(const failure& why) override;
    void session_drains(const failure& why) override;
    void session_closes(const failure& why, bool release) override;
    void list_grants(std::vector<std::shared_ptr<pending_release>>& into) const override { here_.list_grants(into); }

    // ---- what its parts ask of it ----
    queue_target self() { return {core_.shared_from_this(), shared_from_this()}; }
    /// As work of the session. @returns false where there is no memory for it
    bool start(boost::asio::awaitable<void> body);
    /// Its row is in the table.
    void wait_in_line(const std::shared_ptr<queue_entrant>& who);
    void grant(const std::shared_ptr<queue_entrant>& who, std::optional<dynalease::time_point> unwritten_until);
    void lose_turn(const std::shared_ptr<queue_hold>& hold, std::string_view why);
    void fail_waiting(const shared_failure& why);
    /// @returns when to call again
    dynalease::time_point tell_places() { return places_.tell(); }

private:
    void seen(const protocol::head_sights::news& what) override;
    void went_back();
    std::string words_of_turn() const;
    void serve();
    void draw_again(const std::shared_ptr<queue_entrant>& who);
    void end_turn(const std::shared_ptr<queue_hold>& hold);
    void note_wait();

    session_impl& core_;
    const std::weak_ptr<session_impl> registered_in_;
    const std::string name_;
    const queue_options options_;
    bool wait_noted_ = false;  ///< the session asks from time to time whether others wait too long
    /// Of a turn since then the log has been told that others wait for long.
    std::optional<dynalease::time_point> long_wait_told_{};

    // Each of its parts knows those before it.
    queue_callers here_;
    queue_view view_;
    place_teller places_;
    queue_leftovers leftovers_;
    queue_mover mover_;
    queue_watch watch_;
    queue_departures departures_;
    queue_admission admission_;
};

}  // namespace dynalease::detail
