// One grant of an item's lock.
#include "primitives/item_hold.hpp"

#include "primitives/item_front.hpp"
#include "primitives/session_core.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace dynalease::detail {

item_hold::item_hold(std::shared_ptr<session_core> core, std::shared_ptr<item_front> front,
                     const protocol::item_grant& granted)
    : hold(std::move(core)),
      front_(std::move(front)),
      claim_(granted.id),
      exclusive_(granted.access == protocol::item_access::exclusive) {}

const std::string& item_hold::name() const noexcept {
    return front_->name();
}

condition_check item_hold::fence() const {
    const auto access = exclusive_ ? protocol::item_access::exclusive : protocol::item_access::shared;
    return front_->requests().fence({.id = claim_, .access = access});
}

void item_hold::abandon() noexcept {
    if (!let_go()) return;
    boost::asio::post(core()->world().executor, [self = shared_from_this()] { self->front_->give_back(self); });
}

}  // namespace dynalease::detail
