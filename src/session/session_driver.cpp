// Carries out on the network what the protocol of a member needs.
// SPDX-License-Identifier: BSL-1.0
#include "session/session_driver.hpp"

#include "session/session_impl.hpp"

#include <memory>

namespace dynalease::detail {

session_driver::session_driver(session_impl& core) noexcept : step_driver(core.target()), core_(core) {}

session_driver::session_driver(session_impl& core, session_driver*& known, protocol::outage* service,
                               attempt_watch* watch) noexcept
    : step_driver(core.target(), watch), core_(core), known_(&known), service_(service) {
    known = this;
}

void session_driver::asked() {
    if (service_) service_->asked();
}

void session_driver::heard(time_point sent, const failure* why) {
    if (why) core_.heed(*why);
    note(sent, why);
}

void session_driver::note(time_point sent, const failure* why) {
    if (service_) service_->heard(sent, why ? std::make_shared<const failure>(*why) : nullptr);
}

boost::asio::awaitable<void> session_driver::look(protocol::look_step& wanted) {
    const auto sent = core_.now();
    asked();
    wanted.unseen = co_await core_.remotes().look(wanted.session, watch());
    note(sent, wanted.unseen ? &*wanted.unseen : nullptr);
}

}  // namespace dynalease::detail
