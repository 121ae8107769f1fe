// Processes that lock one item, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_walker.hpp"
#include "support/histories.hpp"

#include <dynalease/local/engine.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace dynalease::protocol::test {

/// How much may happen.
struct item_walk_size {
    std::size_t processes = 2;
    unsigned steps = 60;
    unsigned callers = 1000;
    unsigned faults = 1000;
    unsigned changes = 1000;
    bool only_tries = false;   ///< nobody waits
    bool readers = true;       ///< ... or reads
    bool dead_holder = false;  ///< the item was held by a session that is over
    bool wrong_clocks = true;  ///< they stand still, or run far ahead
};

/// One history. At its end all callers have left, and everything must come to rest.
class item_walk final : private item_walk_surroundings {
public:
    item_walk(const item_walk_rules& rules, const item_walk_size& size, chooser choose);

    /// @returns what went wrong; empty if nothing did.
    std::string run();

    unsigned grants = 0;
    unsigned take_overs = 0;
    unsigned changes = 0;

private:
    struct copy {
        update_item_request request;
        std::string session;
        std::uint64_t number;
    };
    using event = std::function<void()>;
    struct events {
        std::vector<event> ordinary;
        std::vector<event> faults;
    };

    const item_walk_rules& rules() const override { return rules_; }
    result<get_item_response> read(const get_item_request& request) override;
    time_point now() const noexcept override { return now_; }
    wall_time wall() noexcept override;
    bool over(const std::string& session) const override { return over_.contains(session); }
    std::uint64_t send(const update_item_request& request, const std::string& session) override;
    void wrong(const std::string& what) override;

    template <class Request>
    result<typename Request::response> execute(const Request& request);
    item stored();
    item_lock_state shown() { return shown_in(stored()); }
    static item_lock_state shown_in(const item& stored);

    std::unique_ptr<item_walker> new_process();
    std::string new_session() { return "session" + std::to_string(++sessions_); }
    events possible();
    void add_callers(item_walker& who, events& all);
    void add_guards(item_walker& who, events& all);
    void add_faults(item_walker& who, item_walk_task& task, events& all);
    void pass_pause(item_walker& who, item_walk_task& task);
    void deliver(std::size_t index, bool keep_copy, bool lose_answer);
    void time_out(item_walker& who, item_walk_task& task);
    void end_session(std::unique_ptr<item_walker>& who);
    void check_write(const item_lock_state& before, const item& left);
    void check_holders();
    void check_changes();
    bool in_flight(const item_walker& who) const;
    bool busy() const;
    void calm(item_walker& who);
    void come_to_rest();

    const item_walk_rules& rules_;
    const item_walk_size size_;
    const chooser choose_;
    local::engine store_;
    time_point now_{std::chrono::hours(1)};
    std::vector<std::unique_ptr<item_walker>> processes_;
    std::vector<std::unique_ptr<item_walker>> buried_;  ///< their machines go no further
    std::set<std::string> over_;
    std::vector<copy> flight_;
    std::uint64_t last_number_ = 0;
    unsigned sessions_ = 0;
    unsigned callers_ = 0;
    unsigned faults_ = 0;
    std::string wrong_;
};

}  // namespace dynalease::protocol::test
