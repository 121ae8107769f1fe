// The caller's side waits for an answer or its deadline; the request travels by itself.
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

clock::duration deadline_of(const call_options& options) {
    const auto attempt = options.attempt_timeout > 0ns ? options.attempt_timeout : std::chrono::nanoseconds(1s);
    return options.timeout > 0ns ? std::min(options.timeout, attempt) : attempt;
}

failure unanswered(const any_request& request, bool sent, bool cancelled) {
    if (sent && is_write(request)) return failure(errc::in_doubt, outcome::unknown);
    return failure(cancelled ? errc::cancelled : errc::timeout, outcome::not_applied);
}

result<any_response> with_details(result<any_response> answer, const logged_request& entry) {
    if (answer) return answer;
    auto told = std::move(answer).error();
    told.details.operation = entry.operation;
    told.details.table = entry.table;
    told.details.key = entry.key;
    told.details.attempts = 1;
    return told;
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
    const fault fate = state->plan ? state->plan(request, options) : fault{};
    const bool cancelled_before = co_await runtime::cancellation_requested();

    auto entry = std::make_shared<logged_request>();
    entry->operation = operation_name(request);
    entry->table = table_of(request);
    entry->key = request_key(request);
    entry->lane = options.lane;
    entry->fate = fate.what;
    entry->sent = clock.now();
    if (state->keep_log) state->log.push_back(entry);
    if (state->observer) state->observer->sent(*entry, request);

    auto caller = std::make_shared<exchange>(state->environment.executor);
    auto deadline = clock.now() + deadline_of(options);
    bool sent = !cancelled_before;
    bool cancelled = cancelled_before;
    if (sent && (fate.what == fault::kind::hold || fate.queued > 0ns)) {
        if (fate.what == fault::kind::hold) deadline = clock::time_point::max();
        const auto connected = fate.what == fault::kind::hold ? deadline : clock.now() + fate.queued;
        const auto waited = co_await caller->arrival.async_wait_until(clock, std::min(deadline, connected),
                                                                      asio::as_tuple(asio::deferred));
        cancelled = std::get<0>(waited) == asio::error::operation_aborted;
        sent = !cancelled && connected < deadline;
    }
    if (sent) {
        depart(std::make_shared<flight>(state, caller, entry, request, fate));
        const auto arrived = co_await caller->arrival.async_wait_until(clock, deadline, asio::as_tuple(asio::deferred));
        cancelled = std::get<0>(arrived) == asio::error::operation_aborted;
    }
    if (!caller->answer) caller->answer.emplace(unanswered(request, sent, cancelled));

    auto answer = with_details(std::move(*caller->answer), *entry);
    if (!answer) entry->code = answer.error().code;
    entry->completed = clock.now();
    if (state->observer) state->observer->answered(*entry, request, answer);
    co_return answer;
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
