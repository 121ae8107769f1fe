// The one place of a process for one item: its callers, its guards, and who carries its lock's protocol out.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "item_lock/item_hold.hpp"
#include "item_lock/item_holds.hpp"
#include "item_lock/item_line.hpp"
#include "item_lock/protocol/item_lock_callers.hpp"
#include "item_lock/protocol/item_lock_machine.hpp"
#include "runtime/waiter_list.hpp"
#include "session/claiming_front.hpp"

#include <dynalease/item_lock/item_lock.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dynalease::detail {

/// What makes it: the item, and how its lock is kept.
struct item_place {
    std::string name;  ///< for people
    protocol::locked_item item;
    item_lock_options options;
};

/// Beside the coroutine that drives the machine another keeps a plain session's grant alive, and guarded writes are
/// sent by their callers, one at a time.
class item_lock_impl final : public claiming_front<item_target, item_guard, protocol::item_access,
                                                   protocol::item_lock_machine, protocol::item_lock_callers> {
public:
    static constexpr char membership{};  ///< its address is the kind of member

    /// @param identity the item's among those of its session
    item_lock_impl(session_impl& core, std::string identity, const item_place& place);
    ~item_lock_impl() override;
    member_key key() const noexcept override { return {&membership, identity_}; }
    const std::string& identity() const noexcept { return identity_; }

    /// The same item in another life of its session.
    std::shared_ptr<item_lock_impl> in(session_impl& life) const;
    const protocol::locked_item& item() const noexcept { return machine_.item(); }
    /// Of the handle that was made first.
    const item_lock_options& options() const noexcept { return options_; }

    // ---- the database's executor ----
    /// Held, or wanted by others in this process: a try need not ask the table.
    bool busy(protocol::item_access access) { return (machine_.kept_from(access) && !forsaken_) || wanted(); }
    /// Somebody waits who is not being driven yet.
    void wake();
    /// Gives the grant back, or hands it to the next local waiter.
    void give_back(const std::shared_ptr<item_hold>& hold);
    std::string in_the_way() const override;
    void session_lost(const failure& why) override;
    void session_drains(const failure& why) override { turn_all_away(why); }
    void session_closes(const failure& why, bool release) override;
    void list_grants(std::vector<std::shared_ptr<pending_release>>& into) const override;

    // ---- guarded writes ----
    /// What one came to.
    struct write_end {
        shared_failure why{};    ///< null: it was done
        dynalease::item left{};  ///< the item after it
    };
    /// Completes when no renewal is under way: the caller's write is then the only one. A guard that ends or writes
    /// is not renewed meanwhile. @returns false if the grant ran out in the meantime: a copy of the renewal may have
    /// taken the very step that a write would take.
    boost::asio::awaitable<bool> between_renewals(std::shared_ptr<item_hold> hold);
    boost::asio::awaitable<write_end> change(std::shared_ptr<item_hold> hold, update_expression update,
                                             condition_expression condition);
    boost::asio::awaitable<write_end> downgrade(std::shared_ptr<item_hold> hold);
    /// The guard was let go before, as for the next.
    boost::asio::awaitable<write_end> change_and_release(std::shared_ptr<item_hold> hold, update_expression update,
                                                         condition_expression condition, item_stamp stamp);
    boost::asio::awaitable<write_end> erase(std::shared_ptr<item_hold> hold, condition_expression condition);
    /// The grant has ended by its last write.
    void ended(const std::shared_ptr<item_hold>& hold, error_code code);

    // ---- one of several that are claimed together ----
    protocol::item_lock_machine& machine() noexcept { return machine_; }
    item_line& line() noexcept { return line_; }
    /// Nobody here has the item, or looks out for it, or stands in line for it and came before that one.
    bool open_to(std::int64_t came);
    /// Somebody has come to stand in line.
    void lined_up() {
        if (line_.size() == 1) hurry();
    }
    /// Takes it out of the hands of this process's other users, if none of them is at work on the item.
    /// @param mine the claim that several items share. Another one that is open here is closed first: it is in the way
    /// until then.
    /// @param came as for a place in line
    bool reserve(const std::optional<protocol::claim>& mine, std::int64_t came);
    /// Nobody wants any more what it is reserved for, and it will be free once the last request for it has ended.
    void forsake() noexcept { forsaken_ = true; }
    /// The end of a reservation without a grant. @param seen the item as last seen under it
    void give_free(protocol::item_reply seen);
    /// The end of a reservation with one.
    item_guard grant(protocol::item_reply seen);
    /// A request about several items leaves, this among them.
    void asked() noexcept { service_.asked(); }
    /// ... and what became of it that was sent then.
    void heard(answer kind, dynalease::time_point sent, const shared_failure& why) { service_.note(kind, sent, why); }
    /// By whoever is to have it: a look, or what takes away who stands in the way and is over.
    /// @param clearing to `reap`, or to `free`; stays until then. Null: a look
    /// @param watch sees it between its attempts
    boost::asio::awaitable<protocol::item_reply> ask(const protocol::item_acquire_decision* clearing,
                                                     dynalease::attempt_watch& watch);

private:
    void drive_begins() override { machine_.begin(); }
    void drive_ended() override { line_.call(); }
    boost::asio::awaitable<void> keep(item_target self);
    void go_on();

    /// All who wait, alone or for several items.
    void turn_all_away(const failure& why);
    std::shared_ptr<item_hold> make_hold();
    void tell_end(item_hold& hold) const;
    /// @returns whether it was one of the present grant
    bool forget(const std::shared_ptr<item_hold>& hold);
    void lose_holds();
    void end_grant();
    /// Forgets a guard without a request; others get the item when the lease is over.
    void leave_to_lease(const std::shared_ptr<item_hold>& hold);
    write_end lost(const std::shared_ptr<item_hold>& hold, shared_failure why);
    boost::asio::awaitable<write_end> end_with(std::shared_ptr<item_hold> hold, protocol::last_write last);
    write_end ran_out(const std::shared_ptr<item_hold>& hold);

    // The machine's callers.
    std::optional<dynalease::time_point> tries_until_known() override { return callers_.tries_until_known(may_land()); }
    bool wanted_together() override { return line_.size() > 0; }
    protocol::item_access wish() override { return first()->wish; }
    void serve() override;
    void kept() override;
    bool begin_renewal() override;
    void end_renewal() override;
    void lose_grant() override;
    void tell_release(const failure& how) override;
    void resolve_doubt(std::int64_t step) override;
    void end_hand_over() override;
    void end_release(const failure& how) override;
    void at_rest() override { line_.call(); }

    const std::string identity_;
    const item_lock_options options_;
    dynalease::time_point held_since_{};
    bool kept_ = false;                 ///< a coroutine keeps a plain session's grants alive
    session_driver* keeper_ = nullptr;  ///< ... by this
    bool renewing_ = false;
    bool forsaken_ = false;  ///< whoever has reserved it has left
    runtime::waiter_list<runtime::unit> renewed_;
    item_line line_;
    item_holds holds_;                  ///< of the present grant
    std::weak_ptr<item_hold> leaving_;  ///< the one that is being given back; it keeps us, not we it
    /// Let go, and being ended by a last write or with others, when the time of their grant was up.
    std::vector<std::weak_ptr<item_hold>> outlived_;
};

}  // namespace dynalease::detail
