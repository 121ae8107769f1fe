// One claim on several items, and what drives it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/protocol/acquire_all.hpp"
#include "item_lock/wanted_items.hpp"
#include "runtime/alarm.hpp"
#include "runtime/waiter_list.hpp"
#include "session/protocol/outage.hpp"
#include "session/session_impl.hpp"

#include <dynalease/dynamodb/failure.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

struct joint_served {
    std::vector<item_guard> granted{};
    std::optional<failure> why{};
    bool one_by_one = false;  ///< neither: it does not pay to go on so
    unsigned requests = 0;    ///< that were sent for it
};

/// Has the items reserved while a transaction is under way, and none of them while it waits. It outlives its
/// caller for as long as something is unresolved; after that each item resolves what is its own.
class joint_claim {
public:
    /// @param once give up at the first refusal.
    joint_claim(std::shared_ptr<session_impl> core, std::vector<wanted_item> wanted, bool once);

    /// One caller waits here.
    runtime::waiter_list<joint_served> served;

    static boost::asio::awaitable<void> run(std::shared_ptr<joint_claim> self);
    /// Nobody waits any more, for `waited`. @returns why there is nothing
    failure given_up(error_code waited);
    /// How many were sent for it.
    unsigned requests() const noexcept { return outage_.requests(); }

private:
    bool wanted() const { return !served.empty() && core_->live(); }
    bool may_land() const;
    /// What the caller is told who fails of this: doubt, while a copy of the transaction may still be applied. Nothing
    /// can be locked together with an item that is not there.
    failure or_doubt(failure why) const;
    void fail(failure why);
    /// Nobody waits any more: others of this process may ask for the items.
    void forsake();
    std::optional<std::size_t> reserve();
    void give_free();
    void fail_try(answer kind, const shared_failure& why);
    void choose_claim();
    void note_unanswered();
    void note_absent(dynalease::time_point sent);
    transact_write_items_request draft();
    void tell_take_overs();
    bool read_reasons(failure& why, bool& shown);
    void give_up_after(answer kind, dynalease::time_point sent, const shared_failure& why);
    /// While somebody waits.
    boost::asio::awaitable<void> pause(std::chrono::nanoseconds time);
    boost::asio::awaitable<void> wait_here(std::size_t item);
    boost::asio::awaitable<void> wait_for(std::size_t item);
    boost::asio::awaitable<std::optional<std::size_t>> claim_all();
    boost::asio::awaitable<protocol::acquire_all_decision> decide_all();
    boost::asio::awaitable<void> take_home();

    std::shared_ptr<session_impl> core_;
    std::vector<wanted_item> wanted_;
    const std::vector<std::size_t> order_;  ///< the same in all claims: those who want the same stand in one line
    const bool once_;
    const std::int64_t came_;  ///< after those of a lower number
    const dynalease::time_point began_;
    protocol::outage outage_;
    runtime::alarm sleep_;
    std::optional<protocol::claim> claim_;
    std::optional<protocol::claim> left_behind_;  ///< the last that the items had to resolve, each for itself
    unsigned refusals_ = 0;
    unsigned silent_ = 0;      ///< requests without an answer
    bool reserved_ = false;    ///< the items are
    bool writing_ = false;     ///< a copy of the transaction is under way
    bool unanswered_ = false;  ///< one has had no answer
};

}  // namespace dynalease::detail
