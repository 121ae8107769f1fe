// Somebody in a process who enters a queue, or several at once, works when it is its turn, and leaves in some way.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/user.hpp"
#include "simulation/queue/history.hpp"

#include <dynalease/queue.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace dynalease::simulation::queues {

class process;

class user final : public simulation::user {
public:
    enum class doing { resting, waiting, holding, letting_go, gone };
    struct held_turn {
        std::size_t queue = 0;
        queue_turn turn{};
        std::string session{};     ///< that it was granted to
        std::uint64_t handle = 0;  ///< 0: given back, dropped, or known to be lost
        bool by_session = false;   ///< its row was known when it was given: it lives as long as the session
        bool told_lost = false;
        std::optional<time_point> invalid_since{};  ///< by the machine's clock
    };

    user(process& at, std::size_t queue, std::uint64_t number);

    /// Goes on until the session is over, or everyone is to stop.
    static boost::asio::awaitable<void> live(std::shared_ptr<user> self);

    bool waits() const noexcept { return now_ == doing::waiting; }
    bool gone() const noexcept { return now_ == doing::gone; }
    /// Entries that came to a turn.
    std::uint64_t served() const noexcept { return served_; }
    /// In the user's hands, those with a handle.
    const std::vector<held_turn>& turns() const noexcept { return turns_; }
    bool enters_all() const noexcept { return enters_all_; }
    bool waits_for(std::size_t queue) const noexcept { return waits() && (enters_all_ || queue == queue_); }

    /// The store or the process went from under it.
    void let_go();
    /// It is valid no more, and whatever its holder does, it has no right to it.
    void note_invalid(std::uint64_t handle, time_point now);
    /// A try was refused. @param asked by the process's clock @param head that the refusal showed
    void head_seen(std::size_t queue, time_point asked, const head_state& head);
    /// Writes to what the queue protects: outside, where tokens are compared.
    void write_outside();

private:
    boost::asio::awaitable<void> enter();
    boost::asio::awaitable<void> look();
    void look_in_passing();
    boost::asio::awaitable<void> hold();
    boost::asio::awaitable<void> end_hold(held_turn& mine);
    void got(std::vector<queue_turn> turns);
    void let_go(held_turn& mine);
    bool told_any_loss() const;
    /// Who asked whether anybody before it lives, and was told so or has the turn.
    void check_fate(error_code told, time_point began);
    /// What it is told of its place while it waits.
    void check_place(const dynalease::queue_place& told);

    process& process_;
    const std::size_t queue_;
    const std::uint64_t number_;
    doing now_ = doing::resting;
    bool enters_all_ = false;
    std::vector<held_turn> turns_;
    std::uint64_t served_ = 0;
    bool asks_ = false;                            ///< only until it is known whether anybody before it lives
    time_point asked_at_{};                        ///< by the process's clock
    std::int64_t line_ = 0;                        ///< how long the longest was then
    std::optional<head_state> seen_first_;         ///< as the first refusal showed it since then
    std::optional<dynalease::queue_place> place_;  ///< as it was told of it last
};

}  // namespace dynalease::simulation::queues
