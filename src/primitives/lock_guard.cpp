// The public handle of a grant.
#include <dynalease/lock_guard.hpp>

#include "primitives/empty_guard.hpp"
#include "primitives/lock_front.hpp"
#include "primitives/lock_hold.hpp"
#include "primitives/session_core.hpp"
#include "primitives/verb_failure.hpp"
#include "runtime/spawn.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>

#include <utility>

namespace dynalease {

namespace {

using boost::asio::awaitable;
using detail::lock_hold;

awaitable<runtime::completion<void>> run_release(std::shared_ptr<lock_hold> hold, diagnostics* details) {
    auto code = co_await hold->wait_finished();
    // The caller went away while the write was under way; the front goes on with it.
    if (code == boost::asio::error::operation_aborted) code = errc::in_doubt;
    if (code) detail::report(failure(code), details, "lock_guard.release", hold->name());
    co_return runtime::completion<void>{code};
}

awaitable<runtime::completion<void>> run_lost(std::shared_ptr<lock_hold> hold) {
    auto code = co_await hold->wait_lost();
    if (code == boost::asio::error::operation_aborted) code = errc::cancelled;
    co_return runtime::completion<void>{code};
}

awaitable<runtime::completion<void>> answer_with(error_code code) {
    co_return runtime::completion<void>{code};
}

}  // namespace

lock_guard::~lock_guard() {
    if (hold_) hold_->abandon();
}

lock_guard& lock_guard::operator=(lock_guard&& other) noexcept {
    if (this != &other) {
        const auto replaced = std::exchange(hold_, std::move(other.hold_));
        if (replaced) replaced->abandon();
    }
    return *this;
}

bool lock_guard::valid() const noexcept {
    return hold_ && hold_->valid();
}
guard_state lock_guard::state() const noexcept {
    return hold_ ? hold_->state() : guard_state::empty;
}
std::int64_t lock_guard::fencing_token() const noexcept {
    return hold_ ? hold_->claim().token : 0;
}

const std::string& lock_guard::name() const noexcept {
    static const std::string none;
    return hold_ ? hold_->front().name() : none;
}

condition_check lock_guard::fence() const {
    const auto now = state();
    if (now == guard_state::empty || now == guard_state::released) throw error(errc::not_held, {});
    return hold_->front().requests().fence(hold_->claim());
}

boost::asio::any_io_executor lock_guard::executor() const {
    // Only asked for by the initiation; an empty guard never runs anything there.
    if (!hold_) return boost::asio::system_executor();
    return hold_->core()->world().executor;
}

void lock_guard::release_verb::operator()(diagnostics* details, detail::handler_for<void> handler) && {
    if (!hold) {
        detail::answer_for_empty(std::move(handler));
        return;
    }
    const auto executor = hold->core()->world().executor;
    // Invalid from the call on, on whatever thread that is.
    const bool was_lost = hold->state() == guard_state::lost;
    if (!hold->let_go()) {
        const auto code = was_lost ? errc::lock_lost : errc::not_held;
        runtime::spawn<void>(executor, answer_with(code), std::move(handler));
        return;
    }
    // Not in the coroutine: one that is cancelled before its first step never runs.
    boost::asio::post(executor, [hold = hold] { hold->front().give_back(hold); });
    runtime::spawn<void>(executor, run_release(std::move(hold), details), std::move(handler));
}

void lock_guard::lost_verb::operator()(diagnostics*, detail::handler_for<void> handler) && {
    if (!hold) {
        detail::answer_for_empty(std::move(handler));
        return;
    }
    const auto executor = hold->core()->world().executor;
    runtime::spawn<void>(executor, run_lost(std::move(hold)), std::move(handler));
}

boost::asio::awaitable<void> lock_guard::release() {
    return detail::await_verb<void>(executor(), release_verb{hold_});
}

boost::asio::awaitable<void> lock_guard::lost() const {
    return detail::await_verb<void>(executor(), lost_verb{hold_});
}

}  // namespace dynalease
