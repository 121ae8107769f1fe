// One grant of a lock: what a `lock_guard` points to.
#pragma once

#include "primitives/session_member.hpp"
#include "protocol/claim.hpp"
#include "runtime/waiter_list.hpp"

#include <dynalease/lock_guard.hpp>

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace dynalease::detail {

class lock_front;
class session_core;

class lock_hold final : public parting, public std::enable_shared_from_this<lock_hold> {
public:
    lock_hold(std::shared_ptr<session_core> core, std::shared_ptr<lock_front> front, const protocol::claim& claim);

    // ---- any thread ----
    bool valid() const noexcept;
    guard_state state() const noexcept;
    const protocol::claim& claim() const noexcept { return claim_; }
    lock_front& front() const noexcept { return *front_; }
    const std::shared_ptr<session_core>& core() const noexcept { return core_; }
    /// Invalid from here on. @returns false if it was lost or released before.
    bool let_go() noexcept;
    /// The guard's destructor: lets go, and has the lock given back in the background.
    void abandon() noexcept;

    // ---- the database's executor ----
    /// Not ours any more, without our doing.
    void lose();
    /// The end of a release, or of a hand-over.
    void finish(error_code code);
    const std::string& name() const noexcept override;
    const std::optional<error_code>& finished() const noexcept override { return finished_; }
    boost::asio::awaitable<error_code> wait_finished();
    boost::asio::awaitable<error_code> wait_lost();

    static lock_guard make_guard(std::shared_ptr<lock_hold> hold) noexcept { return lock_guard(std::move(hold)); }

private:
    using event = runtime::waiter_list<runtime::unit>;
    /// Few holds are ever waited for, and there may be a hundred thousand.
    event& waiters(std::unique_ptr<event>& list);

    std::shared_ptr<session_core> core_;
    std::shared_ptr<lock_front> front_;
    protocol::claim claim_;
    std::atomic<guard_state> state_{guard_state::held};
    std::optional<error_code> finished_;
    std::unique_ptr<event> lost_;
    std::unique_ptr<event> released_;
};

}  // namespace dynalease::detail
