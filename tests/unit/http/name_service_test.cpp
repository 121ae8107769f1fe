// The thread of a look-up: what it meets while it hands over its answer harms neither its process nor a fork of it.
// SPDX-License-Identifier: BSL-1.0
#include "http/name_service.hpp"

#include <boost/asio/execution.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <latch>
#include <new>
#include <optional>
#include <semaphore>
#include <utility>
#include <vector>

using namespace dynalease;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

/// A loop's executor, and what happens on the thread that hands it something to do.
class watched_executor {
public:
    watched_executor(asio::io_context& loop, std::function<void()>& handing_over)
        : loop_(&loop), handing_over_(&handing_over) {}

    template <class Function>
    void execute(Function&& function) const {
        (*handing_over_)();
        loop_->get_executor().execute(std::forward<Function>(function));
    }
    asio::execution_context& query(asio::execution::context_t) const noexcept { return *loop_; }
    static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
        return asio::execution::blocking.never;
    }
    friend bool operator==(const watched_executor& a, const watched_executor& b) noexcept {
        return a.loop_ == b.loop_ && a.handing_over_ == b.handing_over_;
    }
    friend bool operator!=(const watched_executor& a, const watched_executor& b) noexcept { return !(a == b); }

private:
    asio::io_context* loop_;
    std::function<void()>* handing_over_;
};

struct look_up_world {
    asio::io_context io{1};
    std::function<void()> handing_over = [] {};
    std::shared_ptr<http::name_service> names = http::system_name_service(watched_executor(io, handing_over));
    bool answered = false;

    void ask() {
        names->resolve("nowhere.example", 443, [this](error_code, const std::vector<http::tcp_address>&) {
            answered = true;
            io.stop();
        });
    }
    bool gets_answer() {
        const auto work = asio::make_work_guard(io);
        io.run_for(10s);
        return answered;
    }
};

}  // namespace

TEST_CASE("an answer that finds no memory to be handed over comes when there is some") {
    look_up_world w;
    int failing = 3;
    w.handing_over = [&failing] {
        if (failing-- > 0) throw std::bad_alloc();
    };
    w.ask();
    CHECK(w.gets_answer());
    CHECK(failing < 0);
}

TEST_CASE("a fork while an answer is handed over leaves the child nothing that only the look-up could unlock") {
    look_up_world w;
    std::latch begun{1};
    std::binary_semaphore forked{0};
    w.handing_over = [&] {
        begun.count_down();
        (void)forked.try_acquire_for(200ms);  // a fork that waits for this has not happened by then
    };
    w.ask();
    begun.wait();
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(5);
        w.names->cancel();
        ::_exit(0);
    }
    forked.release();
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(w.gets_answer());
}
