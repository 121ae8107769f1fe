// The public handle of a queue.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/queue/queue.hpp>

#include "database/called_verb.hpp"
#include "database/table_key.hpp"
#include "queue/queue_impl.hpp"
#include "queue/queue_inspect.hpp"
#include "queue/queue_options.hpp"
#include "runtime/cancellation.hpp"
#include "session/asking.hpp"
#include "session/callers.hpp"
#include "session/holder_words.hpp"
#include "session/session_lives.hpp"
#include "session/session_options.hpp"
#include "session/wait_limit.hpp"

#include <algorithm>
#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::queue_entrant;
using detail::queue_target;
using queue_handle = detail::in_lives<queue_target>;

awaitable<detail::queue_grant> enter_in_life(queue_target target, enter_options options, detail::wait_limit limit) {
    auto& core = *target.core;
    auto& front = *target.front;
    auto session = co_await core.opening().until_live(limit);
    if (session.why) co_return detail::not_asked<detail::queue_grant>(std::move(session));
    detail::queue_grant granted{.requests = session.requests, .asked = true};
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        granted.why = std::make_shared<const failure>(errc::cancelled);
        co_return granted;
    }
    if (limit.once && front.busy()) co_return granted;
    protocol::ticket_face face{core.options().owner, core.wall(), std::move(options.data)};
    place_hook places;
    if (!limit.once) places = std::move(options.on_place);
    const auto who = std::make_shared<queue_entrant>(core.world(), std::move(face), limit, std::move(places));
    ++core.counters().waiting;
    const auto before = front.view().requests_made();
    front.enter(who);
    const auto ended = co_await who->wait(limit.deadline, granted);
    --core.counters().waiting;
    if (ended) {
        const bool in_doubt = front.gave_up(who);
        granted.why = std::make_shared<const failure>(front.given_up(ended, in_doubt, *who));
    }
    if (granted.why) {
        granted.why =
            std::make_shared<const failure>(detail::with_last_seen(*granted.why, front.in_the_way(who.get())));
    }
    granted.requests = session.requests + front.view().requests_made() - before;
    granted.asked = true;
    co_return granted;
}

awaitable<runtime::completion<queue_turn>> run_enter(queue_handle handle, enter_options options, bool tries,
                                                     detail::asked_by by) {
    runtime::completion<queue_turn> done;
    if (const auto fault = detail::fault_of(options)) {
        done.code = detail::report(*fault, by.details);
        co_return done;
    }
    const auto came = handle.lives->world().clock->now();
    const auto limit = detail::limit_of(came, options.wait, tries);
    queue_target target;
    std::string holder;  // as the last life has seen it
    auto ask = [&](const std::shared_ptr<detail::session_impl>& life) {
        auto seen = target.front ? target.front->turn_in_words() : std::string();
        if (!seen.empty()) holder = std::move(seen);
        target = detail::in_life(handle, life);
        return enter_in_life(target, options, limit);
    };
    auto granted = co_await detail::ask_in_lives<detail::queue_grant>(handle.lives, limit, ask);
    // Of an outage that has ended its session, too, who asks until it is known who lives is told as of any other.
    if (granted.why && limit.until_known && granted.why->code == errc::session_lost) {
        if (auto unheard = target.front->view().service().unheard(came)) {
            granted.why = detail::after_requests(*std::move(unheard), granted.requests);
        }
    }
    by.note_requests(granted.requests);
    if (!granted.why && !granted.turn && !tries) {
        co_await target.front->see_holder(came);
        auto others = target.front->refused(came);
        if (limit.until_known && !target.front->held_here()) others = detail::told_until_known(std::move(others));
        granted.why = detail::after_requests(std::move(others), granted.requests);
    }
    if (granted.why) {
        auto why = granted.asked ? *granted.why : detail::with_last_seen(*granted.why, holder);
        // Why its session could not be opened has been explained.
        if (granted.asked) why = co_await detail::explained_by_key(handle.lives, std::move(why));
        done.code = detail::report(why, by.details);
    } else {
        if (!granted.turn) {
            const auto others = target.front->others_go_before(nullptr);
            detail::report(*detail::after_requests(others, granted.requests), by.details);
        }
        done.value = std::move(granted.turn);
    }
    co_return done;
}

detail::called_verb called(const queue_handle& target, const char* verb, diagnostics* details) {
    return {details, verb, protocol::words_of_queue(target.made.front->queue()), target.lives->options().table};
}

