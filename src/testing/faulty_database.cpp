// The caller's side waits for an answer or its deadline; the request travels by itself.
// SPDX-License-Identifier: BSL-1.0
#include "dynamodb/error_names.hpp"
#include "dynamodb/failed_request.hpp"
#include "runtime/cancellation.hpp"
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
    scheduler& world;
    const receiver store;
    const dynalease::environment environment;
    fault_plan plan;
    network_observer* observer = nullptr;
    std::size_t in_flight = 0;
    bool keep_log = true;
    std::vector<std::shared_ptr<const logged_request>> log{};
};

/// One caller that waits: gone when its coroutine is, whatever still travels.
struct faulty_database::exchange {
    explicit exchange(const asio::any_io_executor& where) : executor(where), arrival(where) {}

    const asio::any_io_executor executor;
    std::optional<result<any_response>> answer;
    runtime::waiter_list<runtime::unit> arrival;
};

struct faulty_database::flight {
    flight(std::shared_ptr<state> over, std::weak_ptr<exchange> from, std::shared_ptr<logged_request> as,
           any_request what, fault with)
        : network(std::move(over)),
          caller(std::move(from)),
          entry(std::move(as)),
          request(std::move(what)),
          fate(std::move(with)),
          answer(failure()) {
        ++network->in_flight;
    }
    flight(const flight&) = delete;
    flight& operator=(const flight&) = delete;
    ~flight() { --network->in_flight; }

    const std::shared_ptr<state> network;
    const std::weak_ptr<exchange> caller;
    const std::shared_ptr<logged_request> entry;
    const any_request request;
    const fault fate;
    result<any_response> answer;
};

namespace {

constexpr unsigned attempts_of_a_call = 4;

failure unanswered(bool perhaps_written, bool cancelled) {
    if (perhaps_written) return failure(errc::in_doubt, outcome::unknown);
    return failure(cancelled ? errc::cancelled : errc::timeout, outcome::not_applied);
}

/// Whether the same request would be refused again.
bool is_final(const failure& why) {
    if (why.code.category() != error_category() || why.code == errc::bad_response) return false;
    const auto retry = service_error_of(static_cast<errc>(why.code.value()), why.outcome).retry;
    return retry == retry_class::none || retry == retry_class::auth;
}

/// Of a call that sent several copies of a write, one of which had no answer: see client/call_failure.cpp.
failure concluded(failure last) {
    const bool refused = is_final(last) && last.outcome == outcome::not_applied;
    last.outcome = outcome::unknown;
    if (!refused) last.code = make_error_code(errc::in_doubt);
    return last;
}

/// What a failure says of its call, as the client has it.
failure described(failure why, const any_request& request, unsigned attempts) {
    detail::name_request(why, request);
    why.details.attempts = attempts;
    return why;
}

/// Without a token the second copy of a transaction would be another one.
void name_transaction(any_request& request, const environment& world) {
    auto* const transaction = std::get_if<transact_write_items_request>(&request);
    if (transaction && transaction->client_request_token.empty()) transaction->client_request_token = world.new_id();
}

}  // namespace

faulty_database::faulty_database(scheduler& world, receiver store, dynalease::environment environment, fault_plan plan)
    : state_(std::make_shared<state>(state{
          .world = world, .store = std::move(store), .environment = std::move(environment), .plan = std::move(plan)})) {
}

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
    const auto next_fate = [&] { return state->plan ? state->plan(request, options) : fault{}; };
    auto fate = next_fate();
    if (fate.again) name_transaction(request, state->environment);

    auto entry = std::make_shared<logged_request>();
    entry->operation = operation_name(request);
    entry->table = table_of(request);
    entry->key = request_key(request);
    entry->lane = options.lane;
    entry->fate = fate.what;
    entry->sent = clock.now();
    if (state->keep_log) state->log.push_back(entry);
    if (state->observer) state->observer->sent(*entry, request);

    const auto end = options.timeout > 0ns ? clock.now() + options.timeout : clock::time_point::max();
    const auto patience = options.attempt_timeout > 0ns ? options.attempt_timeout : std::chrono::nanoseconds(1s);
    const auto most = options.attempts != 0 ? options.attempts : attempts_of_a_call;
    bool doubt = false;
    for (;;) {
        ++entry->attempts;
        auto copy = request;
        const auto deadline = std::min(end, clock.now() + patience);
        auto answer = co_await attempt(state, std::move(copy), fate, deadline, entry);
        const bool cancelled = co_await runtime::cancellation_requested();
        doubt = doubt || (!answer && is_write(request) && answer.error().outcome == outcome::unknown);
        const bool again = !answer && !is_final(answer.error()) && fate.again && entry->attempts < most && !cancelled &&
                           clock.now() + *fate.again < end;
        if (!answer && doubt && entry->attempts > 1) answer = concluded(std::move(answer).error());
        if (!again) co_return told(*state, *entry, request, std::move(answer));
        if (options.watch) options.watch->failed(described(answer.error(), request, entry->attempts));
        if (state->observer) state->observer->failed(*entry, request, answer.error());
        runtime::waiter_list<runtime::unit> pause(state->environment.executor);
        co_await pause.async_wait_until(clock, clock.now() + *fate.again, asio::as_tuple(asio::deferred));
        // As the client does: whoever watches learns that the pause is over, whatever ended it.
        if (options.watch && !options.watch->goes_on()) co_return told(*state, *entry, request, std::move(answer));
        const bool cancelled_meanwhile = co_await runtime::cancellation_requested();
        if (cancelled_meanwhile) {
            co_return told(*state, *entry, request, unanswered(doubt, true));
        }
        if (state->observer) state->observer->sent_again(*entry, request);
        fate = next_fate();
        entry->fate = fate.what;
    }
}

