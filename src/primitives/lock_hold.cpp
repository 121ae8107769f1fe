// One grant of a lock.
#include "primitives/lock_hold.hpp"

#include "primitives/lock_front.hpp"
#include "primitives/session_core.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace dynalease::detail {

lock_hold::lock_hold(std::shared_ptr<session_core> session, std::shared_ptr<lock_front> front,
                     const protocol::claim& claim)
    : hold(std::move(session)), front_(std::move(front)), claim_(claim) {}

const std::string& lock_hold::name() const noexcept {
    return front_->name();
}

void lock_hold::abandon() noexcept {
    if (!let_go()) return;
    boost::asio::post(core()->world().executor, [self = shared_from_this()] { self->front_->give_back(self); });
}

}  // namespace dynalease::detail
