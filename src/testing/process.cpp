// A process's end, pause and part in the schedule.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/testing/process.hpp>
#include <dynalease/testing/scheduler.hpp>

#include <utility>

namespace dynalease::testing {

process::process(testing::scheduler& scheduler, testing::dispatching how)
    : scheduler_(scheduler), dispatching_(how) {}

process::~process() {
    kill();
    scheduler_.forget(*this);
    destroy();
}

void process::pause() noexcept {
    paused_ = true;
}

void process::resume() {
    paused_ = false;
    if (!tasks_.empty()) scheduler_.list(*this);
}

void process::kill() {
    if (killed_) return;
    killed_ = true;
    shutdown();
    drop_tasks();
}

void process::enqueue(std::unique_ptr<task> added) {
    tasks_.push_back({++scheduler_.tasks_added_, std::move(added)});
    if (killed_) {
        drop_tasks();
    } else if (!paused_) {
        scheduler_.list(*this);
    }
}

void process::run(task& next) {
    struct running {
        bool& flag;
        explicit running(bool& is_running) : flag(is_running) { flag = true; }
        ~running() { flag = false; }
    };
    const running now(running_);
    next.run();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void process::drop_tasks() {
    // What is destroyed unwinds coroutines, which post the rest of their unwinding: go on until none comes back.
    if (std::exchange(dropping_, true)) return;
    while (!tasks_.empty()) std::exchange(tasks_, {}).clear();
    dropping_ = false;
}

}  // namespace dynalease::testing
