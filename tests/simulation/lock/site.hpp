// One process of a lock's world: its machine, its session, its users of locks, and what its network tells.
#pragma once

#include "simulation/framework/session_watches.hpp"
#include "simulation/lock/user.hpp"
#include "simulation/lock/world.hpp"

#include <dynalease/session.hpp>
#include <dynalease/testing/node.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::simulation::locks {

class site final : public testing::network_observer {
public:
    site(lock_world& where, std::size_t index);
    ~site() override;

    lock_world& world() noexcept { return world_; }
    testing::node& machine() noexcept { return machine_; }
    const std::string& name() const noexcept { return name_; }
    dynalease::session* session() noexcept { return session_ ? &*session_ : nullptr; }
    const std::vector<std::shared_ptr<user>>& users() const noexcept { return users_; }
    time_point clock_now() const noexcept { return machine_.environment().clock->now(); }
    /// What this session may believe now.
    const lease_watch* watch() const;
    bool live() const;
    /// Coroutines of users that stand somewhere.
    std::size_t frames = 0;

    /// A session and its users, on a machine that runs.
    void open();
    void crash(bool same_owner, clock::duration down);
    /// After a crash, or a session that was lost.
    void reopen();
    /// User code that kept the loop busy goes on before any handler runs.
    void unblocked();
    /// The state that the session shows, against what it may show.
    void check_state();
    void close();
    /// What is left of the program goes.
    void shut();
    bool closed() const noexcept { return closed_; }
    /// Since when nothing has kept this process from running, by its own clock.
    time_point undisturbed_since() const noexcept { return undisturbed_; }
    void note_disturbance() noexcept { undisturbed_ = clock_now(); }
    /// What the present session has sent: heartbeats, and all else.
    struct sent_count {
        std::uint64_t beats = 0;
        std::uint64_t others = 0;
    };
    const sent_count& sent_so_far() const noexcept { return sent_; }
    std::chrono::nanoseconds period() const { return watch()->period(); }
    void user_gone();

    void sent(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    void session_row_written(const std::string& id, const any_request& request);
    void arm_reopening(clock::duration after);

    lock_world& world_;
    const std::size_t index_;
    const std::string name_;
    testing::node machine_;
    std::string owner_;
    std::uint64_t lives_ = 0;
    const std::chrono::milliseconds heartbeat_;
    session_watches watches_;
    std::optional<dynalease::session> session_;
    std::vector<std::shared_ptr<user>> users_;
    time_point undisturbed_{};
    sent_count sent_;
    bool closed_ = false;
};

}  // namespace dynalease::simulation::locks
