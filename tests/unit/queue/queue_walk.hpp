// Processes that enter one queue, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "held_network.hpp"
#include "support/histories.hpp"

#include "queue/protocol/queue_rows.hpp"

#include <dynalease/queue.hpp>
#include <dynalease/testing/node.hpp>
#include <dynalease/testing/world.hpp>

#include <boost/asio/cancellation_signal.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::tests {

/// How much may happen.
struct walk_size {
    std::size_t processes = 2;
    unsigned steps = 60;
    unsigned callers = 1000;
    unsigned faults = 1000;
    /// So much time may pass at once, as an ordinary event.
    std::vector<std::chrono::nanoseconds> times{};
};

/// What a mutant spoils of a request before it leaves.
using spoiling = std::function<void(any_request& request)>;

/// One history of the library's own queue: each of its requests waits until the walk delivers it. At its end all leave,
/// and whoever comes then must have a turn.
class queue_walk {
public:
    queue_walk(walk_size size, protocol::test::chooser choose, spoiling spoil = {});
    ~queue_walk();

    /// @returns what went wrong; empty if nothing did.
    std::string run();

    unsigned turns = 0;
    unsigned buried = 0;
    unsigned passed_over = 0;  ///< by others, when they left nothing to wait for

private:
    struct caller {
        queue_turn turn{};
        boost::asio::cancellation_signal gives_up{};
        bool enters = false;
        bool told = false;
    };
    struct process;
    struct flight {
        any_request request;
        std::string session;                           ///< whose
        std::shared_ptr<held_call> call;               ///< null: nobody waits for its answer
        bool sent_again = false;                       ///< by its client, within the call
        std::optional<result<any_response>> answer{};  ///< it was applied, and its answer is on its way
    };
    using event = std::function<void()>;
    struct events {
        std::vector<event> ordinary;
        std::vector<event> faults;
    };

    events possible();
    void add_events_of(process& who, events& all);
    void add_events_of_flight(std::size_t index, events& all);
    void begin(process& who);
    void crash(process& who);
    bool hold(const process& who, const any_request& request, std::shared_ptr<held_call> call);

    void enter(process& who);
    static void leave(process& who);
    bool lives(const std::string& session) const;

    void carry_out(flight& what);
    void deliver(std::size_t index);
    void copy(std::size_t index);
    void time_out(std::size_t index);
    void send_again(std::size_t index);
    void pass(std::chrono::nanoseconds time);
    void settle();

    std::optional<protocol::queue_head> head();
    std::optional<protocol::ticket_row> ticket(std::int64_t number);
    void check_head(const flight& what, const std::optional<protocol::queue_head>& before);
    void check_ticket(const flight& what, const put_item_request& put,
                      const std::optional<protocol::ticket_row>& before);
    void check_turns();
    void come_to_rest();
    void wrong(const std::string& what);

    const walk_size size_;
    const protocol::test::chooser choose_;
    const spoiling spoil_;
    testing::world world_;
    std::vector<std::unique_ptr<process>> processes_;
    std::vector<flight> flights_;
    unsigned callers_ = 0;
    unsigned faults_ = 0;
    std::uint64_t seeds_ = 0;
    std::int64_t last_turn_ = 0;
    std::string wrong_;
};

}  // namespace dynalease::tests
