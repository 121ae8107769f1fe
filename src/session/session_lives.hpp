// The lives of a session, one after the other: what its handle, and every handle made from it, points to.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/own_process.hpp"
#include "session/grant_hooks.hpp"
#include "session/session_impl.hpp"

#include <dynalease/dynamodb/database.hpp>
#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace dynalease::detail {

/// A life is a `session_impl`: one identity, one row, one lease. What was granted, asked for or waited for in it ends
/// with it; the next shares its options and counters, and nothing else. So handles ask for the present life when a verb
/// begins, and guards keep the one in which they were granted. Any thread.
class session_lives {
public:
    session_lives(database target, session_terms terms)
        : target_(std::move(target)),
          present_(std::make_shared<session_impl>(target_, std::move(terms), session_ancestry{.counters = counters_})),
          options_(present_->options()),
          hooks_(with_hook(options_.on_grant, nullptr)) {}

    const environment& world() const noexcept { return target_.environment(); }
    const session_options& options() const noexcept { return options_; }
    /// Null: nobody is told of grants.
    const std::shared_ptr<const grant_hooks>& hooks() const noexcept { return hooks_; }
    /// Of all lives; changed on the database's executor alone.
    protocol::session_tally& counters() noexcept { return *counters_; }
    /// In the name of the present life.
    void log(severity level, const std::string& line) const;
    /// For destructors: nothing can be posted any more.
    bool context_ended() const noexcept;
    /// In which what is begun now is begun. Where the last life was lost this makes the next, which costs nothing until
    /// its first lease.
    std::shared_ptr<session_impl> present();
    /// That life was lost, and another has come after it.
    bool left_behind(const session_impl& life) { return present().get() != &life; }
    session_state state() const noexcept;
    /// No other life begins.
    /// @returns the last, in which all who ask from here on are told that it is closed
    std::shared_ptr<session_impl> announce_close(const close_options& how);

private:
    const std::shared_ptr<session_impl>& present_now();
    std::unique_lock<std::mutex> held() const;

    const database target_;
    const runtime::own_process process_;
    const std::shared_ptr<protocol::session_tally> counters_ = std::make_shared<protocol::session_tally>();
    mutable std::mutex mutex_;  ///< of the next, and of whether it is closed
    std::shared_ptr<session_impl> present_;
    bool closed_ = false;
    const session_options options_;
    const std::shared_ptr<const grant_hooks> hooks_;
};

/// `explained_by_key` of a verb that was refused, for the session's own table.
boost::asio::awaitable<failure> explained_by_key(std::shared_ptr<session_lives> lives, failure why);

/// The object behind a handle, in that life of its session. On the database's executor.
template <class Target>
Target in_life(const in_lives<Target>& handle, const std::shared_ptr<session_impl>& life) {
    if (life == handle.made.core) return handle.made;
    auto front = handle.made.front->in(*life);
    handle.made.front->keep_later(front);
    return {life, std::move(front)};
}

/// ... in the present one.
template <class Target>
Target at_present(const in_lives<Target>& handle) {
    const auto life = handle.lives->present();
    return in_life(handle, life);
}

/// Whether a call that ended so has ended with its life, so that it is to be made again in the next. Nothing of it can
/// take effect any more but for copies that are under way, of claims that died with it.
inline bool ends_with_its_life(session_lives& lives, const session_impl& life, const error_code& code) {
    return code == errc::session_lost && lives.left_behind(life);
}

}  // namespace dynalease::detail