void start_enter(queue_handle target, enter_options options, bool tries, diagnostics* details,
                 detail::handler_for<queue_turn> handler) {
    const auto executor = target.lives->world().executor;
    detail::asking<detail::queue_hold> asks(target.lives,
                                            called(target, tries ? "queue.try_enter" : "queue.enter", details));
    asks.expect(target.hooks, target.made.front->queue().entity, target.lives->options().table);
    detail::start_asking<queue_turn>(
        executor, std::move(asks),
        [&](detail::asked_by by) { return run_enter(std::move(target), std::move(options), tries, std::move(by)); },
        std::move(handler));
}

awaitable<result<queue_info>> look_at_queue(const queue_handle& handle) {
    auto target = at_present(handle);
    auto& core = *target.core;
    auto seen = co_await detail::survey(target);
    if (seen) co_return seen;
    co_return co_await detail::explained_by_key(core.target(), core.options().table, std::move(seen).error());
}

awaitable<runtime::completion<queue_info>> run_inspect_queue(queue_handle handle, diagnostics* details) {
    runtime::completion<queue_info> done;
    auto seen = co_await look_at_queue(handle);
    if (seen) {
        done.value = *std::move(seen);
    } else {
        done.code = detail::report(std::move(seen).error(), details);
    }
    co_return done;
}

awaitable<runtime::completion<std::size_t>> run_position(queue_handle handle, diagnostics* details) {
    runtime::completion<std::size_t> done;
    const auto seen = co_await look_at_queue(handle);
    if (seen) {
        done.value = seen->waiting.size() + (seen->holder ? 1 : 0);
    } else {
        done.code = detail::report(seen.error(), details);
    }
    co_return done;
}

}  // namespace

queue::queue(session& session, std::string entity, queue_options options)
    : target_{detail::with_row(detail::access::core_of(session), "queue"), {}} {
    target_.hooks = target_.lives->hooks();
    options = detail::checked(std::move(options));
    auto name = detail::queue_impl::member_name(detail::checked_entity(std::move(entity)), options.reason);
    auto& made = target_.made;
    made.core = target_.lives->present();
    made.front = made.core->members().member<detail::queue_impl>(std::move(name), options);
}

queue::executor_type queue::get_executor() const noexcept {
    return target_.lives->world().executor;
}
const std::string& queue::name() const noexcept {
    return target_.made.front->queue().entity;
}
const std::string& queue::reason() const noexcept {
    return target_.made.front->queue().reason;
}

void queue::enter_verb::operator()(diagnostics* details, detail::handler_for<queue_turn> handler) && {
    start_enter(std::move(target), std::move(options), false, details, std::move(handler));
}

void queue::try_verb::operator()(diagnostics* details, detail::handler_for<queue_turn> handler) && {
    start_enter(std::move(target), std::move(options), true, details, std::move(handler));
}

void queue::position_verb::operator()(diagnostics* details, detail::handler_for<std::size_t> handler) && {
    const auto executor = target.lives->world().executor;
    auto what = called(target, "queue.position", details);
    detail::start_verb<std::size_t>(executor, std::move(what), run_position(std::move(target), details),
                                    std::move(handler));
}

void queue::inspect_verb::operator()(diagnostics* details, detail::handler_for<queue_info> handler) && {
    const auto executor = target.lives->world().executor;
    auto what = called(target, "queue.inspect", details);
    detail::start_verb<queue_info>(executor, std::move(what), run_inspect_queue(std::move(target), details),
                                   std::move(handler));
}

queue observed(queue inner, grant_hook hook) {
    auto& hooks = inner.target_.hooks;
    hooks = detail::with_hook(std::move(hook), std::move(hooks));
    return inner;
}

boost::asio::awaitable<queue_turn> queue::enter(enter_options options) const {
    return detail::await_verb<queue_turn>(get_executor(), enter_verb{target_, std::move(options)});
}

boost::asio::awaitable<queue_turn> queue::try_enter(enter_options options) const {
    return detail::await_verb<queue_turn>(get_executor(), try_verb{target_, std::move(options)});
}

boost::asio::awaitable<std::size_t> queue::position() const {
    return detail::await_verb<std::size_t>(get_executor(), position_verb{target_});
}

boost::asio::awaitable<queue_info> queue::inspect() const {
    return detail::await_verb<queue_info>(get_executor(), inspect_verb{target_});
}

}  // namespace dynalease
