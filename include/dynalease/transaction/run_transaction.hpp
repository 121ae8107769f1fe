// A transaction's body that is run again until its commit holds.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <dynalease/detail/guarded_work.hpp>
#include <dynalease/transaction/transaction.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/this_coro.hpp>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace dynalease::detail {

template <class Body>
auto run_transaction(std::shared_ptr<transactions_impl> core, Body body, run_options options)
    -> std::invoke_result_t<Body&, transaction&> {
    using value_type = typename awaited<std::invoke_result_t<Body&, transaction&>>::type;
    transaction_attempts attempts(std::move(core), std::move(options));
    for (;;) {
        auto looking = attempts.committed_before();
        const bool before = co_await std::move(looking);
        if constexpr (std::is_void_v<value_type>) {
            if (before) co_return;
        } else {
            if (before) attempts.throw_committed_before();
        }
        auto beginning = attempts.next();
        const auto attempt = co_await std::move(beginning);
        if (!attempt) continue;
        transaction current(attempt);
        kept_value<value_type> value;
        std::exception_ptr thrown;
        try {
            auto work = keep_value(body(current), value);
            co_await std::move(work);
        } catch (...) {
            thrown = std::current_exception();
        }
        if (thrown) {
            const auto cancellation = co_await boost::asio::this_coro::cancellation_state;
            if (cancellation.cancelled() != boost::asio::cancellation_type::none) std::rethrow_exception(thrown);
            auto judging = attempts.stands(attempt, thrown);
            const bool stands = co_await std::move(judging);
            if (stands) std::rethrow_exception(thrown);
            continue;
        }
        auto commit = attempts.commit(attempt);
        const bool committed = co_await std::move(commit);
        if (!committed) continue;
        if constexpr (std::is_void_v<value_type>)
            co_return;
        else
            co_return std::move(*value);
    }
}

}  // namespace dynalease::detail
#pragma GCC visibility pop
