// Keep-alive connections to one endpoint: who gets which, who waits, what is closed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "counters/tallied.hpp"
#include "http/connector.hpp"
#include "http/pool_policy.hpp"
#include "runtime/context_tenant.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dynalease::http {

class pool;

/// A connection on loan. Gives it back when destroyed.
class lease {
public:
    lease() = default;
    lease(lease&&) noexcept = default;
    lease& operator=(lease&& other) noexcept {
        lease(std::move(other)).swap(*this);
        return *this;
    }
    ~lease() { give_back(); }

    explicit operator bool() const noexcept { return connection_ != nullptr; }
    connection* operator->() const noexcept { return connection_.get(); }
    void give_back() noexcept;

private:
    friend class pool;
    lease(std::shared_ptr<pool> owner, std::shared_ptr<connection> held, pool_policy::slot which)
        : owner_(std::move(owner)), connection_(std::move(held)), which_(which) {}
    void swap(lease& other) noexcept {
        owner_.swap(other.owner_);
        connection_.swap(other.connection_);
        std::swap(which_, other.which_);
    }

    std::shared_ptr<pool> owner_;
    std::shared_ptr<connection> connection_;
    pool_policy::slot which_ = 0;
};

struct pool_counters {
    std::uint64_t opened = 0;
    std::uint64_t reused = 0;
    std::size_t open = 0;     ///< now
    std::size_t waiting = 0;  ///< now
};

/// Lives on the environment's executor.
class pool : public runtime::context_tenant {
public:
    pool(environment world, std::shared_ptr<deadlines> timing, std::shared_ptr<connector> source,
         pool_policy::limits limits);
    ~pool() override;

    /// An open connection that nobody uses, without waiting; empty if there is none or others wait already. Whether its
    /// peer has left meanwhile only the exchange can tell: `errc::server_error`, and no byte written.
    lease try_take();

    /// Waits in line for a connection. The handler is `void(error_code, lease)`, belongs to the environment's
    /// executor and is called exactly once, never inside this call. Nothing of a request has been sent then.
    ///
    /// Errors: `errc::timeout` at the deadline; `errc::throttled` when the line is full; `errc::unreachable` and
    /// `errc::tls_failed` when no connection can be opened (see `problem`); `errc::cancelled`; `errc::shut_down`.
    /// Cancellation, of any type: leaves the line.
    template <class Token>
    auto take(clock::time_point until, Token&& token) {
        return boost::asio::async_initiate<Token, void(error_code, lease)>(
            [](auto handler, pool* self, clock::time_point when) {
                self->wait(lease_handler(std::move(handler)), when);
            },
            token, this, until);
    }

    /// Why the last connection could not be opened, in words.
    const std::string& problem() const noexcept { return problem_; }
    /// Any thread.
    pool_counters counters() const noexcept;
    /// Closes what has been idle for too long. No timer does, for it would keep `run()` from returning: whoever uses
    /// another pool of the same client should call it.
    void tidy(clock::time_point now) noexcept;
    /// How often this process began as the child of a fork since the pool was made: what was begun before is its
    /// parent's business.
    unsigned forks() const noexcept { return forks_; }

    /// Fails who waits with `errc::shut_down` and closes every connection, those on loan too.
    void close();

private:
    friend class lease;
    using lease_handler = boost::asio::any_completion_handler<void(error_code, lease)>;
    class waiter;
    class next_attempt;
    using line = std::list<waiter>;

    void wait(lease_handler handler, clock::time_point until);
    void abandon() noexcept override;
    void forked() override;
    std::shared_ptr<pool> self() { return std::static_pointer_cast<pool>(shared_from_this()); }
    void leave(waiter& who, errc why);
    void open_more();
    void opened(pool_policy::slot which, connector::opened result);
    void give_back(pool_policy::slot which) noexcept;
    void serve_first(error_code error, lease held);
    void answer(lease_handler handler, error_code error, lease held);

    environment world_;
    std::shared_ptr<deadlines> timing_;
    std::shared_ptr<connector> source_;
    pool_policy policy_;
    std::vector<std::shared_ptr<connection>> connections_;  // by slot
    line line_;
    std::unique_ptr<next_attempt> next_attempt_;
    std::string problem_;
    detail::tallied opened_;
    detail::tallied reused_;
    unsigned forks_ = 0;
    std::atomic<bool> closed_{false};
};

inline void lease::give_back() noexcept {
    if (const auto owner = std::exchange(owner_, nullptr)) {
        connection_.reset();
        owner->give_back(which_);
    }
}

}  // namespace dynalease::http
