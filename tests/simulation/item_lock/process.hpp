// One process of a world of item locks: its session, its users, and what its network tells.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/watched_process.hpp"
#include "simulation/item_lock/open_takes.hpp"
#include "simulation/item_lock/user.hpp"
#include "simulation/item_lock/world.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace dynalease::simulation::item_locks {

class process final : public watched_process<user> {
public:
    process(item_world& where, std::size_t index);

    item_world& world() noexcept { return world_; }
    /// Nobody else here wants or has any of the items.
    bool only_one_for(const std::vector<std::size_t>& items, const user& one) const;
    /// Nobody else here wants the very same items in the same order.
    bool only_one_for_all(const std::vector<std::size_t>& items, const user& one) const;
    const open_takes& takes() const noexcept { return takes_; }
    /// Of what a former life asked for nothing is open any more.
    void note_life();
    /// For all that the answers have told, that guarded write may have been done, or not.
    bool is_unknown(std::int64_t number) const { return unknown_.contains(number); }
    /// How many users have wanted any of the items, or exactly these, so far.
    std::uint64_t demands_for(const std::vector<std::size_t>& items) const;
    std::uint64_t demands_for_all(const std::vector<std::size_t>& items) const;
    void note_demand(const std::vector<std::size_t>& items) { demanded_.push_back(items); }

    void sent(const testing::logged_request& entry, const any_request& request) override;
    void failed(const testing::logged_request& entry, const any_request& request, const failure& why) override;
    void sent_again(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    void begin() override;
    /// A request of that session, and of that write, was carried out.
    void done(const testing::logged_request& entry, std::size_t index, std::int64_t number);
    void done(const testing::logged_request& entry, const transact_write_items_request& all);
    void note_unknown(const any_request& request, const failure& why);

    item_world& world_;
    open_takes takes_;
    std::set<const testing::logged_request*> paused_;  ///< between two attempts, of which the first has failed
    std::uint64_t life_ = 1;                           ///< of the session, whose they are
    std::vector<std::vector<std::size_t>> demanded_;
    std::unordered_map<const testing::logged_request*, std::string> sessions_;  ///< that sent a request
    std::set<std::int64_t> unknown_;                                            ///< writes, as `is_unknown` says
    std::set<std::string> carried_out_;  ///< transactions, by token: the service does not do them again
};

}  // namespace dynalease::simulation::item_locks
