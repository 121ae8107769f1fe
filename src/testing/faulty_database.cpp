// The caller's side waits for an answer or its deadline; the request travels by itself.
#include "runtime/cancellation.hpp"
#include "runtime/gate.hpp"
#include "runtime/spawn.hpp"
#include "runtime/waiter_list.hpp"
#include "testing/request_key.hpp"

#include <dynalease/testing/faulty_database.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace dynalease::testing {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct faulty_database::state {
    state(std::shared_ptr<database_backend> behind, dynalease::environment callers, fault_plan first)
        : inner(std::move(behind)),
          environment(std::move(callers)),
          plan(std::move(first)),
          flights(inner->environment().executor) {}

    const std::shared_ptr<database_backend> inner;
    const dynalease::environment environment;
    fault_plan plan;
    runtime::gate flights;
    std::vector<std::shared_ptr<const logged_request>> log;
};

/// One caller that waits: gone when its coroutine is, whatever still travels.
struct faulty_database::exchange {
    explicit exchange(const asio::any_io_executor& where) : executor(where), arrival(where) {}

    const asio::any_io_executor executor;
    std::optional<result<any_response>> answer;
    runtime::waiter_list<runtime::unit> arrival;
};

namespace {

asio::awaitable<void> sleep(clock& clock, clock::duration time) {
    if (time <= clock::duration{}) co_return;
    co_await clock.async_wait_until(clock.now() + time, asio::as_tuple(asio::deferred));
}

clock::duration deadline_of(const call_options& options) {
    const auto attempt = options.attempt_timeout > 0ns ? options.attempt_timeout : std::chrono::nanoseconds(1s);
    return options.timeout > 0ns ? std::min(options.timeout, attempt) : attempt;
}

failure unanswered(const any_request& request, bool sent, bool cancelled) {
    if (sent && is_write(request)) return failure(errc::in_doubt, outcome::unknown);
    return failure(cancelled ? errc::cancelled : errc::timeout, outcome::not_applied);
}

}  // namespace

faulty_database::faulty_database(std::shared_ptr<database_backend> inner, fault_plan plan) {
    auto callers = inner->environment();
    state_ = std::make_shared<state>(std::move(inner), std::move(callers), std::move(plan));
}

faulty_database::faulty_database(std::shared_ptr<database_backend> inner, dynalease::environment environment,
                                 fault_plan plan)
    : state_(std::make_shared<state>(std::move(inner), std::move(environment), std::move(plan))) {}

faulty_database::~faulty_database() = default;

const dynalease::environment& faulty_database::environment() const noexcept {
    return state_->environment;
}

asio::awaitable<result<any_response>> faulty_database::perform(any_request request, call_options options) {
    return call(state_, std::move(request), options);
}

asio::awaitable<result<any_response>> faulty_database::call(std::shared_ptr<state> state, any_request request,
                                                            call_options options) {
    auto& clock = *state->environment.clock;
    const fault fate = state->plan ? state->plan(request, options) : fault{};
    const bool cancelled_before = co_await runtime::cancellation_requested();
    const bool sent = fate.what != fault::kind::hold && !cancelled_before;

    auto entry = std::make_shared<logged_request>();
    entry->operation = operation_name(request);
    entry->table = table_of(request);
    entry->key = request_key(request);
    entry->lane = options.lane;
    entry->fate = fate.what;
    entry->sent = clock.now();
    state->log.push_back(entry);

    auto caller = std::make_shared<exchange>(state->environment.executor);
    if (sent) {
        runtime::spawn_background(state->inner->environment().executor, state->flights,
                                  travel(state, caller, entry, request, options, fate));
    }
    if (cancelled_before) {
        caller->answer.emplace(unanswered(request, sent, true));
    } else if (!caller->answer) {
        const auto deadline = sent ? clock.now() + deadline_of(options) : clock::time_point::max();
        const auto arrived = co_await caller->arrival.async_wait_until(clock, deadline, asio::as_tuple(asio::deferred));
        const auto code = std::get<0>(arrived);
        if (code) caller->answer.emplace(unanswered(request, sent, code == asio::error::operation_aborted));
    }
    auto answer = std::move(*caller->answer);
    if (!answer) {
        entry->code = answer.error().code;
        auto told = std::move(answer).error();
        told.details.operation = entry->operation;
        told.details.table = entry->table;
        told.details.key = entry->key;
        told.details.attempts = 1;
        answer = std::move(told);
    }
    entry->completed = clock.now();
    co_return answer;
}

asio::awaitable<void> faulty_database::travel(std::shared_ptr<state> state, std::weak_ptr<exchange> caller,
                                              std::shared_ptr<logged_request> entry, any_request request,
                                              call_options options, fault fate) {
    using enum fault::kind;
    auto& clock = *state->inner->environment().clock;
    co_await sleep(clock, fate.before);
    if (fate.what == lose_request) co_return;

    result<any_response> answer = fate.answer;
    if (fate.what != fail) {
        auto applied = co_await state->inner->perform(request, options);
        entry->applied.push_back(clock.now());
        if (fate.what != apply_then_fail) answer = std::move(applied);
    }
    if (fate.what == lose_answer) co_return;

    co_await sleep(clock, fate.after);
    if (auto waiting = caller.lock()) {
        const auto executor = waiting->executor;
        asio::post(executor, [waiting = std::move(waiting), answer = std::move(answer)]() mutable {
            if (waiting->answer) return;
            waiting->answer.emplace(std::move(answer));
            waiting->arrival.complete_one({});
        });
    }
    if (fate.what != apply_twice) co_return;

    co_await sleep(clock, fate.copy);
    co_await state->inner->perform(std::move(request), options);
    entry->applied.push_back(clock.now());
}

void faulty_database::set_plan(fault_plan plan) {
    state_->plan = std::move(plan);
}

const std::vector<std::shared_ptr<const logged_request>>& faulty_database::log() const noexcept {
    return state_->log;
}

void faulty_database::clear_log() noexcept {
    state_->log.clear();
}

std::size_t faulty_database::in_flight() const noexcept {
    return state_->flights.count();
}

}  // namespace dynalease::testing
