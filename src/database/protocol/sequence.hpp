// What a protocol does, step by step and without I/O: a coroutine that says what it needs next, and goes on with the
// answer. A driver carries the steps out on the network; a test does it in a small world of its own.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/dynamodb/failure.hpp>
#include <dynalease/dynamodb/operations.hpp>

#include <chrono>
#include <coroutine>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace dynalease::protocol {

// ---- what a sequence may need ------------------------------------------------------------------------------

struct write_step {
    update_item_request request;
    result<update_item_response> answer{};
    /// Of a sign of life, which keeps a grant by itself: for its one attempt.
    std::optional<std::chrono::nanoseconds> beat_limit{};
};

struct erase_step {
    delete_item_request request;
    result<delete_item_response> answer{};
};

struct read_step {
    get_item_request request;
    result<get_item_response> answer{};
};

/// Any request.
struct request_step {
    any_request request;
    bool once = false;  ///< the client does not send it again by itself
    result<any_response> answer{};
};

/// To know whether another process's session lives. What was learnt is in the session's watch.
struct look_step {
    std::string session;
    std::optional<failure> unseen{};  ///< why nothing was learnt
};

/// May be cut short: nobody waits any more, say.
struct pause_step {
    std::chrono::nanoseconds time;
};

/// What a sequence waits for: where the answer goes. Nothing: it has ended.
using step = std::variant<std::monostate, write_step*, erase_step*, read_step*, request_step*, look_step*, pause_step*>;

// ---- sequences ---------------------------------------------------------------------------------------------

namespace frames {

struct sequence_promise_base {
    std::coroutine_handle<> awaiting = std::noop_coroutine();
    std::exception_ptr thrown;

    struct go_on {
        bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
            return ended.promise().awaiting;
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    go_on final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { thrown = std::current_exception(); }
    void rethrow() const {
        if (thrown) std::rethrow_exception(thrown);
    }
};

template <class T>
struct sequence_promise : sequence_promise_base {
    std::optional<T> value;
    void return_value(T made) { value.emplace(std::move(made)); }
    T take() {
        rethrow();
        return std::move(*value);
    }
};

template <>
struct sequence_promise<void> : sequence_promise_base {
    void return_void() const noexcept {}
    void take() const { rethrow(); }
};

}  // namespace frames

/// Begins when it is awaited by another sequence, or begun by a `stepper`. Ends early, wherever it waits, with its
/// object.
template <class T>
class [[nodiscard]] sequence {
public:
    struct promise_type : frames::sequence_promise<T> {
        sequence get_return_object() { return sequence(std::coroutine_handle<promise_type>::from_promise(*this)); }
    };

    sequence(sequence&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    ~sequence() {
        if (frame_) frame_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
        frame_.promise().awaiting = awaiting;
        return frame_;
    }
    T await_resume() { return frame_.promise().take(); }

private:
    friend class stepper;
    explicit sequence(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

    std::coroutine_handle<promise_type> frame_;
};

/// Where a sequence, and those that it awaits, meet whoever carries their steps out: one at a time. Its end is theirs.
class stepper {
public:
    /// @returns its first step
    step begin(sequence<void> what) {
        running_.emplace(std::move(what));
        resume_ = running_->frame_;
        return go_on();
    }
    /// The last step has its answer. @returns the next
    step go_on() {
        wanted_ = {};
        std::exchange(resume_, nullptr).resume();
        if (!resume_) std::exchange(running_, std::nullopt)->frame_.promise().take();
        return wanted_;
    }

    /// By what a sequence awaits: it waits for this step.
    void ask(step wanted, std::coroutine_handle<> waits) noexcept {
        wanted_ = wanted;
        resume_ = waits;
    }

private:
    std::optional<sequence<void>> running_;
    std::coroutine_handle<> resume_;
    step wanted_;
};

/// Awaits one step. @returns it, with its answer
template <class Step>
class asking {
public:
    asking(stepper& steps, Step wanted) : steps_(steps), step_(std::move(wanted)) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waits) noexcept { steps_.ask(&step_, waits); }
    Step await_resume() { return std::move(step_); }

private:
    stepper& steps_;
    Step step_;
};

}  // namespace dynalease::protocol
