// Somebody in a process who enters a queue, or several at once, works when it is its turn, and leaves in some way.
#pragma once

#include <dynalease/queue.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace dynalease::simulation::queues {

class site;

class user : public std::enable_shared_from_this<user> {
public:
    enum class doing { resting, waiting, holding, letting_go, gone };
    struct held_turn {
        std::size_t queue = 0;
        queue_turn turn{};
        std::uint64_t handle = 0;  ///< 0: given back, dropped, or known to be lost
        bool told_lost = false;
        std::optional<time_point> invalid_since{};  ///< by the machine's clock
    };

    user(site& at, std::size_t queue, std::uint64_t number) : site_(at), queue_(queue), number_(number) {}

    /// Goes on until the session is over, or everyone is to stop.
    static boost::asio::awaitable<void> live(std::shared_ptr<user> self);

    doing now() const noexcept { return now_; }
    std::uint64_t grants() const noexcept { return grants_; }
    /// In the user's hands, those with a handle.
    const std::vector<held_turn>& turns() const noexcept { return turns_; }
    bool waits_for(std::size_t queue) const noexcept {
        return now_ == doing::waiting && (enters_all_ || queue == queue_);
    }

    /// The store or the process went from under it.
    void let_go_of_all();
    /// It is valid no more, and whatever its holder does, it has no right to it.
    void note_invalid(std::uint64_t handle, time_point now);
    /// Writes to what the queue protects: outside, where tokens are compared, and with a delay, as a network has.
    void write_outside();
    void interrupt();

private:
    boost::asio::awaitable<void> enter();
    boost::asio::awaitable<void> look();
    boost::asio::awaitable<void> hold();
    boost::asio::awaitable<void> end_hold(held_turn& mine);
    boost::asio::awaitable<void> write_fenced();
    boost::asio::awaitable<void> sleep_up_to(const char* label, std::chrono::milliseconds longest);
    void cancel_after(std::chrono::nanoseconds time);
    void got(std::vector<queue_turn> turns);
    void let_go(held_turn& mine);
    bool told_any_loss() const;

    site& site_;
    const std::size_t queue_;
    const std::uint64_t number_;
    doing now_ = doing::resting;
    bool enters_all_ = false;
    std::vector<held_turn> turns_;
    std::uint64_t grants_ = 0;
    std::uint64_t operation_ = 0;
    boost::asio::cancellation_signal cancel_;
};

}  // namespace dynalease::simulation::queues
