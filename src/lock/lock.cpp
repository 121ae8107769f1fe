// The public handle of a lock.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/lock/lock.hpp>

#include "database/called_verb.hpp"
#include "database/table_key.hpp"
#include "lock/lock_impl.hpp"
#include "lock/lock_options.hpp"
#include "lock/shown_lock.hpp"
#include "session/asking.hpp"
#include "session/callers.hpp"
#include "session/granted_data.hpp"
#include "session/protocol/session_requests.hpp"
#include "session/session_lives.hpp"
#include "session/session_options.hpp"

#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::lock_impl;
using lock_handle = detail::in_lives<detail::lock_target>;

awaitable<runtime::completion<lock_guard>> run_acquire(lock_handle target, acquire_options options, bool tries,
                                                       detail::asked_by by) {
    runtime::completion<lock_guard> done;
    if (const auto fault = detail::fault_of_data(options.data)) {
        done.code = detail::report(*fault, by.details);
        co_return done;
    }
    auto got = co_await detail::acquire(target, std::move(options.data), tries, options.wait);
    by.note_requests(got.requests);
    if (got.why) {
        auto why = *got.why;
        // Why its session could not be opened has been explained.
        if (got.asked) why = co_await detail::explained_by_key(target.lives, std::move(why));
        done.code = detail::report(why, by.details);
    } else {
        if (got.others) detail::report(*got.others, by.details);
        done.value = std::move(got.guard);
    }
    co_return done;
}

detail::called_verb called(const lock_handle& target, const char* verb, diagnostics* details) {
    return {details, verb, target.made.front->name(), target.lives->options().table};
}

void start_acquire(lock_handle target, acquire_options options, bool tries, diagnostics* details,
                   detail::handler_for<lock_guard> handler) {
    const auto executor = target.lives->world().executor;
    detail::asking<detail::lock_hold> asks(target.lives,
                                           called(target, tries ? "lock.try_acquire" : "lock.acquire", details));
    asks.expect(target.hooks, target.made.front->name(), target.lives->options().table);
    detail::start_asking<lock_guard>(
        executor, std::move(asks),
        [&](detail::asked_by by) { return run_acquire(std::move(target), std::move(options), tries, std::move(by)); },
        std::move(handler));
}

awaitable<runtime::completion<lock_info>> run_inspect(lock_handle handle, diagnostics* details) {
    const auto target = at_present(handle);
    auto& core = *target.core;
    runtime::completion<lock_info> done;
    auto look = target.front->requests().look();
    auto looked = co_await core.target().call(std::move(look));
    if (!looked) {
        const auto why = co_await detail::explained_by_key(core.target(), core.options().table, looked.error());
        done.code = detail::report(why, details);
        co_return done;
    }
    auto row = protocol::parse_lock_row(looked->found ? &*looked->found : nullptr);
    if (!row) {
        done.code = detail::report(row.error(), details);
        co_return done;
    }
    const bool named = row->holder.has_value();
    done.value = detail::shown_lock(*std::move(row));
    if (!named) co_return done;

    auto request = protocol::look_at_session(core.options().table, done.value.holder);
    auto seen = co_await core.target().call(std::move(request));
    if (!seen) {
        done.code = detail::report(seen.error(), details);
        co_return done;
    }
    if (!seen->found) co_return done;
    const auto holder = protocol::parse_session_row(*seen->found);
    if (!holder) {
        done.code = detail::report(holder.error(), details);
        co_return done;
    }
    detail::show_holder(done.value, *holder);
    co_return done;
}

}  // namespace

lock::lock(session& session, std::string name, lock_options options)
    : target_{detail::with_row(detail::access::core_of(session), "lock"), {}} {
    target_.hooks = target_.lives->hooks();
    auto& made = target_.made;
    made.core = target_.lives->present();
    made.front =
        made.core->members().member<lock_impl>(detail::checked_lock_name(std::move(name)), detail::checked(options));
}

lock::executor_type lock::get_executor() const noexcept {
    return target_.lives->world().executor;
}
const std::string& lock::name() const noexcept {
    return target_.made.front->name();
}

void lock::acquire_verb::operator()(diagnostics* details, detail::handler_for<lock_guard> handler) && {
    start_acquire(std::move(target), std::move(options), false, details, std::move(handler));
}

void lock::try_verb::operator()(diagnostics* details, detail::handler_for<lock_guard> handler) && {
    start_acquire(std::move(target), std::move(options), true, details, std::move(handler));
}

void lock::inspect_verb::operator()(diagnostics* details, detail::handler_for<lock_info> handler) && {
    const auto executor = target.lives->world().executor;
    auto what = called(target, "lock.inspect", details);
    detail::start_verb<lock_info>(executor, std::move(what), run_inspect(std::move(target), details),
                                  std::move(handler));
}

lock observed(lock inner, grant_hook hook) {
    auto& hooks = inner.target_.hooks;
    hooks = detail::with_hook(std::move(hook), std::move(hooks));
    return inner;
}

boost::asio::awaitable<lock_guard> lock::acquire(acquire_options options) const {
    return detail::await_verb<lock_guard>(get_executor(), acquire_verb{target_, std::move(options)});
}

boost::asio::awaitable<lock_guard> lock::try_acquire(acquire_options options) const {
    return detail::await_verb<lock_guard>(get_executor(), try_verb{target_, std::move(options)});
}

boost::asio::awaitable<lock_info> lock::inspect() const {
    return detail::await_verb<lock_info>(get_executor(), inspect_verb{target_});
}

}  // namespace dynalease
