// The worker processes: started, killed, stopped, and started anew.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "torture/link.hpp"
#include "torture/worker.hpp"

#include "support/child_process.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace torture {

class crew {
public:
    /// One worker for each link.
    crew(boost::asio::any_io_executor executor, std::deque<link>& links, witness& tell, worker_orders common);

    std::size_t size() const noexcept { return places_.size(); }
    bool runs(std::size_t place) const noexcept;
    /// Changes with every process of a place.
    std::uint64_t generation(std::size_t place) const noexcept { return places_[place].started; }

    void start(std::size_t place);
    void kill(std::size_t place);
    /// Stands still until `resume`.
    void stop(std::size_t place);
    void resume(std::size_t place);
    void renice(int niceness);

    /// Waits until it stands still on its own, between a look at its guard and the write that this is to protect.
    /// @returns false if it does not come to that soon; then it goes on as if nobody had asked.
    boost::asio::awaitable<bool> halt(std::size_t place);

    /// Lets all of them end. @returns whether they did, in time and without complaint.
    boost::asio::awaitable<bool> dismiss(std::chrono::seconds limit);

private:
    struct seat {
        explicit seat(boost::asio::any_io_executor executor) : news(std::move(executor)) {}
        std::optional<support::child_process> process{};
        std::string who{};
        std::uint64_t started = 0;
        bool halted = false;
        bool dismissed = false;
        std::optional<instant> stopped{};
        boost::asio::steady_timer news;  ///< cancelled when something was heard
    };

    boost::asio::awaitable<void> hear(seat& from, std::shared_ptr<boost::asio::posix::stream_descriptor> voice,
                                      std::uint64_t started);

    boost::asio::any_io_executor executor_;
    std::deque<link>& links_;
    witness& tell_;
    worker_orders common_;
    std::deque<seat> places_;
};

}  // namespace torture
