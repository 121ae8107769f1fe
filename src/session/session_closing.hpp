// How a life of a session is closed: its work ends, its grants are given back, and its row says so.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/waiter_list.hpp"
#include "session/session_member.hpp"

#include <dynalease/runtime/time.hpp>
#include <dynalease/session.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace dynalease::detail {

class session_impl;

class session_closing {
public:
    explicit session_closing(session_impl& core);

    /// It is closed from here on for all who ask. Any thread, but one at a time.
    void announced() noexcept;
    /// Once, after that. `wait` tells the end.
    void begin(const close_options& options);
    boost::asio::awaitable<result<close_report>> wait();

private:
    boost::asio::awaitable<void> run(std::shared_ptr<session_impl> self, close_options options);
    boost::asio::awaitable<bool> release_all(dynalease::time_point until);
    void leave_all();
    void list_unreleased(const std::vector<std::shared_ptr<session_member>>& members);
    void list(const std::vector<std::shared_ptr<pending_release>>& grants);
    boost::asio::awaitable<void> end_rows(bool release, bool idle, dynalease::time_point until);
    boost::asio::awaitable<void> close_row(dynalease::time_point until);
    static boost::asio::awaitable<void> close_late(std::shared_ptr<session_impl> self);
    void count();
    void end();

    session_impl& core_;
    std::optional<session_counters> before_;                  ///< when it was announced
    std::vector<std::shared_ptr<pending_release>> grants_{};  ///< held, or on their way back, when it began
    struct unreleased {
        close_report::unreleased told;
        std::shared_ptr<pending_release> grant{};  ///< null: it is no grant, but a claim or a place
    };
    std::vector<unreleased> unreleased_{};  ///< as far as is known
    close_report report_;
    bool done_ = false;  ///< what could be
    runtime::waiter_list<runtime::unit> waiters_;
};

}  // namespace dynalease::detail
