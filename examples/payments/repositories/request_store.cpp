// The life of an idempotency record: in progress, then answered for ever; or forgotten; or taken over.
// SPDX-License-Identifier: BSL-1.0
#include "payments/repositories/request_store.hpp"

#include "payments/domain/refused.hpp"

#include <boost/describe/enum_from_string.hpp>
#include <boost/describe/enum_to_string.hpp>

#include <utility>

namespace asio = boost::asio;

namespace payments {

namespace {

/// How long an answer is kept for those who ask again.
constexpr std::chrono::hours kept{24};

refused refusal_in(const request_row& row) {
    auto what = problem::invalid;
    boost::describe::enum_from_string(row.problem->c_str(), what);
    return {what, row.message.value_or("")};
}

refused in_progress() {
    return {problem::in_progress, "a request with this Idempotency-Key is being worked on; try again in a moment"};
}

}  // namespace

asio::awaitable<admission> request_store::admit(std::string key, std::string fingerprint) {
    const auto now = milliseconds_since_1970(tables_.database);
    request_row row;
    row.pk = "REQUEST#" + key;
    row.sk = "REQUEST";
    row.fingerprint = fingerprint;
    row.expires = now + patience_.count();
    row.ttl = std::chrono::sys_seconds(std::chrono::seconds(now / 1000) + kept);
    auto [code, made] = co_await tables_.requests.create(row, as_result);
    admission into;
    if (!code && made.saved) {
        into.begun = std::make_unique<ticket>(ticket{key, *std::move(made.saved)});
        co_return into;
    }
    if (!code) throw in_progress();  // it was removed again meanwhile
    if (code != dynalease::errc::exists || !made.current) throw dynalease::error(code, {});
    const auto& known = made.current->value;
    if (known.fingerprint != fingerprint) {
        throw refused(problem::payload_differs, "this Idempotency-Key came with another request before");
    }
    if (known.problem) throw refusal_in(known);
    if (known.result) {
        into.answer = known.result;
        co_return into;
    }
    if (now < known.expires) throw in_progress();
    auto taking = take_over(std::move(key), *std::move(made.current));
    into = co_await std::move(taking);
    co_return into;
}

asio::awaitable<admission> request_store::take_over(std::string key, dynalease::loaded<request_row> found) {
    found.value.expires = milliseconds_since_1970(tables_.database) + patience_.count();
    auto [code, taken] = co_await tables_.requests.save(found, as_result);
    if (code == dynalease::condition::conflict) throw in_progress();  // another was faster
    if (code || !taken.saved) throw dynalease::error(code, {});
    admission into;
    into.begun = std::make_unique<ticket>(ticket{std::move(key), *std::move(taken.saved)});
    co_return into;
}

dynalease::loaded<request_row> request_store::answered(const ticket& request, const intent_data& result) {
    auto row = request.row;
    row.value.result = result;
    return row;
}

asio::awaitable<void> request_store::answer(ticket& request, intent_data result) {
    const auto row = answered(request, result);
    co_await tables_.requests.save(row, as_result);  // a copy that asks again is only worked on once more
    request.answered = true;
}

asio::awaitable<void> request_store::fail(ticket& request, std::exception_ptr why) {
    auto row = request.row;
    bool for_good = false;
    try {
        std::rethrow_exception(why);
    } catch (const refused& refusal) {
        for_good = refusal.for_good();
        row.value.problem = boost::describe::enum_to_string(refusal.what_is_wrong(), "");
        row.value.message = refusal.what();
    } catch (...) {  // it says nothing of the request
    }
    if (for_good) {
        co_await tables_.requests.save(row, as_result);
    } else {
        co_await tables_.requests.remove(request.row, as_result);
    }
}

}  // namespace payments
