// Processes that enter one queue, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/row_world.hpp"

#include "queue/protocol/head_sights.hpp"
#include "queue/protocol/queue_decisions.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace dynalease::protocol::test {

using queue_write = std::variant<update_item_request, put_item_request, delete_item_request>;

/// What a mutant leaves out.
struct queue_rules {
    std::function<void(update_item_request&)> change = [](update_item_request&) {};
    std::function<void(put_item_request&)> change_row = [](put_item_request&) {};
    bool asks_for_turn = true;         ///< the turn is what the head says, not that no row is seen before mine
    bool buries = true;                ///< a missing row is made impossible before it is passed over
    bool waits_to_bury = true;         ///< ... and not before its owner's claim is over
    bool claim_ends = true;            ///< a turn that is not written down is valid only while its claim runs
    bool asks_session = true;          ///< a ticket is passed over only when its session is over
    bool leaves_again = true;          ///< an unanswered leave is repeated
    bool cancels_row_in_doubt = true;  ///< so is a row that may land: it is given up
    bool voids = true;                 ///< a place is given up by a void row
    bool deletes = false;              ///< ... or by deleting it, which a late row undoes
    bool voids_again = true;           ///< an unanswered cancel is repeated
    bool passes_void = true;           ///< void rows are passed over
    bool knows_order = true;           ///< an answer that was overtaken is not taken for the newest
};

/// One random history. Each front behaves as the decision tables say; time is abstract: a claim runs, or is over.
class queue_walk {
public:
    queue_walk(const queue_rules& rules, std::uint64_t seed);

    /// @returns what went wrong; empty if nothing did.
    std::string run(unsigned steps);

    unsigned turns = 0;
    unsigned buried = 0;
    unsigned passed_over = 0;

private:
    enum class phase { idle, drawing, entering, waiting, direct, held, leaving, giving_up };
    struct front {
        std::string id;
        phase now = phase::idle;
        bool wants = false;
        std::string attempt;
        bool claim_running = false;
        bool unanswered = false;  ///< the request for a ticket
        bool entered_sent = false;
        bool voided = false;
        bool left_sent = false;
        std::optional<place> mine;
        head_sights head{};
        std::vector<place> to_bury;  ///< the last of them on its way
        std::optional<std::uint64_t> awaited;
        std::uint64_t asked = 0;  ///< the sights when that was sent
        struct look {
            std::optional<queue_head> shown;
            std::uint64_t asked;
        };
        std::optional<look> looking{};  ///< its answer is on its way
    };
    struct copy {
        queue_write request;
        std::size_t owner;
        std::string session;
        std::uint64_t serial;
    };

    bool chance(unsigned one_in) { return random_() % one_in == 0; }
    queue_requests requests_of(const front& who) const { return {table, name_, who.id}; }
    std::optional<queue_head> head();
    void sight(front& who, const std::optional<queue_head>& shown, std::uint64_t asked);
    void renew(front& who);
    void begin(front& who);
    void step(std::size_t index);
    void wait(std::size_t index);
    void give_up(std::size_t index);
    void send(std::size_t index, queue_write request);
    void deliver(std::size_t index, bool lose_answer, bool keep_copy);
    void answered(front& who, bool applied, const std::optional<queue_head>& head, const std::optional<item>& row);
    void unanswered(front& who);
    void drawn(front& who, bool applied, const queue_head& head);
    void turn_begins(front& who, phase as);
    bool valid(const front& who) const;
    bool claimed(std::int64_t ticket) const;
    examine_decision examine(const front& who);
    void check_moved(const queue_head& before, const queue_head& after);
    void check_turns();
    void come_to_rest();

    queue_rules rules_;
    std::mt19937_64 random_;
    row_world world_;
    queue_name name_{.entity = "orders", .reason = {}};
    std::vector<front> fronts_;
    std::set<std::string> over_sessions_;
    std::map<std::int64_t, std::string> drawn_by_;  ///< ticket to attempt
    std::vector<copy> flight_;
    std::uint64_t last_serial_ = 0;
    unsigned sessions_ = 0;
    unsigned attempts_ = 0;
    std::int64_t last_turn_ = 0;
    bool calm_ = false;
    std::string wrong_;
};

}  // namespace dynalease::protocol::test
