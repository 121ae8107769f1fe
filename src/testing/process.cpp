// A process's end, pause and part in the schedule.
#include <dynalease/testing/process.hpp>
#include <dynalease/testing/scheduler.hpp>

namespace dynalease::testing {

process::process(testing::scheduler& scheduler) : scheduler_(scheduler) {}

process::~process() {
    shutdown();
    scheduler_.drop(*this);
    destroy();
}

void process::pause() noexcept {
    paused_ = true;
}

void process::resume() {
    paused_ = false;
    while (!parked_.empty()) {
        auto first = std::move(parked_.front());
        parked_.pop_front();
        enqueue(std::move(first));
    }
}

void process::enqueue(std::unique_ptr<task> added) {
    if (paused_) {
        parked_.push_back(std::move(added));
    } else {
        scheduler_.ready_.push_back({this, std::move(added)});
    }
}

}  // namespace dynalease::testing
