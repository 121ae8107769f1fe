// What lives under a session: the one place of a process for one lock, queue or item.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynalease::detail {

/// Names a member among those of its session.
struct member_key {
    const void* kind;  ///< the address of its class's `membership`
    std::string_view name;
    friend bool operator==(const member_key&, const member_key&) = default;
};

/// A grant that was held, or on its way back, when its session began to close.
class pending_release {
public:
    virtual ~pending_release() = default;
    virtual const std::string& name() const noexcept = 0;
    /// How giving it back ended, as was told first; empty while it is not known.
    virtual const std::optional<error_code>& finished() const noexcept = 0;
    /// It was given back, whatever was told first, and is counted as that.
    virtual bool returned() const noexcept = 0;
    /// It was lost before, and is counted as that.
    virtual bool lost() const noexcept = 0;
    /// Neither given back nor lost: nothing was sent for it.
    virtual bool kept() const noexcept = 0;
    /// Whether work goes on under it.
    virtual bool in_use() const noexcept = 0;
    /// Completes once it has finished, or can no longer; at `until` at the latest.
    virtual boost::asio::awaitable<void> wait_finished_until(dynalease::time_point until) = 0;
};

/// Work that is done under a grant, and is told when the session closes. The grant is kept until the work has ended,
/// for its next holder must not begin beside it.
class bound_work {
public:
    virtual ~bound_work() = default;
    virtual void session_closes() noexcept = 0;
};

/// A session knows its members only so; what each does under it is the member's own matter.
class session_member {
public:
    virtual ~session_member() = default;
    /// The name lives as long as the member does.
    virtual member_key key() const noexcept = 0;

    // ---- the database's executor ----
    /// Keeps the member of the same name in a later life for as long as this one is kept, by handles that were made in
    /// its own: what their calls saw there is known to the next.
    void keep_later(std::shared_ptr<session_member> later) noexcept { later_ = std::move(later); }
    /// Where somebody may be waiting for himself, the log tells. @returns whether to ask again later
    virtual bool tell_long_wait() { return false; }
    /// The lease is over: fails all who wait; grants are lost.
    virtual void session_lost(const failure& why) = 0;
    /// The session begins to close: fails all who wait. Grants stay until `session_closes`.
    virtual void session_drains(const failure& why) = 0;
    /// The session closes: fails all who wait; grants are invalid at once, but those in use.
    /// @param release begin to give the grants back, but those in use; otherwise the lease ends them.
    virtual void session_closes(const failure& why, bool release) = 0;
    /// Adds those that are held, or on their way back.
    virtual void list_grants(std::vector<std::shared_ptr<pending_release>>& into) const = 0;
    /// Whether it is still at work on what has been given back, or given up. Asked while the session closes.
    virtual bool unsettled() const = 0;
    /// For people.
    virtual const std::string& title() const noexcept = 0;

private:
    std::shared_ptr<session_member> later_;
};

/// A member that may keep a claim open while nobody uses it: its every copy was refused, but the network may have made
/// one more.
class claiming_member : public session_member {
public:
    // ---- the database's executor ----
    virtual bool has_idle_claim() const noexcept = 0;
    /// The last copy of the open claim; empty: none is open, or none was sent.
    virtual std::optional<dynalease::time_point> last_sent() const noexcept = 0;
    /// @param look_first at whether it landed; else close it at once.
    virtual void resolve_claim(bool look_first) = 0;
};

}  // namespace dynalease::detail
