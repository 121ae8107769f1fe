// Processes that want one lock, over a network that delays, doubles and loses their requests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/row_world.hpp"

#include "lock/protocol/lock_decisions.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace dynalease::protocol::test {

/// What a mutant leaves out.
struct walk_rules {
    std::function<void(update_item_request&)> change = [](update_item_request&) {};
    bool voids = true;               ///< a given-up claim with an unanswered copy is closed by a write
    bool audits = true;              ///< ... and one whose copies were all refused is looked after
    bool voids_under_holder = true;  ///< "held by another" closes nothing
    bool names_both = true;          ///< a release after an unanswered hand-over names both claims
    bool one_hand_over = true;       ///< never a second hand-over beside an open one
    bool one_claim = true;           ///< a new claim only when the old one is closed
};

/// One random history. Each front behaves as the decision tables say; what it knows of the lock is a row it saw.
class lock_walk {
public:
    lock_walk(const walk_rules& rules, std::uint64_t seed);

    /// @returns what went wrong; empty if nothing did.
    std::string run(unsigned steps);

    unsigned grants = 0;
    unsigned take_overs = 0;

private:
    enum class phase { idle, want, held, handing, releasing, resolving };
    struct front {
        std::string id;
        phase now = phase::idle;
        bool wants = false;
        bool waits = false;
        bool lost = false;
        bool closed = false;  ///< while resolving
        bool unanswered = false;
        bool sent = false;
        bool hand_sent = false;
        std::int64_t attempts = 0;
        std::int64_t last_token = 0;
        std::optional<claim> open;
        std::optional<claim> next;
        claim held;
        lock_row row;
        std::optional<std::uint64_t> awaited;
        std::set<std::int64_t> over;  ///< attempts that must never hold the lock again
    };
    struct copy {
        update_item_request request;
        std::size_t owner;
        std::string session;
        std::uint64_t serial;
    };

    bool chance(unsigned one_in) { return random_() % one_in == 0; }
    lock_requests requests_of(const front& who) const { return {table, name_, who.id}; }
    claim new_claim(front& who);
    void step(std::size_t index);
    void want(std::size_t index);
    void resolve(std::size_t index);
    void give_up(front& who);
    void send(std::size_t index, update_item_request request);
    void deliver(std::size_t index, bool lose_answer, bool keep_copy);
    void answered(front& who, bool applied, const lock_row& row);
    void unanswered(front& who);
    void renew(front& who);
    void check(const copy& what, const lock_row& before, const std::optional<item>& after);
    void check_holders();
    bool in_flight(const front& who) const;
    void come_to_rest();

    walk_rules rules_;
    std::mt19937_64 random_;
    row_world world_;
    std::string name_ = "orders";
    std::vector<front> fronts_;
    std::set<std::string> over_sessions_;
    std::vector<copy> flight_;
    std::uint64_t last_serial_ = 0;
    unsigned sessions_ = 0;
    std::int64_t highest_token_ = 0;
    bool calm_ = false;
    std::string wrong_;
};

}  // namespace dynalease::protocol::test
