// Admit, run, and see that the answer is kept: with the change itself where there is one.
// SPDX-License-Identifier: BSL-1.0
#include "payments/use_cases/once.hpp"

#include <exception>
#include <utility>

namespace asio = boost::asio;

namespace payments {

asio::awaitable<intent_data> once(request_store& requests, std::string key, std::string fingerprint, use_case work) {
    if (key.empty()) {
        auto running = work(nullptr);
        co_return co_await std::move(running);
    }
    auto admitting = requests.admit(std::move(key), std::move(fingerprint));
    auto admitted = co_await std::move(admitting);
    if (admitted.answer) co_return *std::move(admitted.answer);

    auto& request = *admitted.begun;
    intent_data result;
    std::exception_ptr failure;
    try {
        auto running = work(&request);
        result = co_await std::move(running);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        co_await requests.fail(request, failure);
        std::rethrow_exception(failure);
    }
    if (!request.answered) co_await requests.answer(request, result);
    co_return result;
}

}  // namespace payments