asio::awaitable<result<any_response>> faulty_database::attempt(std::shared_ptr<state> state, any_request request,
                                                               fault fate, clock::time_point deadline,
                                                               std::shared_ptr<logged_request> entry) {
    auto& clock = *state->environment.clock;
    auto caller = std::make_shared<exchange>(state->environment.executor);
    bool cancelled = co_await runtime::cancellation_requested();
    bool sent = !cancelled;
    if (sent && (fate.what == fault::kind::hold || fate.queued > 0ns)) {
        if (fate.what == fault::kind::hold) deadline = clock::time_point::max();
        const auto connected = fate.what == fault::kind::hold ? deadline : clock.now() + fate.queued;
        const auto waited = co_await caller->arrival.async_wait_until(clock, std::min(deadline, connected),
                                                                      asio::as_tuple(asio::deferred));
        cancelled = std::get<0>(waited) == asio::error::operation_aborted;
        sent = !cancelled && connected < deadline;
    }
    const bool is_a_write = is_write(request);
    if (sent) {
        depart(std::make_shared<flight>(state, caller, entry, std::move(request), fate));
        const auto arrived = co_await caller->arrival.async_wait_until(clock, deadline, asio::as_tuple(asio::deferred));
        cancelled = std::get<0>(arrived) == asio::error::operation_aborted;
    }
    if (!caller->answer) caller->answer.emplace(unanswered(sent && is_a_write, cancelled));
    co_return std::move(*caller->answer);
}

result<any_response> faulty_database::told(const state& network, logged_request& entry, const any_request& request,
                                           result<any_response> answer) {
    if (!answer) {
        auto why = described(std::move(answer).error(), request, entry.attempts);
        entry.code = why.code;
        answer = std::move(why);
    }
    entry.completed = network.environment.clock->now();
    if (network.observer) network.observer->answered(entry, request, answer);
    return answer;
}

void faulty_database::depart(const std::shared_ptr<flight>& travelling) {
    auto& world = travelling->network->world;
    world.add_timer(world.now() + travelling->fate.before, [travelling] { arrive(travelling); });
}

result<any_response> faulty_database::apply(const std::shared_ptr<flight>& travelling) {
    auto& network = *travelling->network;
    auto applied = network.store(travelling->request, travelling->fate.what);
    travelling->entry->applied.push_back(network.world.now());
    if (network.observer) network.observer->applied(*travelling->entry, travelling->request, applied);
    return applied;
}

void faulty_database::arrive(const std::shared_ptr<flight>& travelling) {
    using enum fault::kind;
    const auto& fate = travelling->fate;
    if (fate.what == lose_request) return;
    travelling->answer = fate.answer;
    if (fate.what != fail) {
        auto applied = apply(travelling);
        if (fate.what != apply_then_fail) travelling->answer = std::move(applied);
    }
    if (fate.what == lose_answer) return;
    auto& world = travelling->network->world;
    if (fate.what == answer_copy) {
        world.add_timer(world.now() + fate.copy, [travelling] { travelling->answer = apply(travelling); });
        world.add_timer(world.now() + fate.copy + fate.after, [travelling] { deliver(travelling); });
        return;
    }
    world.add_timer(world.now() + fate.after, [travelling] { deliver(travelling); });
    if (fate.what != apply_twice) return;
    world.add_timer(world.now() + fate.after + fate.copy, [travelling] { apply(travelling); });
}

void faulty_database::deliver(const std::shared_ptr<flight>& travelling) {
    auto waiting = travelling->caller.lock();
    if (!waiting) return;
    const auto executor = waiting->executor;
    asio::post(executor, [waiting = std::move(waiting), travelling] {
        if (waiting->answer) return;
        waiting->answer.emplace(std::move(travelling->answer));
        waiting->arrival.complete_one({});
    });
}

void faulty_database::set_plan(fault_plan plan) {
    state_->plan = std::move(plan);
}

void faulty_database::set_observer(network_observer* observer) noexcept {
    state_->observer = observer;
}

const std::vector<std::shared_ptr<const logged_request>>& faulty_database::log() const noexcept {
    return state_->log;
}

void faulty_database::clear_log() noexcept {
    state_->log.clear();
}

void faulty_database::keep_log(bool keep) noexcept {
    state_->keep_log = keep;
}

std::size_t faulty_database::in_flight() const noexcept {
    return state_->in_flight;
}

}  // namespace dynalease::testing
