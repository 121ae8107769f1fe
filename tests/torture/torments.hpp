// What is done to the processes and their network, each kind by a coroutine of its own, by chance and by seed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/crew.hpp"
#include "torture/store.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <deque>

namespace torture {

/// Storms, in which everything happens at once, and lulls between them: in a lull one holder is killed, and then
/// nothing happens for so long that whoever waits must get what the dead one held. The last part is a lull.
class torments {
public:
    /// @param quiet the length of a lull
    torments(boost::asio::any_io_executor executor, store& storage, std::deque<link>& links, crew& victims,
             witness& tell, std::uint64_t seed, std::chrono::milliseconds quiet);

    /// From now on the store never comes back without its tables.
    void spare_tables() noexcept { tables_spared_ = true; }

    boost::asio::awaitable<void> run(std::chrono::milliseconds time);

private:
    using time_point = std::chrono::steady_clock::time_point;

    boost::asio::awaitable<void> storm(time_point end);
    boost::asio::awaitable<void> lull(time_point end);

    boost::asio::awaitable<void> torment(std::size_t kind, time_point end);
    boost::asio::awaitable<void> kill_workers(time_point end);
    boost::asio::awaitable<void> stop_workers(time_point end);
    boost::asio::awaitable<void> cut_links(time_point end);
    boost::asio::awaitable<void> trouble_store(time_point end);
    boost::asio::awaitable<void> starve_workers(time_point end);
    boost::asio::awaitable<void> change_weather(time_point end);
    boost::asio::awaitable<void> lose_table();

    /// Until it is over, or until `end`.
    boost::asio::awaitable<void> sleep(std::chrono::milliseconds time, time_point end = time_point::max());

    boost::asio::any_io_executor executor_;
    store& store_;
    std::deque<link>& links_;
    crew& workers_;
    witness& tell_;
    std::uint64_t seed_;
    std::chrono::milliseconds quiet_;
    std::uint64_t storms_ = 0;
    bool tables_spared_ = false;
    dice chance_;
};

}  // namespace torture
