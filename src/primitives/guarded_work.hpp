// Work that is cancelled when the grant it was done under is lost, whatever was granted.
#pragma once

#include <dynalease/with_lock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace dynalease::detail {

/// Touched on the body's executor only.
struct guarded_work {
    guarded_work(guarded_handler&& done, error told_when_lost)
        : handler(std::move(done)), when_lost(std::move(told_when_lost)) {}

    guarded_handler handler;
    error when_lost;
    boost::asio::cancellation_signal body;
    boost::asio::cancellation_signal watch;
    std::exception_ptr thrown;
    bool ended = false;
    bool lost = false;
};

/// Starts the work, and lets the caller's cancellation reach it.
void start_guarded_work(const boost::asio::any_io_executor& executor, const std::shared_ptr<guarded_work>& state,
                        boost::asio::awaitable<void> work);

/// @param when_lost what `handler` is given when the guard was lost before the work ended.
template <class Guard>
void run_guarded(const boost::asio::any_io_executor& executor, const Guard& guard, boost::asio::awaitable<void> work,
                 guarded_handler handler, error when_lost) {
    auto state = std::make_shared<guarded_work>(std::move(handler), std::move(when_lost));
    guard.lost(boost::asio::bind_cancellation_slot(state->watch.slot(),
                                                   boost::asio::bind_executor(executor, [state](error_code code) {
                                                       if (code || state->ended) return;
                                                       state->lost = true;
                                                       state->body.emit(boost::asio::cancellation_type::terminal);
                                                   })));
    start_guarded_work(executor, state, std::move(work));
}

}  // namespace dynalease::detail
