// What a process knows of the others who want an item, and when it pays to look again.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/item_inquiry.hpp"
#include "item_lock/protocol/item_lock_state.hpp"
#include "item_lock/protocol/plain_watch.hpp"
#include "session/protocol/session_view.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace dynalease::protocol {

/// Who has an item, as it was seen last.
struct item_holder {
    std::string session{};    ///< of its writer, or its first reader; empty: a program of another make
    std::size_t readers = 0;  ///< none: a writer has it
    time_point since{};       ///< when it was first seen so
    time_point last_seen{};   ///< ... and when it was for the last time
};

class item_outlook {
public:
    item_outlook(session_view& session, std::chrono::nanoseconds shortest_interval,
                 std::chrono::nanoseconds longest_interval)
        : session_(session), shortest_(shortest_interval), longest_(longest_interval) {}

    // ---- what is seen ----
    /// Somebody here begins to wait.
    void begin_wait();
    /// The next look is made soon.
    void look_soon() noexcept { looks_ = 0; }
    /// The item, by whichever answer. @param sent the request
    void note(const item_lock_state& lock, time_point sent);
    /// ... and what is made of it for somebody who waits.
    void study(const item_lock_state& lock);
    /// The intent that stands there is of a session that is over: whoever takes the item next takes it away.
    void forget_intent(time_point sent);
    /// What a look has cost: a large item costs a read unit for each 4 KB of it, however little of it is shown.
    void note_cost(double read_units) noexcept { look_units_ = read_units; }

    // ---- what follows ----
    /// Empty: nobody, or nobody knows.
    const std::optional<item_holder>& holder() const noexcept { return holder_; }
    /// It was last seen in a transaction's hands.
    bool in_transaction() const noexcept { return in_transaction_; }
    /// A claimant elsewhere has left an intent.
    bool others_intend() const noexcept { return others_intend_; }
    /// Writers come and go, and have passed over whoever waits here too often.
    bool insists() const noexcept;
    /// Readers may join those of this process without asking, as long as a writer of another can bear it: its intent
    /// stands in the item alone.
    bool readers_may_join() const;
    /// @param asked_since somebody tries until that is known, who came then: it is looked at once for him
    holder_is judge(const item_claimant& who, bool waits, std::optional<time_point> asked_since = {});
    std::chrono::nanoseconds time_to_next_look(const item_lock_state& lock);
    /// @param lock as it was seen after he came who asks, as below
    item_fate fate(const item_lock_state& lock, const item_question& asked);
    /// @param asked empty: nobody asks
    std::chrono::nanoseconds time_to_next_look(const item_lock_state& lock, const std::optional<item_question>& asked);

private:
    void note_holder(const item_lock_state& lock);
    bool lives(const item_claimant& who, time_point since);
    std::chrono::nanoseconds affordable_rest() const;

    session_view& session_;
    const std::chrono::nanoseconds shortest_;
    const std::chrono::nanoseconds longest_;
    bool in_transaction_ = false;
    bool others_intend_ = false;
    time_point open_at_{};      ///< when the item was last seen without an intent of others
    std::string last_writer_;   ///< that was seen since somebody here began to wait
    unsigned passed_over_ = 0;  ///< how often there was another one
    unsigned looks_ = 0;        ///< since the item last showed something new
    std::optional<item_holder> holder_;
    std::string shown_;  ///< what it showed: writer, readers and intent
    time_point shown_since_{};
    double look_units_ = 0;
    plain_watch claimants_;
    std::optional<item_inquiry> inquiry_;  ///< of whoever asked last
};

}  // namespace dynalease::protocol
