// One turn per intent: send, write down that it was sent; or ask, and settle.
// SPDX-License-Identifier: BSL-1.0
#include "payments/relay/relay.hpp"

#include "payments/domain/refused.hpp"
#include "payments/use_cases/settle.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <numeric>
#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

/// Errors that pass: the next round does what this one could not.
bool passes(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const refused&) {
        return true;
    } catch (const dynalease::error& why) {
        using enum dynalease::condition;
        const auto met = why.condition();
        return met == contended || met == conflict || met == throttled || met == unreachable || met == in_doubt ||
               why.code() == dynalease::errc::lock_lost;
    } catch (...) {
        return false;
    }
}

asio::awaitable<std::size_t> unless_it_passes(asio::awaitable<std::size_t> work) {
    try {
        co_return co_await std::move(work);
    } catch (...) {
        if (!passes(std::current_exception())) throw;
    }
    co_return 0;
}

/// Does it for all of them at once. What passes with one of them does not keep it from the others.
template <class Work>
asio::awaitable<std::size_t> for_each_of(std::vector<std::string> intents, Work work) {
    const auto executor = co_await asio::this_coro::executor;
    const auto start = [&](std::string intent) {
        return asio::co_spawn(executor, unless_it_passes(work(std::move(intent))), asio::deferred);
    };
    std::vector<decltype(start({}))> all;
    for (auto& intent : intents) all.push_back(start(std::move(intent)));
    if (all.empty()) co_return 0;
    auto together = asio::experimental::make_parallel_group(std::move(all));
    const auto ended = co_await together.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    const auto& [order, failures, counts] = ended;
    for (const auto& failure : failures) {
        if (failure) std::rethrow_exception(failure);
    }
    co_return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

}  // namespace

asio::awaitable<std::size_t> relay::send_round() {
    auto looking = to_send_.next(how_.at_once);
    auto due = co_await std::move(looking);
    auto sending = for_each_of(std::move(due), [this](std::string intent) { return send_of(std::move(intent)); });
    co_return co_await std::move(sending);
}

asio::awaitable<std::size_t> relay::send_of(std::string intent) {
    auto turn = co_await to_send_.queue_of(intent).try_enter();
    if (!turn) co_return 0;  // another relay is at it; should it be dead, a later try finds out
    to_send_.forget_queue_of(intent);
    auto looking = outbox_.waiting(intent, stage::to_send);
    auto waiting = co_await std::move(looking);
    std::size_t sent = 0;
    for (auto& found : waiting) {
        auto submitting = bank_.submit(event_of(found.value).order);
        const bool taken = co_await std::move(submitting);
        if (!taken) {  // later again, this one before those behind it
            ++counts_.unsent;
            break;
        }
        auto moving = outbox_.move(std::move(found), stage::sent, how_.answer_within, turn);
        co_await std::move(moving);
        ++counts_.sent;
        ++sent;
    }
    co_await turn.leave();
    co_return sent;
}

asio::awaitable<std::size_t> relay::ask_round() {
    auto looking = to_ask_.next(how_.at_once);
    auto due = co_await std::move(looking);
    auto asking = for_each_of(std::move(due), [this](std::string intent) { return ask_of(std::move(intent)); });
    co_return co_await std::move(asking);
}

asio::awaitable<std::size_t> relay::ask_of(std::string intent) {
    auto turn = co_await to_ask_.queue_of(intent).try_enter();
    if (!turn) co_return 0;
    to_ask_.forget_queue_of(intent);
    auto looking = outbox_.waiting(intent, stage::sent);
    auto waiting = co_await std::move(looking);
    for (auto& found : waiting) {
        ++counts_.asked;
        auto enquiring = bank_.ask(event_of(found.value).order.key());
        auto told = co_await std::move(enquiring);
        if (told.is == gateway::enquiry::kind::known) {
            auto settling = settle(intents_, std::move(told.outcome));
            const bool made_a_difference = co_await std::move(settling);
            if (made_a_difference) ++counts_.resolved;
            continue;
        }
        const bool unknown = told.is == gateway::enquiry::kind::unknown;
        if (unknown) ++counts_.sent_again;
        const auto later = unknown ? std::chrono::milliseconds(0) : how_.again_after;
        auto moving = outbox_.move(std::move(found), unknown ? stage::to_send : stage::sent, later, turn);
        co_await std::move(moving);
    }
    co_await turn.leave();
    co_return waiting.size();
}

asio::awaitable<void> relay::run() {
    const auto& clock = tables_.database.environment().clock;
    while (session_.state() != dynalease::session_state::lost) {
        std::size_t done = 0;
        try {
            auto sending = send_round();
            done += co_await std::move(sending);
            auto asking = ask_round();
            done += co_await std::move(asking);
        } catch (...) {
            if (!passes(std::current_exception())) throw;
        }
        if (done == 0) co_await clock->async_wait_until(clock->now() + how_.pause, asio::deferred);
    }
}

}  // namespace payments
