// Verbs that are called on nothing: they have no executor of their own, and answer as any other all the same.
// SPDX-License-Identifier: BSL-1.0
#include <dynalease/item_lock.hpp>
#include <dynalease/lock.hpp>
#include <dynalease/queue.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <catch2/catch.hpp>

#include <future>
#include <memory>
#include <utility>

using namespace dynalease;
namespace asio = boost::asio;

namespace {

/// Calls it on that executor. @returns whether it answered there, and not before the call was over
template <class Executor, class Verb>
std::future<bool> answers_after_the_call(Executor executor, Verb verb) {
    auto told = std::make_shared<std::promise<bool>>();
    auto answer = told->get_future();
    asio::post(executor, [executor, verb = std::move(verb), told]() mutable {
        const auto within = std::make_shared<bool>(true);
        verb(asio::bind_executor(executor, [told, within, executor](error_code code, auto&&...) {
            told->set_value(code && !*within && executor.running_in_this_thread());
        }));
        *within = false;
    });
    return answer;
}

template <class Executor>
void check_all(const Executor& executor, asio::io_context* runs) {
    const auto check = [&](auto verb) {
        auto answer = answers_after_the_call(executor, std::move(verb));
        if (runs != nullptr) runs->restart();
        if (runs != nullptr) runs->run();
        CHECK(answer.get());
    };
    check([guard = lock_guard()](auto handler) mutable { guard.release(std::move(handler)); });
    check([guard = lock_guard()](auto handler) mutable { guard.lost(std::move(handler)); });
    check([turn = queue_turn()](auto handler) mutable { turn.leave(std::move(handler)); });
    check([guard = item_guard()](auto handler) mutable { guard.release(std::move(handler)); });
    check([](auto handler) { commit_all({}, std::move(handler)); });
}

}  // namespace

TEST_CASE("a verb on nothing answers on the handler's executor, and not within the call") {
    asio::io_context io;
    asio::thread_pool pool(1);
    check_all(io.get_executor(), &io);
    check_all(asio::make_strand(io), &io);
    check_all(pool.get_executor(), nullptr);
    check_all(asio::make_strand(pool), nullptr);
    pool.join();
}

TEST_CASE("a verb on nothing answers a coroutine's executor, and a handler without one at once") {
    asio::io_context io;
    const asio::any_io_executor any = io.get_executor();
    bool within = true;
    bool answered = false;
    asio::post(io, [&] {
        lock_guard().release(asio::bind_executor(any, [&](error_code code) { answered = code && !within; }));
        within = false;
    });
    io.run();
    CHECK(answered);
    answered = false;
    lock_guard().release([&](error_code code) { answered = code == errc::not_held; });
    CHECK(answered);
}
