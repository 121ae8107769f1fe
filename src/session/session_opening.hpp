// How a life of a session is opened: its row is made, for whoever waits for that.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/alarm.hpp"
#include "session/openers.hpp"
#include "session/protocol/session_creation.hpp"
#include "session/wait_limit.hpp"

#include <dynalease/dynamodb/database.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>

namespace dynalease::detail {

class session_impl;

/// What has become of a session for whoever waited for it to be live.
struct opened {
    shared_failure why{};   ///< null: it is live
    unsigned requests = 0;  ///< that were sent for that since he came
};

class session_opening final : private attempt_watch {
public:
    explicit session_opening(session_impl& core);

    /// Completes when the session is live; the first caller has the row made.
    ///
    /// Who only tries is told of the first request that fails, or of the second without an answer, and at once where
    /// there is trouble already. Who asks until it is known who lives bears that for a lease, as he would wait for a
    /// dead holder's. Where nobody can be reached, who would wait for ever is told, too, while the session has never
    /// been live: there the endpoint may be wrong. All others wait until their time is over.
    boost::asio::awaitable<opened> until_live(wait_limit limit);
    /// Those who wait are told now, whatever becomes of the request that is under way.
    void session_closes();
    /// Completes when no request is under way that is to open the session; at `until` at the latest.
    boost::asio::awaitable<void> wait_ended(dynalease::time_point until);
    /// Nothing is sent any more.
    void session_ends();
    /// It is not live, and its row may stand there all the same, or may yet: the request that makes it has had no
    /// answer.
    bool row_in_doubt() const noexcept { return sent_ || (creation_ && creation_->in_doubt()); }

private:
    // The request that makes the row, between its attempts.
    void failed(const failure& why) override;
    bool goes_on() override;

    boost::asio::awaitable<void> run(std::shared_ptr<session_impl> self);
    boost::asio::awaitable<shared_failure> create_row();
    shared_failure over() const;
    failure given_up(error_code waited) const;
    shared_failure explain(failure why) const;
    void note_trouble(shared_failure told);

    session_impl& core_;
    openers openers_;
    runtime::alarm again_;
    bool trouble_logged_ = false;
    /// Kept while a copy of it is without an answer, for the next opening to go on with: else its row might stand there
    /// for ever, and be nobody's.
    std::optional<protocol::session_creation> creation_;
    bool sent_ = false;    ///< a copy of it is under way, or had no answer within the call that is
    bool pauses_ = false;  ///< that call is between two attempts
};

}  // namespace dynalease::detail
