// The public handle of an item's lock.
#include <dynalease/item_lock.hpp>

#include "primitives/item_front.hpp"
#include "primitives/item_options.hpp"
#include "primitives/session_core.hpp"
#include "primitives/verb_failure.hpp"
#include "runtime/cancellation.hpp"
#include "runtime/spawn.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::item_front;
using detail::item_target;
using protocol::item_access;

struct item_want {
    item_target target;
    item_acquire_options options;
    item_access access;
    bool tries;  ///< an empty guard if others hold it
};

awaitable<runtime::completion<item_guard>> run_acquire_item(item_want want, diagnostics* details) {
    auto& core = *want.target.core;
    auto& front = *want.target.front;
    const auto verb = want.tries ? "item_lock.try_acquire" : "item_lock.acquire";
    const auto& wait = want.options.wait;
    // A wait of no time is one attempt, which a deadline would cut short.
    const bool once = want.tries || (wait && *wait <= std::chrono::nanoseconds::zero());
    std::optional<time_point> deadline;
    if (wait && !once) deadline = core.now() + std::min(*wait, time_point::max() - core.now());

    runtime::completion<item_guard> done;
    const auto unopened = co_await core.open(deadline);
    if (unopened) {
        done.code = detail::report(*unopened, details, verb, front.name());
        co_return done;
    }
    error_code waited;
    detail::item_served served;
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        waited = boost::asio::error::operation_aborted;
    } else if (!once || !front.busy(want.access)) {
        item_front::waiter self(front, want.access, once);
        ++core.counters().waiting;
        front.wake();
        auto token = boost::asio::as_tuple(boost::asio::deferred);
        if (deadline) {
            auto got = co_await self.served.async_wait_until(*core.world().clock, *deadline, token);
            std::tie(waited, served) = std::move(got);
        } else {
            auto got = co_await self.served.async_wait(token);
            std::tie(waited, served) = std::move(got);
        }
        --core.counters().waiting;
    }
    if (waited) {
        const bool may_land = front.left();
        failure why(may_land                                  ? errc::in_doubt
                    : waited == boost::asio::error::timed_out ? errc::wait_timeout
                                                              : errc::cancelled);
        done.code = detail::report(why, details, verb, front.name());
    } else if (served.why) {
        done.code = detail::report(*served.why, details, verb, front.name());
    } else if (!served.guard && !want.tries) {
        done.code = detail::report(errc::wait_timeout, details, verb, front.name());
    } else {
        done.value = std::move(served.guard);
    }
    co_return done;
}

item_target target_of(const std::shared_ptr<detail::session_core>& core, item_ref target, item_lock_options options) {
    auto name = detail::item_name(target);
    const auto place = detail::checked_place(std::move(target), std::move(options));
    return {core, core->member<item_front>(std::move(name), place)};
}

}  // namespace

item_lock::item_lock(session& session, item_ref target, item_lock_options options)
    : target_(target_of(session.core_, std::move(target), std::move(options))) {}

item_lock::executor_type item_lock::get_executor() const noexcept {
    return target_.core->world().executor;
}
const std::string& item_lock::name() const noexcept {
    return target_.front->name();
}

void item_lock::acquire_verb::operator()(diagnostics* details, detail::handler_for<item_guard> handler) && {
    const auto executor = target.core->world().executor;
    const bool shares = way == item_way::shared || way == item_way::try_shared;
    item_want want{.target = std::move(target),
                   .options = options,
                   .access = shares ? item_access::shared : item_access::exclusive,
                   .tries = way == item_way::try_exclusive || way == item_way::try_shared};
    runtime::spawn<item_guard>(executor, run_acquire_item(std::move(want), details), std::move(handler));
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
