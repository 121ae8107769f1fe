// Processes that want one lock, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "lock_walker.hpp"
#include "support/histories.hpp"
#include "support/row_world.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dynalease::protocol::test {

/// How much may happen.
struct walk_size {
    std::size_t processes = 2;
    unsigned steps = 60;
    unsigned callers = 1000;
    unsigned faults = 1000;
    bool only_tries = false;   ///< nobody waits
    bool dead_holder = false;  ///< the lock was held by a session that is over
    bool wrong_clocks = true;  ///< they stand still, or run far ahead
};

/// One history. At its end all callers have left, and everything must come to rest.
class lock_walk final : private walk_surroundings {
public:
    lock_walk(const walk_rules& rules, const walk_size& size, chooser choose);

    /// @returns what went wrong; empty if nothing did.
    std::string run();

    unsigned grants = 0;
    unsigned take_overs = 0;

private:
    struct process {
        std::unique_ptr<lock_walker> walker;
        std::uint64_t awaited = 0;  ///< the serial of the write whose answer it waits for
        bool resent = false;        ///< by its client, for a copy of it seemed lost
    };
    struct copy {
        update_item_request request;
        std::string session;
        std::uint64_t serial;
    };
    using event = std::function<void()>;
    struct events {
        std::vector<event> ordinary;
        std::vector<event> faults;
    };

    const walk_rules& rules() const override { return rules_; }
    row_world& store() override { return world_; }
    time_point now() const noexcept override { return now_; }
    wall_time wall() noexcept override;
    bool over(const std::string& session) const override { return over_.contains(session); }
    void send(const update_item_request& request) override;
    void wrong(const std::string& what) override;

    std::unique_ptr<lock_walker> new_session();
    events possible();
    void add_events_of(process& who, events& all);
    void happen(process& who, const event& what);
    void deliver(std::size_t index, bool keep_copy, bool lose_answer);
    void time_out(process& who);
    void end_session(process& who);
    void check(const copy& what, const lock_row& before);
    void check_holders();
    bool in_flight(const process& who) const;
    bool busy() const;
    void calm(process& who);
    void come_to_rest();

    const walk_rules& rules_;
    const walk_size size_;
    const chooser choose_;
    row_world world_;
    const std::string name_ = "orders";
    time_point now_{std::chrono::hours(1)};
    std::vector<process> processes_;
    std::vector<std::unique_ptr<lock_walker>> buried_;  ///< their machines go no further
    std::set<std::string> over_;
    std::vector<copy> flight_;
    process* acts_ = nullptr;
    std::uint64_t last_serial_ = 0;
    unsigned sessions_ = 0;
    unsigned callers_ = 0;
    unsigned faults_ = 0;
    std::int64_t highest_token_ = 0;
    std::string wrong_;
};

}  // namespace dynalease::protocol::test
