// One claim on several items, and what drives it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/joint_call.hpp"
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
    shared_failure why{};
    bool one_by_one = false;  ///< neither: it does not pay to go on so
    unsigned requests = 0;    ///< that were sent for it
    bool asked = false;       ///< the session was open, so that they could be asked for
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
    /// How many were sent for it: by it, and by those of this process that it stood behind meanwhile.
    unsigned requests() const noexcept {
        const auto here = behind_.item ? wanted_[*behind_.item].front->requests_made() - behind_.made_before : 0;
        return outage_.requests() + behind_.in_all + here;
    }

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
    boost::asio::awaitable<result<transact_write_items_response>> send(transact_write_items_request copy);
    void tell_take_overs();
    void give_up_after(answer kind, const shared_failure& why);
    joint_service at_all();
    joint_call watched(joint_service about, bool* may_land = nullptr) {
        return {std::move(about), core_->now(), [this] { return wanted(); }, may_land};
    }
    boost::asio::awaitable<protocol::item_reply> ask(wanted_item& each,
                                                     const protocol::item_acquire_decision* clearing);
    /// @returns null, or why nothing was learnt
    boost::asio::awaitable<shared_failure> look_at(std::string session);
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
    unsigned outrun_ = 0;      ///< as `item_lock_claimant::outrun`
    unsigned silent_ = 0;      ///< requests without an answer
    bool reserved_ = false;    ///< the items are
    bool writing_ = false;     ///< a copy of the transaction is under way
    bool unanswered_ = false;  ///< one has had no answer
    struct {
        std::optional<std::size_t> item{};  ///< it waits for others of this process that have this one in hand
        unsigned made_before = 0;           ///< requests about it by then
        unsigned in_all = 0;                ///< ... by others, in such waits that are over
    } behind_;
};

}  // namespace dynalease::detail
