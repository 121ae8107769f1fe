// The requests of a queue, exactly. Each may be sent again byte for byte; a late copy of any harms nobody.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "queue/protocol/queue_rows.hpp"

#include <dynalease/dynamodb/operations.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynalease::protocol {

/// A number in a queue, and the numbers below it that it covers.
struct place {
    std::int64_t ticket = 0;
    std::int64_t from = 0;  ///< the first; the place has the turn while `passed` is in [from - 1, ticket - 1]
    std::int64_t rank = 0;  ///< counts tickets where `ticket` counts numbers; 0: not known
    friend bool operator==(const place&, const place&) = default;
};

/// What a waiting ticket shows to others.
struct ticket_face {
    std::string owner;
    wall_time since;
    item data;
};

/// Rows of one page of `ahead`: for who is next, and for those behind, who rarely look at all who are before them.
inline constexpr std::int32_t page_of_rows = 8;
inline constexpr std::int32_t page_of_survey = 100;

/// Builds requests for one queue on behalf of one session. Holds references: a short-lived helper.
class queue_requests {
public:
    queue_requests(const std::string& table, const queue_name& queue, const std::string& self)
        : table_(table), queue_(queue), self_(self) {}

    /// The next ticket. Makes the head row if there is none, counting from the wall clock in milliseconds: above
    /// every ticket that a head which was removed when idle had issued.
    /// @param attempt new for each ticket wanted, the same in every copy.
    update_item_request take(std::string_view attempt, wall_time now) const;
    /// The same, refused unless the queue is free.
    update_item_request take_if_free(std::string_view attempt, wall_time now) const;
    /// Writes a ticket down: from then on it lives as long as its session. Refused once it was buried.
    put_item_request enter(const place& mine, std::string_view attempt, const ticket_face& face) const;

    /// Passes over places that are over, in order and without a gap between them: grants what follows them.
    update_item_request pass(const std::vector<place>& over) const;
    /// The same at the end of a turn, whose place is the first of them.
    update_item_request leave(const std::vector<place>& over, std::chrono::milliseconds pace) const;
    /// The same when nobody waits: the head row may then be removed by TTL at `expiry`.
    update_item_request leave_idle(const std::vector<place>& over, std::chrono::milliseconds pace,
                                   std::int64_t expiry) const;
    /// Lets TTL remove the head row if nothing was issued or passed since.
    update_item_request rest(std::int64_t tail, std::int64_t expiry) const;

    /// Makes sure that a missing ticket's row can never land any more.
    put_item_request bury(std::int64_t ticket) const;
    /// Gives up a ticket of our own, whether its row has landed or not. Refused by a row that is void already, or
    /// another's: as the table was restored, the number may have been issued again.
    put_item_request cancel(const place& mine, std::string_view attempt) const;
    /// The same where its row stands, and nowhere else.
    put_item_request cancel_written(const place& mine, std::string_view attempt) const;

    get_item_request look() const;
    /// The rows of the tickets in [first, last], in order; one page.
    query_request ahead(std::int64_t first, std::int64_t last, std::int32_t rows = page_of_rows) const;
    /// Rows that were passed and not deleted; one page.
    query_request left_behind(std::int64_t passed) const;
    /// @param tickets at most `batch_limit`, all of them passed.
    batch_write_item_request forget(const std::vector<std::int64_t>& tickets) const;

    /// The fence: true while nobody after this place can have the turn.
    condition_check fence(const place& mine) const;

private:
    update_item_request update_head() const;
    put_item_request put_ticket(const place& mine, std::string condition) const;
    /// @param tail_is how the last ticket that was issued compares with the last that is passed over.
    update_item_request move_passed(const std::vector<place>& over, std::string_view tail_is) const;
    update_item_request end_turn(const std::vector<place>& over, std::chrono::milliseconds pace,
                                 std::string_view tail_is) const;

    const std::string& table_;
    const queue_name& queue_;
    const std::string& self_;
};

/// What one BatchWriteItem takes, and one page of `left_behind`.
inline constexpr std::size_t batch_limit = 25;

}  // namespace dynalease::protocol
