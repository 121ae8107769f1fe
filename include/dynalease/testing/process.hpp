// One simulated process: an Asio execution context whose handlers run on a scheduler with virtual time.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease::testing {

class scheduler;

/// What `dispatch` does that is called by a handler of the same process.
enum class dispatching {
    posts,        ///< each handler is a step of its own
    runs_inline,  ///< as on an `io_context`: the function runs inside the call
};

/// Strands, `co_spawn`, parallel groups and cancellation work on it as on an `io_context`. Asio's own timers and
/// sockets start a hidden thread and real time: do not use them here.
class process : public boost::asio::execution_context {
public:
    class executor_type;

    explicit process(testing::scheduler& scheduler, testing::dispatching how = dispatching::posts);
    /// Ends it as `kill` does, if that was not done.
    ~process();

    executor_type get_executor() noexcept;
    testing::scheduler& scheduler() const noexcept { return scheduler_; }

    /// As SIGSTOP does: no handler runs until `resume`, while time goes on and messages pile up.
    void pause() noexcept;
    void resume();
    bool paused() const noexcept { return paused_; }

    /// As kill -9 does: every handler and wait of this process is destroyed, none is called, then or later. What is
    /// left of its objects may be destroyed afterwards, as long as this object lives. Not from its own handlers.
    void kill();
    bool killed() const noexcept { return killed_; }

private:
    friend class testing::scheduler;

    struct task {
        task() = default;
        task(const task&) = delete;
        task& operator=(const task&) = delete;
        virtual ~task() = default;
        virtual void run() = 0;
    };

    template <class Function>
    struct task_of final : task {
        explicit task_of(Function&& function) : function_(std::move(function)) {}
        void run() override { std::move(function_)(); }
        Function function_;
    };

    struct queued_task {
        std::uint64_t number;  // over all processes, in the order in which they came up
        std::unique_ptr<task> work;
    };

    void enqueue(std::unique_ptr<task> added);
    void run(task& next);
    template <class Function>
    void run_inline(Function function);
    void drop_tasks();

    testing::scheduler& scheduler_;
    const testing::dispatching dispatching_;
    std::deque<queued_task> tasks_;
    std::exception_ptr thrown_;  // by a function that ran inside `dispatch`
    bool running_ = false;
    bool paused_ = false;
    bool killed_ = false;
    bool dropping_ = false;
    bool listed_ = false;  // the scheduler knows that there is something to run
};

class process::executor_type {
public:
    explicit executor_type(process& context) noexcept
        : context_(&context), runs_inline_(context.dispatching_ == dispatching::runs_inline) {}

    template <class Function>
    void execute(Function&& function) const {
        using stored = std::decay_t<Function>;
        if (runs_inline_ && context_->running_) return context_->run_inline(stored(std::forward<Function>(function)));
        context_->enqueue(std::make_unique<task_of<stored>>(stored(std::forward<Function>(function))));
    }

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept { return *context_; }
    boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) const noexcept {
        if (runs_inline_) return boost::asio::execution::blocking.possibly;
        return boost::asio::execution::blocking.never;
    }
    static constexpr boost::asio::execution::relationship_t query(boost::asio::execution::relationship_t) noexcept {
        return boost::asio::execution::relationship.fork;
    }
    /// Work is not counted: the scheduler runs until nothing can happen any more.
    static constexpr boost::asio::execution::outstanding_work_t query(
        boost::asio::execution::outstanding_work_t) noexcept {
        return boost::asio::execution::outstanding_work.untracked;
    }
    static constexpr boost::asio::execution::mapping_t query(boost::asio::execution::mapping_t) noexcept {
        return boost::asio::execution::mapping.thread;
    }
    executor_type require(boost::asio::execution::blocking_t::never_t) const noexcept {
        auto posting = *this;
        posting.runs_inline_ = false;
        return posting;
    }

    friend bool operator==(const executor_type& left, const executor_type& right) noexcept = default;

private:
    process* context_;
    bool runs_inline_;
};

template <class Function>
void process::run_inline(Function function) {
    try {
        std::move(function)();
    } catch (...) {
        // Not into the caller of `dispatch`, but out of the step, as from `io_context::run`.
        if (!thrown_) thrown_ = std::current_exception();
    }
}

inline process::executor_type process::get_executor() noexcept {
    return executor_type(*this);
}

}  // namespace dynalease::testing
#pragma GCC visibility pop
