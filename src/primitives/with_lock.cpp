// Work that is cancelled when its lock is lost.
#include <dynalease/with_lock.hpp>

#include "runtime/spawn.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/dispatch.hpp>

#include <memory>
#include <utility>

namespace dynalease::detail {

namespace {

/// Touched on the body's executor only.
struct guarded_work {
    explicit guarded_work(guarded_handler&& done) : handler(std::move(done)) {}

    guarded_handler handler;
    boost::asio::cancellation_signal body;
    boost::asio::cancellation_signal watch;
    std::exception_ptr thrown;
    bool ended = false;
    bool lost = false;
};

boost::asio::awaitable<runtime::completion<void>> run_work(std::shared_ptr<guarded_work> state,
                                                           boost::asio::awaitable<void> work) {
    try {
        co_await std::move(work);
    } catch (...) {
        state->thrown = std::current_exception();
    }
    co_return runtime::completion<void>{};
}

void finish(const boost::asio::any_io_executor& executor, const std::shared_ptr<guarded_work>& state,
            const std::string& name) {
    state->ended = true;
    state->watch.emit(boost::asio::cancellation_type::terminal);
    auto outcome = state->thrown;
    if (state->lost) {
        diagnostics details;
        details.operation = "with_lock";
        details.key = name;
        details.message = "the lock was lost before the work under it ended; the work was cancelled";
        outcome = std::make_exception_ptr(error(errc::lock_lost, std::move(details)));
    }
    const auto where = boost::asio::get_associated_executor(state->handler, executor);
    boost::asio::dispatch(where,
                          [handler = std::move(state->handler), outcome]() mutable { std::move(handler)(outcome); });
}

}  // namespace

void run_while_held(const boost::asio::any_io_executor& executor, const lock_guard& guard,
                    boost::asio::awaitable<void> work, guarded_handler handler) {
    auto state = std::make_shared<guarded_work>(std::move(handler));

    auto slot = boost::asio::get_associated_cancellation_slot(state->handler);
    if (slot.is_connected()) {
        slot.assign([weak = std::weak_ptr(state), executor](boost::asio::cancellation_type type) {
            if (auto alive = weak.lock()) {
                boost::asio::dispatch(executor, [alive, type] { alive->body.emit(type); });
            }
        });
    }
    guard.lost(boost::asio::bind_cancellation_slot(state->watch.slot(),
                                                   boost::asio::bind_executor(executor, [state](error_code code) {
                                                       if (code || state->ended) return;
                                                       state->lost = true;
                                                       state->body.emit(boost::asio::cancellation_type::terminal);
                                                   })));
    runtime::spawn<void>(
        executor, run_work(state, std::move(work)),
        boost::asio::bind_cancellation_slot(
            state->body.slot(),
            boost::asio::bind_executor(executor, [state, executor, name = guard.name()](error_code code) {
                // Cancelled before its first step, the work has not run at all.
                if (code) state->thrown = std::make_exception_ptr(error(errc::cancelled, {}));
                finish(executor, state, name);
            })));
}

}  // namespace dynalease::detail
