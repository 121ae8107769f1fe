// Carries out on the network what the protocol of a member needs.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/step_driver.hpp"
#include "session/protocol/outage.hpp"

#include <dynalease/runtime/time.hpp>

#include <boost/asio/awaitable.hpp>

namespace dynalease::detail {

class session_impl;

class session_driver final : public step_driver {
public:
    explicit session_driver(session_impl& core) noexcept;
    /// @param known where it is to be found, until its end
    /// @param service is told of every request, and of its answer; null: nothing is
    /// @param watch sees each request between its attempts; null: nobody does
    session_driver(session_impl& core, session_driver*& known, protocol::outage* service = nullptr,
                   attempt_watch* watch = nullptr) noexcept;
    ~session_driver() override {
        if (known_) *known_ = nullptr;
    }

private:
    boost::asio::awaitable<void> look(protocol::look_step& wanted) override;
    void asked() override;
    void heard(time_point sent, const failure* why) override;
    void note(time_point sent, const failure* why);

    session_impl& core_;
    session_driver** known_ = nullptr;
    protocol::outage* service_ = nullptr;
};

}  // namespace dynalease::detail
