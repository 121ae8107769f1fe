// Work that is cancelled when the grant it was done under is lost, or its session closes.
// SPDX-License-Identifier: BSL-1.0
#include "session/guarded_work.hpp"

#include "session/guard_verbs.hpp"
#include "session/session_impl.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace dynalease::detail {

namespace asio = boost::asio;

namespace {

/// A write of the work may have been applied. That is never told as less, whatever else is true.
bool in_doubt(const std::exception_ptr& thrown) {
    if (!thrown) return false;
    try {
        std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& why) {
        return why.code() == condition::in_doubt;
    } catch (...) {
        return false;
    }
}

/// @param why in words; may be empty
error ended_early(const hold& grant, guarded_verb verb, errc how, bool cancelled, std::string_view why) {
    diagnostics about;
    about.operation = verb.name;
    about.table = grant.table();
    about.key = grant.title();
    about.message = std::string(verb.held) + (how == errc::lock_lost ? " was lost" : "'s session was closed") +
                    " before the work under it ended";
    if (cancelled) about.message += "; the work was cancelled";
    if (!why.empty()) about.message += ": " + std::string(why);
    return error(how, std::move(about));
}

}  // namespace

void check_kept_under_work(const hold& grant, guarded_verb verb, error_code end, const diagnostics& why) {
    // A session that is lost after the work's end does not tell that somebody had the grant before; nor does a release
    // that comes when the grant was anybody's to take.
    const bool found_lost = end == errc::lock_lost && !grant.may_have_run_out();
    if (found_lost || grant.lost_under_work()) {
        // What ended its guard by then knows nothing of the loss.
        const auto known = grant.lost_under_work() ? grant.why_lost() : std::string();
        throw ended_early(grant, verb, errc::lock_lost, false, known.empty() ? why.message : known);
    }
}

guarded_work::guarded_work(asio::any_io_executor executor, std::shared_ptr<hold> grant, guarded_verb verb,
                           guarded_handler&& handler)
    : executor_(std::move(executor)), grant_(std::move(grant)), verb_(verb), handler_(std::move(handler)) {}

asio::awaitable<runtime::completion<void>> guarded_work::run([[maybe_unused]] std::shared_ptr<guarded_work> self,
                                                             asio::awaitable<void> work) {
    // As in any coroutine of the caller's: once it is cancelled, each of its awaits says so, however often it goes on.
    co_await asio::this_coro::throw_if_cancelled(true);
    try {
        co_await std::move(work);
    } catch (...) {
        thrown_ = std::current_exception();
    }
    // The loop may stand still before anything else.
    grant_->note_work_ended();
    co_return runtime::completion<void>{};
}

void guarded_work::start(asio::awaitable<void> work) {
    const auto self = shared_from_this();
    if (!grant_->core()->members().begin_work(self, *grant_)) {
        cancelled_for_ = errc::session_closed;
        asio::post(executor_, [self] { self->finish(); });
        return;
    }
    // The grant keeps who waits for its loss, and the work its grant: where no loop runs any more, neither would end.
    auto on_loss = [of = weak_from_this()](error_code code) {
        const auto alive = of.lock();
        if (alive && !code) alive->cancel_for(errc::lock_lost);
    };
    start_waiting_for_loss(
        grant_, {}, asio::bind_cancellation_slot(watch_.slot(), asio::bind_executor(executor_, std::move(on_loss))));
    auto slot = asio::get_associated_cancellation_slot(handler_);
    if (slot.is_connected()) {
        slot.assign([weak = std::weak_ptr(self)](asio::cancellation_type type) {
            if (auto alive = weak.lock()) {
                const auto executor = alive->executor_;
                asio::dispatch(executor, [alive = std::move(alive), type] { alive->body_.emit(type); });
            }
        });
    }
    auto on_end = [self](error_code code) {
        // Cancelled before its first step, the work has not run at all.
        if (code) self->thrown_ = std::make_exception_ptr(error(errc::cancelled, {}));
        self->finish();
    };
    runtime::spawn<void>(executor_, run(self, std::move(work)),
                         asio::bind_cancellation_slot(body_.slot(), asio::bind_executor(executor_, std::move(on_end))));
}

void guarded_work::session_closes() noexcept {
    // The body may have given it back already.
    if (!grant_->kept()) return;
    asio::post(executor_, [self = shared_from_this()] { self->cancel_for(errc::session_closed); });
}

void guarded_work::cancel_for(errc why) {
    if (ended_ || cancelled_for_) return;
    cancelled_for_ = why;
    body_.emit(asio::cancellation_type::terminal);
}

void guarded_work::finish() {
    ended_ = true;
    grant_->core()->members().end_work(shared_from_this(), *grant_);
    watch_.emit(asio::cancellation_type::terminal);
    auto outcome = thrown_;
    auto ended_for = cancelled_for_;
    // What it throws does not hide a loss that nobody had noticed by then.
    if (!ended_for && thrown_ && grant_->lost_under_work()) ended_for = errc::lock_lost;
    if (ended_for && !in_doubt(thrown_)) {
        const auto why = *ended_for == errc::lock_lost ? grant_->why_lost() : std::string();
        outcome = std::make_exception_ptr(ended_early(*grant_, verb_, *ended_for, cancelled_for_.has_value(), why));
    }
    const auto where = asio::get_associated_executor(handler_, executor_);
    asio::dispatch(where, [handler = std::move(handler_), outcome]() mutable { std::move(handler)(outcome); });
}

}  // namespace dynalease::detail
