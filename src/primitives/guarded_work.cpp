// Work that is cancelled when the grant it was done under is lost.
#include "primitives/guarded_work.hpp"

#include "runtime/spawn.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/dispatch.hpp>

namespace dynalease::detail {

namespace {

boost::asio::awaitable<runtime::completion<void>> run_work(std::shared_ptr<guarded_work> state,
                                                           boost::asio::awaitable<void> work) {
    try {
        co_await std::move(work);
    } catch (...) {
        state->thrown = std::current_exception();
    }
    co_return runtime::completion<void>{};
}

void finish_work(const boost::asio::any_io_executor& executor, const std::shared_ptr<guarded_work>& state) {
    state->ended = true;
    state->watch.emit(boost::asio::cancellation_type::terminal);
    const auto outcome = state->lost ? std::make_exception_ptr(std::move(state->when_lost)) : state->thrown;
    const auto where = boost::asio::get_associated_executor(state->handler, executor);
    boost::asio::dispatch(where,
                          [handler = std::move(state->handler), outcome]() mutable { std::move(handler)(outcome); });
}

}  // namespace

void start_guarded_work(const boost::asio::any_io_executor& executor, const std::shared_ptr<guarded_work>& state,
                        boost::asio::awaitable<void> work) {
    auto slot = boost::asio::get_associated_cancellation_slot(state->handler);
    if (slot.is_connected()) {
        slot.assign([weak = std::weak_ptr(state), executor](boost::asio::cancellation_type type) {
            if (auto alive = weak.lock()) {
                boost::asio::dispatch(executor, [alive, type] { alive->body.emit(type); });
            }
        });
    }
    runtime::spawn<void>(
        executor, run_work(state, std::move(work)),
        boost::asio::bind_cancellation_slot(state->body.slot(),
                                            boost::asio::bind_executor(executor, [state, executor](error_code code) {
                                                // Cancelled before its first step, the work has not run at all.
                                                if (code)
                                                    state->thrown = std::make_exception_ptr(error(errc::cancelled, {}));
                                                finish_work(executor, state);
                                            })));
}

}  // namespace dynalease::detail
