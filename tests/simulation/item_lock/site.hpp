// One process of a world of item locks: its machine, its session, its users, and what its network tells.
#pragma once

#include "simulation/item_lock/user.hpp"
#include "simulation/item_lock/world.hpp"

#include <dynalease/session.hpp>
#include <dynalease/testing/node.hpp>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace dynalease::simulation::item_locks {

class site final : public testing::network_observer {
public:
    site(item_world& where, std::size_t index);
    ~site() override;

    item_world& world() noexcept { return world_; }
    testing::node& machine() noexcept { return machine_; }
    const std::string& name() const noexcept { return name_; }
    dynalease::session* session() noexcept { return session_ ? &*session_ : nullptr; }
    const std::vector<std::shared_ptr<user>>& users() const noexcept { return users_; }
    bool live() const;
    /// Coroutines of users that stand somewhere.
    std::size_t frames = 0;

    /// A session and its users, on a machine that runs.
    void open();
    void crash(clock::duration down);
    void reopen();
    void close();
    void shut();
    bool closed() const noexcept { return closed_; }
    void user_gone();

    void sent(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    void arm_reopening(clock::duration after);

    item_world& world_;
    const std::size_t index_;
    const std::string name_;
    testing::node machine_;
    std::uint64_t lives_ = 0;
    std::optional<dynalease::session> session_;
    std::vector<std::shared_ptr<user>> users_;
    std::unordered_map<const testing::logged_request*, std::string> sessions_;  ///< that sent a request
    bool closed_ = false;
};

}  // namespace dynalease::simulation::item_locks
