// Somebody in a process who locks an item by the recipe alone, with requests of its own making.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/user.hpp"
#include "simulation/wall_clock/moments.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace dynalease::simulation::wall_clocks {

class process;

class stranger final : public simulation::user {
public:
    stranger(process& at, std::size_t item);

    /// Goes on until everyone is to stop.
    static boost::asio::awaitable<void> live(std::shared_ptr<stranger> self);
    /// Whether it is a request of theirs.
    static bool sent(const update_item_request& request);

    /// That it has the item: until its own clock says that it is over.
    bool believes() const;
    std::uint64_t handle() const noexcept { return handle_; }
    void let_go();

private:
    boost::asio::awaitable<void> lock_and_write();
    boost::asio::awaitable<bool> take();
    boost::asio::awaitable<void> write();
    boost::asio::awaitable<void> free();
    boost::asio::awaitable<bool> send(update_item_request request);
    update_item_request own(const char* what) const;

    process& process_;
    const std::size_t item_;
    moment mine_{};
    std::uint64_t handle_ = 0;
};

}  // namespace dynalease::simulation::wall_clocks
