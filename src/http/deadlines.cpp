// Room http: the one timer behind all deadlines.
// SPDX-License-Identifier: BSL-1.0
#include "http/deadlines.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>

namespace dynalease::http {

namespace asio = boost::asio;

void deadlines::add(deadline& item, clock::time_point when) {
    item.when_ = when;
    pending_.insert(pending_.end(), item);  // mostly in order: constant time
    if (!waiting_until_) {
        wait();
    } else if (when < *waiting_until_) {
        cancel_wait_.emit(asio::cancellation_type::terminal);  // `woken` waits anew, for this one
    }
}

void deadlines::remove(deadline& item) noexcept {
    if (!item.is_linked()) return;
    item.unlink();
    if (!pending_.empty() || !waiting_until_ || idle_check_posted_) return;
    // A caller that sends its requests one by one adds the next deadline before the posted check runs.
    idle_check_posted_ = true;
    asio::post(world_.executor, [self = shared_from_this()] { self->rest_if_idle(); });
}

void deadlines::abandon() noexcept {
    pending_.clear();
    waiting_until_.reset();
}

void deadlines::wait() {
    const auto when = pending_.begin()->when_;
    world_.clock->async_wait_until(
        when, asio::bind_cancellation_slot(
                             cancel_wait_.slot(),
                             asio::bind_executor(world_.executor, [self = shared_from_this()](
                                                                      boost::system::error_code) { self->woken(); })));
    waiting_until_ = when;  // only now that it is waited for
}

void deadlines::woken() {
    waiting_until_.reset();
    const auto time = now();
    while (!pending_.empty() && pending_.begin()->when_ <= time) {
        auto& item = *pending_.begin();
        pending_.erase(pending_.begin());
        item.expired();
    }
    if (!pending_.empty() && !waiting_until_) wait();
}

void deadlines::rest_if_idle() {
    idle_check_posted_ = false;
    if (pending_.empty() && waiting_until_) cancel_wait_.emit(asio::cancellation_type::terminal);
}

}  // namespace dynalease::http
