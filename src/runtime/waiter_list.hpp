// Handlers that wait, in order, for values that come one by one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "runtime/context_tenant.hpp"
#include "runtime/handler_home.hpp"

#include <dynalease/runtime/clock.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/query.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <utility>

namespace dynalease::runtime {

/// The value of an event that carries none.
struct unit {};

/// First in, first out. Each waiter completes exactly once, posted, never inside a call to the list: with
/// `(success, value)` when served, `operation_aborted` when cancelled (any type) or when the list is destroyed,
/// `timed_out` at its deadline. Once served it can no longer be cancelled or time out: a value is never lost
/// between them. A waiter does not keep `run()` from returning; the coroutine that waits does.
///
/// All calls, and emissions of the waiters' slots, belong on `executor`, which must be serial.
/// @tparam T movable and default-constructible; `unit` for a mere event.
template <class T>
class waiter_list {
public:
    explicit waiter_list(const boost::asio::any_io_executor& executor) : queue_(std::make_shared<queue>(executor)) {}
    waiter_list(const waiter_list&) = delete;
    waiter_list& operator=(const waiter_list&) = delete;
    ~waiter_list() {
        queue_->closed = true;
        complete_all(boost::asio::error::operation_aborted);
    }

    /// Signature `void(error_code, T)`.
    template <class Token>
    auto async_wait(Token&& token) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, T)>(initiate_wait{}, token, queue_);
    }

    /// The same with a deadline, if there is one; one that has passed still loses to a value that is served before it
    /// is noticed. `clock` must outlive the wait.
    template <class Token>
    auto async_wait_until(clock& clock, std::optional<clock::time_point> when, Token&& token) {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, T)>(initiate_timed_wait{}, token,
                                                                                      queue_, &clock, when);
    }

    /// Serves the first waiter. False, and `value` is untouched, when nobody waits.
    bool complete_one(T&& value) {
        if (queue_->waiting.empty()) return false;
        queue_->finish(*queue_->waiting.front(), {}, std::move(value));
        return true;
    }

    /// Completes all that wait now with `code` and an empty value.
    void complete_all(boost::system::error_code code) {
        while (!queue_->waiting.empty()) queue_->finish(*queue_->waiting.front(), code, T{});
    }

    std::size_t size() const noexcept { return queue_->waiting.size(); }
    bool empty() const noexcept { return queue_->waiting.empty(); }

private:
    using handler_type = boost::asio::any_completion_handler<void(boost::system::error_code, T)>;
    struct queue;

    struct waiter {
        explicit waiter(handler_type&& on_served) : handler(std::move(on_served)) {}

        handler_type handler;
        boost::asio::cancellation_signal timer;  // ends the wait for the deadline
        queue* owner = nullptr;                  // null once completed
        std::list<std::shared_ptr<waiter>>::iterator position{};
    };

    struct queue final : context_tenant {
        explicit queue(const boost::asio::any_io_executor& where)
            : context_tenant(boost::asio::query(where, boost::asio::execution::context)), executor(where) {}

        std::shared_ptr<waiter> add(handler_type&& handler) {
            auto added = std::make_shared<waiter>(std::move(handler));
            if (closed) {
                complete(*added, boost::asio::error::operation_aborted, T{});
                return added;
            }
            added->owner = this;
            added->position = waiting.insert(waiting.end(), added);
            auto slot = boost::asio::get_associated_cancellation_slot(added->handler);
            // It may stay in the slot after the wait, so it must not keep or presume anything.
            if (slot.is_connected()) {
                slot.assign([weak = std::weak_ptr(added)](boost::asio::cancellation_type type) {
                    if (type == boost::asio::cancellation_type::none) return;
                    expire(weak.lock(), boost::asio::error::operation_aborted);
                });
            }
            return added;
        }

        void finish(waiter& served, boost::system::error_code code, T&& value) {
            const auto keep = *served.position;
            waiting.erase(served.position);
            served.owner = nullptr;
            complete(served, code, std::move(value));
            served.timer.emit(boost::asio::cancellation_type::terminal);
        }

        static void expire(const std::shared_ptr<waiter>& late, boost::system::error_code code) {
            if (late && late->owner != nullptr) late->owner->finish(*late, code, T{});
        }

        void complete(waiter& served, boost::system::error_code code, T&& value) {
            if (abandoned) return;
            handler_home(served.handler, executor).post(std::move(served.handler), code, std::move(value));
        }

        void abandon() noexcept override {
            closed = abandoned = true;
            while (!waiting.empty()) {
                const auto destroyed = std::move(waiting.front());
                waiting.pop_front();
                destroyed->owner = nullptr;
            }
        }

        const boost::asio::any_io_executor executor;
        std::list<std::shared_ptr<waiter>> waiting;
        bool closed = false;
        bool abandoned = false;
    };

    struct initiate_wait {
        template <class Handler>
        void operator()(Handler&& handler, const std::shared_ptr<queue>& where) const {
            where->add(handler_type(std::forward<Handler>(handler)));
        }
    };

    struct initiate_timed_wait {
        template <class Handler>
        void operator()(Handler&& handler, const std::shared_ptr<queue>& where, clock* clock,
                        std::optional<clock::time_point> when) const {
            auto added = where->add(handler_type(std::forward<Handler>(handler)));
            if (!when || added->owner == nullptr) return;
            auto on_time = [added](boost::system::error_code code) {
                if (!code) queue::expire(added, boost::asio::error::timed_out);
            };
            clock->async_wait_until(
                *when, boost::asio::bind_cancellation_slot(
                           added->timer.slot(), boost::asio::bind_executor(where->executor, std::move(on_time))));
        }
    };

    std::shared_ptr<queue> queue_;
};

}  // namespace dynalease::runtime
