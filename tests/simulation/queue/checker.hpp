// The promises that can be checked from what happened alone: order, tokens, the fence, and who may be passed over.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "simulation/framework/session_checker.hpp"
#include "simulation/queue/history.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynalease::simulation::queues {

struct checker_options {
    std::size_t queues = 1;
    std::int64_t drift_ppm = 1000;
    /// Clocks stood still: a dead session may be taken for dead by its watcher only.
    bool early_death_waived = false;
    /// Rows were lost or edited: who is passed over cannot be promised, but tokens rise and fences hold.
    bool order_waived = false;
    /// An old backup came back, and with it tickets that were issued before.
    bool tokens_waived = false;
};

/// Keeps the first broken promise.
class checker {
public:
    /// What is known of a number that was issued.
    struct ticket {
        enum class row { none, live, given_up, buried };
        std::int64_t from = 0;  ///< the first number that it covers
        std::string session{};
        std::string attempt{};
        row state = row::none;
        bool left = false;    ///< by its own session, at the end of its turn
        bool direct = false;  ///< it had the turn when it was drawn, and no row
        bool granted = false;
        bool given = false;  ///< a user got it
        bool held = false;   ///< ... and has it still
    };

    explicit checker(const checker_options& options);

    void see(const event& seen);
    const std::optional<std::string>& broken() const noexcept { return broken_; }

    const head_state& head(std::size_t queue) const { return queues_[queue].head; }
    /// Null: never issued.
    const ticket* find(std::size_t queue, std::int64_t number) const;
    /// The first ticket behind `number`, and its number; 0: there is none.
    std::pair<std::int64_t, const ticket*> after(std::size_t queue, std::int64_t number) const;
    bool over(const std::string& session) const { return sessions_.over(session); }
    time_point last_beat(const std::string& session) const { return sessions_.last_beat(session); }

private:
    struct queue_record {
        head_state head;
        std::int64_t highest = 0;  ///< ticket ever issued
        std::string last_attempt;
        std::map<std::int64_t, ticket> tickets;
        std::int64_t last_accepted = 0;  ///< outside
    };

    void on(time_point at, const head_written& seen);
    void on(time_point at, const head_replaced& seen);
    void on(time_point at, const ticket_written& seen);
    void on(time_point at, const ticket_deleted& seen);
    void on(time_point at, const turn_given& seen);
    void on(time_point at, const turn_let_go& seen);
    void on(time_point at, const outside_written& seen);
    void on(time_point at, const fence_passed& seen);
    template <class OfSession>
    void on(time_point at, const OfSession& seen) {
        auto broken = sessions_.see(at, seen);
        if (!broken.empty() && !broken_) broken_ = std::move(broken);
    }

    void check_draw(queue_record& queue, const head_written& seen);
    void check_passing(queue_record& queue, const head_written& seen);
    void check_passed_over(const ticket& over, std::int64_t number, const std::string& writer);
    void fail(const char* promise, std::string what);

    const checker_options options_;
    std::vector<queue_record> queues_;
    session_checker sessions_;
    std::unordered_map<std::uint64_t, std::pair<std::size_t, std::int64_t>> handles_;  ///< queue and ticket
    std::optional<std::string> broken_;
};

}  // namespace dynalease::simulation::queues
