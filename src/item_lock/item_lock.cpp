// The public handle of an item's lock.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/item_lock/item_lock.hpp>

#include "database/called_verb.hpp"
#include "item_lock/item_lock_options.hpp"
#include "session/asking.hpp"
#include "session/callers.hpp"
#include "session/session_lives.hpp"

#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::item_lock_impl;
using item_handle = detail::in_lives<detail::item_target>;
using protocol::item_access;

awaitable<runtime::completion<item_guard>> run_acquire(item_handle target, item_access access, bool tries,
                                                       item_acquire_options options, detail::asked_by by) {
    runtime::completion<item_guard> done;
    auto got = co_await detail::acquire(target, access, tries, options.wait);
    by.note_requests(got.requests);
    if (got.why) {
        done.code = detail::report(*got.why, by.details);
    } else {
        if (got.others) detail::report(*got.others, by.details);
        done.value = std::move(got.guard);
    }
    co_return done;
}

}  // namespace

item_lock::item_lock(session& session, item_ref target, item_lock_options options)
    : target_{detail::access::core_of(session), {}} {
    target_.hooks = target_.lives->hooks();
    target_.made = detail::item_target_of(target_.lives->present(), std::move(target), std::move(options));
}

item_lock::executor_type item_lock::get_executor() const noexcept {
    return target_.lives->world().executor;
}
const std::string& item_lock::name() const noexcept {
    return target_.made.front->name();
}

void item_lock::acquire_verb::operator()(diagnostics* details, detail::handler_for<item_guard> handler) && {
    const auto executor = target.lives->world().executor;
    const bool shares = way == item_way::shared || way == item_way::try_shared;
    const bool tries = way == item_way::try_exclusive || way == item_way::try_shared;
    const auto access = shares ? item_access::shared : item_access::exclusive;
    const auto& front = *target.made.front;
    const auto& table = front.item().layout.table;
    detail::called_verb called{details, tries ? "item_lock.try_acquire" : "item_lock.acquire", front.name(), table};
    if (shares) called.verb = tries ? "item_lock.try_acquire_shared" : "item_lock.acquire_shared";
    detail::asking<detail::item_hold> asks(target.lives, std::move(called));
    asks.expect(target.hooks, front.name(), table);
    detail::start_asking<item_guard>(
        executor, std::move(asks),
        [&](detail::asked_by by) { return run_acquire(std::move(target), access, tries, options, std::move(by)); },
        std::move(handler));
}

item_lock observed(item_lock inner, grant_hook hook) {
    auto& hooks = inner.target_.hooks;
    hooks = detail::with_hook(std::move(hook), std::move(hooks));
    return inner;
}

boost::asio::awaitable<item_guard> item_lock::acquire(item_acquire_options options) const {
    return detail::await_verb<item_guard>(get_executor(), acquire_verb{target_, options, item_way::exclusive});
}

boost::asio::awaitable<item_guard> item_lock::acquire_shared(item_acquire_options options) const {
    return detail::await_verb<item_guard>(get_executor(), acquire_verb{target_, options, item_way::shared});
}

boost::asio::awaitable<item_guard> item_lock::try_acquire() const {
    return detail::await_verb<item_guard>(get_executor(), acquire_verb{target_, {}, item_way::try_exclusive});
}

boost::asio::awaitable<item_guard> item_lock::try_acquire_shared() const {
    return detail::await_verb<item_guard>(get_executor(), acquire_verb{target_, {}, item_way::try_shared});
}

}  // namespace dynalease
