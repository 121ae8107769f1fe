// One process of a queues' world: its machine, its session, its users of queues, and what its network tells.
#pragma once

#include "simulation/framework/session_watches.hpp"
#include "simulation/queue/user.hpp"
#include "simulation/queue/world.hpp"

#include <dynalease/session.hpp>
#include <dynalease/testing/node.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynalease::simulation::queues {

class site final : public testing::network_observer {
public:
    site(queue_world& where, std::size_t index);
    ~site() override;

    queue_world& world() noexcept { return world_; }
    testing::node& machine() noexcept { return machine_; }
    const std::string& name() const noexcept { return name_; }
    dynalease::session* session() noexcept { return session_ ? &*session_ : nullptr; }
    queue queue_of(std::size_t index);
    const std::vector<std::shared_ptr<user>>& users() const noexcept { return users_; }
    time_point clock_now() const noexcept { return machine_.environment().clock->now(); }
    bool live() const;
    /// Coroutines of users that stand somewhere.
    std::size_t frames = 0;

    /// Until when a turn of this session may be believed, by this machine's clock.
    time_point bound_of(const user::held_turn& turn) const;
    /// Its row was acknowledged: it lives as long as the session.
    bool is_written(const user::held_turn& turn) const;

    /// A session and its users, on a machine that runs.
    void open();
    void crash(bool same_owner, clock::duration down);
    /// After a crash, or a session that was lost.
    void reopen();
    /// User code that kept the loop busy goes on before any handler runs.
    void unblocked();
    void close();
    /// What is left of the program goes.
    void shut();
    bool closed() const noexcept { return closed_; }
    /// Since when nothing has kept this process from running, by its own clock.
    time_point undisturbed_since() const noexcept { return undisturbed_; }
    void note_disturbance() noexcept { undisturbed_ = clock_now(); }
    void user_gone();

    void sent(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    using ticket_name = std::pair<std::size_t, std::int64_t>;  ///< queue and number

    void check_state();
    void arm_reopening(clock::duration after);
    void head_updated(const testing::logged_request& entry, const update_item_request& write);
    void row_put(const testing::logged_request& entry, const item& row);
    void entered_together(const testing::logged_request& entry, const transact_write_items_request& request);
    void rows_deleted(const batch_write_item_request& request, const result<any_response>& answer);
    void note_acknowledged(const item& row);

    queue_world& world_;
    const std::size_t index_;
    const std::string name_;
    testing::node machine_;
    std::string owner_;
    std::uint64_t lives_ = 0;
    const std::chrono::milliseconds heartbeat_;
    session_watches watches_;
    std::optional<dynalease::session> session_;
    std::vector<std::shared_ptr<user>> users_;
    /// Which session sent what is still under way.
    std::unordered_map<const testing::logged_request*, std::string> senders_;
    std::map<std::string, time_point> first_sends_;  ///< of the request for a ticket, by attempt
    std::set<ticket_name> written_;                  ///< rows of this session that were acknowledged
    time_point undisturbed_{};
    bool closed_ = false;
};

}  // namespace dynalease::simulation::queues
