// The verbs of a lock with other completion tokens than plain co_await: futures, callbacks, tuples, a race; with_lock.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/dynalease.hpp>
#include <dynalease/local/database.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <future>
#include <iostream>
#include <stdexcept>
#include <thread>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

void check(bool condition, const char* what) {
    if (!condition) throw std::runtime_error(what);
    std::cout << what << '\n';
}

// A future turns a verb into a blocking call, for threads that run no io_context.
void with_futures(const dynalease::lock& lock) {
    auto guard = lock.acquire(asio::use_future).get();  // .get() throws what went wrong
    check(guard.held(), "future: the lock is held");
    guard.release(asio::use_future).get();
    check(!guard.held(), "future: the lock is given back");
}

// A callback gets the error code and the guard; it runs on the database's executor.
void with_callbacks(const dynalease::lock& lock) {
    std::promise<bool> released;
    lock.acquire([&released](dynalease::error_code code, dynalease::lock_guard guard) {
        if (code) return released.set_value(false);
        auto shared = std::make_shared<dynalease::lock_guard>(std::move(guard));
        shared->release([&released, shared](dynalease::error_code failure) { released.set_value(!failure); });
    });
    check(released.get_future().get(), "callback: acquired, then released");
}

// as_tuple: nothing throws, the code is a value. Branch on its condition, not on the exact cause.
asio::awaitable<void> with_tuples(const dynalease::lock& ours, const dynalease::lock& theirs) {
    auto guard = co_await ours.acquire();
    dynalease::acquire_options impatient;
    impatient.wait = 200ms;
    const auto [code, none] = co_await theirs.acquire(impatient, asio::as_tuple(asio::deferred));
    check(code == dynalease::condition::contended, "tuple: another session waited 200 ms in vain");
    check(!none, "tuple: and has an empty guard");
    co_await guard.release();
}

// Verbs are ordinary asynchronous operations: race one against anything, and the loser is cancelled.
asio::awaitable<void> with_a_race(const dynalease::lock& ours, const dynalease::lock& theirs) {
    auto guard = co_await ours.acquire();
    asio::steady_timer timer(co_await asio::this_coro::executor, 200ms);
    auto race =
        asio::experimental::make_parallel_group(theirs.acquire(asio::deferred), timer.async_wait(asio::deferred));
    const auto [order, code, none, timer_code] =
        co_await race.async_wait(asio::experimental::wait_for_one(), asio::deferred);
    check(order[0] == 1 && !timer_code, "race: the timer was first");
    check(code == dynalease::condition::cancelled, "race: so the wait for the lock was cancelled");
    co_await guard.release();
}

asio::awaitable<std::int64_t> token_of(dynalease::lock_guard& guard) {
    co_return guard.fencing_token();
}

// with_lock: the body runs while the lock is held, is cancelled if it is lost, and its value is the result.
asio::awaitable<void> with_a_body(const dynalease::lock& lock) {
    const auto first = co_await dynalease::with_lock(lock, token_of);
    const auto second = co_await dynalease::with_lock(lock, token_of);
    check(first < second, "with_lock: the second grant has a greater fencing token");
}

int run(asio::io_context& io, const dynalease::database& database) {
    dynalease::create_table(database, "coordination", {}, asio::use_future).get();
    dynalease::session_options options;
    options.table = "coordination";
    dynalease::session one{database, options};
    dynalease::session other{database, options};  // stands for another process
    const dynalease::lock ours{one, "printer"};
    const dynalease::lock theirs{other, "printer"};

    with_futures(ours);
    with_callbacks(ours);
    asio::co_spawn(io, with_tuples(ours, theirs), asio::use_future).get();
    asio::co_spawn(io, with_a_race(ours, theirs), asio::use_future).get();
    asio::co_spawn(io, with_a_body(ours), asio::use_future).get();
    other.close({}, asio::use_future).get();
    one.close({}, asio::use_future).get();
    return 0;
}

}  // namespace

int main() {
    asio::io_context io;
    auto work = asio::make_work_guard(io);
    std::thread thread([&io] { io.run(); });
    int status = 1;
    try {
        status = run(io, dynalease::local::database{io.get_executor()});
    } catch (const std::exception& why) {
        std::cerr << why.what() << '\n';
    }
    work.reset();
    thread.join();
    return status;
}
