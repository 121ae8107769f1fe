// One process of a queues' world: its session, its users of queues, and what its network tells.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/watched_process.hpp"
#include "simulation/queue/open_writes.hpp"
#include "simulation/queue/row_name.hpp"
#include "simulation/queue/user.hpp"
#include "simulation/queue/world.hpp"

#include <dynalease/queue.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace dynalease::simulation::queues {

class process final : public watched_process<user> {
public:
    process(queue_world& where, std::size_t index);

    queue_world& world() noexcept { return world_; }
    queue queue_of(std::size_t index);

    /// Which of this process's sessions drew its ticket; the present one if none did.
    std::string session_of(const user::held_turn& turn) const;
    /// Until when a turn of this session may be believed, by this machine's clock.
    time_point bound_of(const user::held_turn& turn) const;
    /// Its row was acknowledged: it lives as long as the session.
    bool is_written(const user::held_turn& turn) const;

    bool is_own(const std::string& session) const { return own_sessions_.contains(session); }
    /// A caller's entry has ended: whether what it was told is what is known of its ticket.
    void check_told_entry(bool all, std::size_t queue, const error_code& code);
    /// The same of a leaving. @param cancelled by the caller, perhaps: it goes on in the background.
    void check_told_leave(const user::held_turn& turn, bool cancelled, const error_code& code);

    void sent(const testing::logged_request& entry, const any_request& request) override;
    void failed(const testing::logged_request& entry, const any_request& request, const failure& why) override;
    void sent_again(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    using ticket_name = std::pair<std::size_t, std::int64_t>;  ///< queue and number

    void begin() override;
    void forget_calls();
    /// Of what a former life asked for nothing is open any more.
    void note_life();
    void head_updated(const testing::logged_request& entry, const update_item_request& write);
    void row_put(const testing::logged_request& entry, const item& row);
    void entered_together(const testing::logged_request& entry, const transact_write_items_request& request);
    void rows_deleted(const batch_write_item_request& request, const result<any_response>& answer);
    void note_acknowledged(const item& row);
    /// Which of the sessions that this process has begun.
    std::string sender_of(const any_request& request);
    void check_place(const item& row, const row_name& place);
    bool stands(std::size_t queue, std::int64_t ticket) const;

    queue_world& world_;
    /// Which session sent what is still under way.
    std::unordered_map<const testing::logged_request*, std::string> senders_;
    std::set<std::string> own_sessions_;             ///< of this process, one after the other
    std::map<std::string, std::string> drawers_;     ///< by attempt: the session that sent it first
    std::map<std::string, time_point> first_sends_;  ///< of the request for a ticket, by attempt
    std::set<ticket_name> written_;                  ///< rows of this session that were acknowledged
    std::set<std::string> carried_out_;              ///< tokens of transactions with a fence
    queue_options options_{};
    open_writes open_;
    std::set<const testing::logged_request*> paused_;  ///< between two attempts, of which the first has failed
    std::uint64_t life_ = 1;                           ///< whose they are
    std::map<std::size_t, std::size_t> doubted_;  ///< entries told in doubt whose tickets may be open still, by queue
    std::map<std::pair<std::int64_t, std::size_t>, std::int64_t> places_;  ///< of a call in a queue: its ticket
};

}  // namespace dynalease::simulation::queues
