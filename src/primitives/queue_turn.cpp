// The public handle of a turn in a queue.
#include <dynalease/queue_turn.hpp>

#include "primitives/empty_guard.hpp"
#include "primitives/queue_front.hpp"
#include "primitives/queue_hold.hpp"
#include "primitives/verb_failure.hpp"
#include "runtime/spawn.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>

#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::queue_hold;

awaitable<runtime::completion<void>> run_leave(std::shared_ptr<queue_hold> hold, diagnostics* details) {
    auto code = co_await hold->wait_finished();
    // The caller went away while the write was under way; the front goes on with it.
    if (code == boost::asio::error::operation_aborted) code = errc::in_doubt;
    if (code) detail::report(failure(code), details, "queue_turn.leave", hold->name());
    co_return runtime::completion<void>{code};
}

awaitable<runtime::completion<void>> run_turn_lost(std::shared_ptr<queue_hold> hold) {
    auto code = co_await hold->wait_lost();
    if (code == boost::asio::error::operation_aborted) code = errc::cancelled;
    co_return runtime::completion<void>{code};
}

awaitable<runtime::completion<void>> tell_of_turn(error_code code) {
    co_return runtime::completion<void>{code};
}

}  // namespace

queue_turn::~queue_turn() {
    if (hold_) hold_->abandon();
}

queue_turn& queue_turn::operator=(queue_turn&& other) noexcept {
    if (this != &other) {
        const auto replaced = std::exchange(hold_, std::move(other.hold_));
        if (replaced) replaced->abandon();
    }
    return *this;
}

bool queue_turn::valid() const noexcept {
    return hold_ && hold_->valid();
}
guard_state queue_turn::state() const noexcept {
    return hold_ ? hold_->state() : guard_state::empty;
}
std::int64_t queue_turn::ticket() const noexcept {
    return hold_ ? hold_->mine().ticket : 0;
}
std::size_t queue_turn::position() const noexcept {
    return hold_ ? hold_->position() : 0;
}
const std::string& queue_turn::name() const noexcept {
    static const std::string none;
    return hold_ ? hold_->name() : none;
}

condition_check queue_turn::fence() const {
    const auto now = state();
    if (now == guard_state::empty || now == guard_state::released) throw error(errc::not_held, {});
    return hold_->front().requests().fence(hold_->mine());
}

boost::asio::any_io_executor queue_turn::executor() const {
    // Only asked for by the initiation; an empty turn never runs anything there.
    if (!hold_) return boost::asio::system_executor();
    return hold_->core()->world().executor;
}

void queue_turn::leave_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    if (!hold) {
        detail::answer_for_empty(std::move(handler));
        return;
    }
    const auto executor = hold->core()->world().executor;
    // Invalid from the call on, on whatever thread that is.
    const bool was_lost = hold->state() == guard_state::lost;
    if (was_lost || !hold->let_go()) {
        const auto code = was_lost ? errc::lock_lost : errc::not_held;
        runtime::spawn<void>(executor, tell_of_turn(code), std::move(handler));
        return;
    }
    // Not in the coroutine: one that is cancelled before its first step never runs.
    boost::asio::post(executor, [hold = hold] { hold->front().leave(hold); });
    runtime::spawn<void>(executor, run_leave(std::move(hold), details), std::move(handler));
}

void queue_turn::lost_verb::operator()(diagnostics*, detail::handler_for<void> handler) && {
    if (!hold) {
        detail::answer_for_empty(std::move(handler));
        return;
    }
    const auto executor = hold->core()->world().executor;
    runtime::spawn<void>(executor, run_turn_lost(std::move(hold)), std::move(handler));
}

boost::asio::awaitable<void> queue_turn::leave() {
    return detail::await_verb<void>(executor(), leave_verb{hold_});
}

boost::asio::awaitable<void> queue_turn::lost() const {
    return detail::await_verb<void>(executor(), lost_verb{hold_});
}

}  // namespace dynalease
