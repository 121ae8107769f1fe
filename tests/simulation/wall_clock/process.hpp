// One process of a world of locks by the wall clock: who lives in it, and what its requests do to the items.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/process.hpp"
#include "simulation/wall_clock/stranger.hpp"
#include "simulation/wall_clock/user.hpp"
#include "simulation/wall_clock/world.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace dynalease::simulation::wall_clocks {

class process final : public simulation::process, public testing::network_observer {
public:
    process(clock_world& where, std::size_t index);

    clock_world& world() noexcept { return world_; }
    /// The one that runs, or ran last.
    const std::string& program() const noexcept { return program_; }
    bool lives(const std::string& program) const { return program == program_ && !machine().crashed(); }
    const std::vector<std::shared_ptr<user>>& users() const noexcept { return users_; }
    /// For all that the answers have told, that write may have been done, or not.
    bool is_unknown(std::int64_t number) const { return unknown_.contains(number); }
    /// Handles of those who may believe at this instant that they have an item.
    std::vector<std::uint64_t> believers() const;

    void interrupt() override;

    void sent(const testing::logged_request& entry, const any_request& request) override;
    void applied(const testing::logged_request& entry, const any_request& request,
                 const result<any_response>& answer) override;
    void answered(const testing::logged_request& entry, const any_request& request,
                  const result<any_response>& answer) override;

private:
    testing::network_observer& observer() override { return *this; }
    void begin() override;
    void let_go() override;
    void drop() override;
    void set_wall_clock();
    void note_refusal(const update_item_request& request, const failure& why);

    clock_world& world_;
    std::string program_;
    std::uint64_t programs_ = 0;
    std::vector<std::shared_ptr<user>> users_;
    std::vector<std::shared_ptr<stranger>> strangers_;
    std::set<std::int64_t> unknown_;                                           ///< writes, as `is_unknown` says
    std::unordered_map<const testing::logged_request*, std::string> senders_;  ///< programs, by request
};

}  // namespace dynalease::simulation::wall_clocks
