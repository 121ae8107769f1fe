// Room client: one call, attempt by attempt.
// SPDX-License-Identifier: BSL-1.0
#include "client/backend.hpp"

#include "client/attempt.hpp"
#include "client/call_failure.hpp"
#include "client/request_limits.hpp"
#include "dynamodb/codec.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace dynalease {

namespace asio = boost::asio;

namespace {

constexpr auto outcome_only = asio::as_tuple(asio::deferred);

void close_ways_out(detail::credentials_cache& keys, const detail::source_context* context,
                    const detail::lanes& lanes) {
    keys.close();
    if (context != nullptr) context->close();
    lanes.close();
}

/// How many attempts a call has is the call's matter, not the policy's.
aws::retry_options without_limit() {
    aws::retry_options options;
    options.attempts = std::numeric_limits<unsigned>::max();
    return options;
}

/// Without a token the second copy of a transaction, sent because the first had no answer, would be another one.
void name_transaction(any_request& request, const environment& world) {
    auto* const transaction = std::get_if<transact_write_items_request>(&request);
    if (transaction && transaction->client_request_token.empty()) transaction->client_request_token = world.new_id();
}

}  // namespace

client::backend::backend(dynalease::environment world, detail::client_configuration configuration)
    : world_(std::move(world)),
      source_context_(std::move(configuration.keys.context)),
      credentials_(std::make_shared<detail::credentials_cache>(world_, std::move(configuration.keys.provider))),
      limits_(configuration.calls),
      waiting_(configuration.ordinary.waiting),
      url_(configuration.aws.endpoint.url()),
      log_(std::move(configuration.log)),
      writer_(configuration.aws.endpoint, std::move(configuration.user_agent)),
      policy_(without_limit()),
      lanes_(world_, configuration),
      pausing_(world_.executor),
      context_(runtime::context_end::of(world_.executor)) {}

client::backend::~backend() {
    if (closed_ || context_->reached()) return;
    // Its last user is gone, on whatever thread; but connections may be in the making, and keys on their way.
    asio::post(world_.executor, [keys = std::move(credentials_), context = std::move(source_context_), ways = lanes_] {
        close_ways_out(*keys, context.get(), ways);
    });
}

asio::awaitable<result<any_response>> client::backend::perform(any_request request, call_options options) {
    const auto self = shared_from_this();
    // Asked before each wait: in a coroutine that throws when it is cancelled, waiting again would throw.
    const auto state = co_await asio::this_coro::cancellation_state;
    const auto is_cancelled = [&state]() { return state.cancelled() != asio::cancellation_type::none; };
    name_transaction(request, world_);
    auto what = begin(request, options);
    if (auto refused = detail::beyond_limits(request, what.body.size()))
        co_return give_up(what, {.why = *std::move(refused)});
    auto& pool = lanes_.of(what.lane);
    for (;;) {
        if (is_cancelled()) co_return give_up(what, unsent(errc::cancelled));
        std::optional<failure> no_keys;
        what.signed_by = credentials_->present();
        if (!what.signed_by) {
            // The line before a connection is bounded, and so must be the one before that.
            const auto most = what.lane == lane::heartbeat ? std::numeric_limits<std::size_t>::max() : waiting_;
            auto fetched = co_await credentials_->get(what.deadline, most);
            if (is_cancelled()) co_return give_up(what, unsent(errc::cancelled));
            if (fetched) {
                what.signed_by = *std::move(fetched);
            } else {
                no_keys = std::move(fetched).error();
            }
        }

        detail::attempt done;
        auto held = pool.try_take();
        error_code no_lease;
        if (!held && !no_keys) {
            auto [error, taken] = co_await pool.take(what.deadline, outcome_only);
            no_lease = error;
            held = std::move(taken);
            // The turn and the cancellation may have come together.
            if (is_cancelled()) no_lease = make_error_code(errc::cancelled);
        }
        // In a child of fork the calls under way are copies of its parent's, which sends them itself.
        if (closed_ || what.forks != lanes_.forks()) {
            done = unsent(errc::shut_down);
        } else if (no_keys) {
            done.why = *std::move(no_keys);
            ++what.tried;
        } else if (no_lease) {
            done = detail::no_connection(no_lease, pool.problem());
            // Where somebody was called, and not where no connection was free.
            if (done.retry == aws::retry_class::transient) ++what.tried;
        } else if (const auto now = world_.clock->now(); now >= what.deadline) {
            done = unsent(errc::timeout);
        } else {
            const auto signed_with = skew_.offset();
            write_request(*held.operator->(), what, *what.signed_by);
            const auto until = std::min(what.deadline, now + what.attempt_timeout);
            auto [error] = co_await held->exchange(until, outcome_only);
            // A connection that died unseen while idle: another one costs nothing.
            if (error == errc::server_error && !held->wrote() && held->reused()) continue;
            done = error ? detail::broken_exchange(error, held->flaw(), held->wrote(), request.index(), what.is_write)
                         : read(*held.operator->(), what, signed_with);
            counters_.took(request.index(), world_.clock->now() - now);
            ++what.tried;
        }
        held.give_back();
        lanes_.tidy_beside(what.lane, world_.clock->now());
        counters_.attempted(request.index(), done);

        const auto next = decide(what, done);
        if (next.step == next_step::answer) co_return *std::move(done.answer);
        if (next.step == next_step::give_up) co_return give_up(what, std::move(done));
        if (is_cancelled()) co_return call_off(what, unsent(errc::cancelled));
        log_retry(what, done, next.pause);
        if (what.watch) what.watch->failed(detail::call_failure(done, what.request, what.doubt, what.tried, url_));
        if (next.step != next_step::again_at_once) {
            const auto until = world_.clock->now() + next.pause;
            co_await pausing_.async_wait_until(*world_.clock, until, outcome_only);
        }
        const bool goes_on = !what.watch || what.watch->goes_on();
        if (!goes_on) co_return call_off(what, std::move(done));
        if (is_cancelled()) co_return call_off(what, unsent(errc::cancelled));
        counters_.retried();
    }
}

client::backend::call client::backend::begin(const any_request& request, const call_options& options) const {
    const auto chosen = [](std::chrono::nanoseconds own, std::chrono::nanoseconds otherwise) {
        return own.count() != 0 ? std::min<std::chrono::nanoseconds>(own, detail::longest_timeout) : otherwise;
    };
    return {request,
            operation_name(request),
            is_write(request),
            options.lane,
            world_.clock->now() + chosen(options.timeout, limits_.timeout),
            chosen(options.attempt_timeout, limits_.attempt_timeout),
            options.attempts != 0 ? options.attempts : limits_.attempts,
            codec::encode_request(request),
            lanes_.forks(),
            options.watch,
            {.outside_quota = options.lane == lane::heartbeat}};
}

void client::backend::write_request(http::connection& to, const call& what, const credentials& who) {
    writer_.write(to.request(), what.operation, what.body, who, wall());
    to.limit_answer(codec::longest_answer(what.request.index()));
}

detail::attempt client::backend::read(const http::connection& from, const call& what,
                                      std::chrono::milliseconds signed_with) {
    const auto& answer = from.answer();
    auto done = detail::read_answer(answer, what.request.index(), what.is_write);
    if (done.clock_suspect &&
        skew_.refused(signed_with, world_.clock->wall(), aws::parse_http_date(answer.header("date")))) {
        done.retry = aws::retry_class::skew;
    }
    return done;
}

detail::attempt client::backend::unsent(errc why) {
    detail::attempt done;
    done.why = failure(why);
    if (why == errc::shut_down) done.why.details.message = "the client was closed";
    if (why == errc::timeout) done.why.details.message = "the deadline of the call has passed";
    return done;
}

client::backend::decision client::backend::decide(call& what, detail::attempt& done) {
    if (done.answer) {
        policy_.succeeded(what.budget);
        return {next_step::answer};
    }
    if (done.why.outcome == outcome::unknown) what.doubt = true;
    if (done.retry == aws::retry_class::auth_refresh) credentials_->refuse(what.signed_by);
    if (done.retry == aws::retry_class::skew) counters_.corrected_clock();
    if (what.budget.attempts + 1 >= what.attempts_allowed) return {next_step::give_up};

    const auto verdict = policy_.decide(what.budget, done.retry, world_.random->unit(), done.hint);
    if (verdict.verdict != aws::retry_verdict::again) return {next_step::give_up};
    if (world_.clock->now() + verdict.pause >= what.deadline) {
        policy_.called_off(what.budget);
        return {next_step::give_up};
    }
    if (verdict.pause.count() == 0) return {next_step::again_at_once};
    return {next_step::pause, verdict.pause};
}

void client::backend::log_retry(const call& what, const detail::attempt& done, std::chrono::milliseconds pause) {
    const auto attempt = what.budget.attempts;
    log_.tell({severity::warning, what.request.index(), attempt, done.why.code.value()}, world_.clock->now(), [&] {
        std::string line(what.operation);
        line += " attempt " + std::to_string(attempt) + " failed: " + done.why.code.message();
        const auto details = done.why.details.to_string();
        if (!details.empty()) line += ": " + details;
        return line + "; again in " + std::to_string(pause.count()) + " ms";
    });
}

failure client::backend::give_up(const call& what, detail::attempt done) {
    const bool expected = done.refused_by_service || done.why.code == errc::cancelled;
    auto result = detail::call_failure(std::move(done), what.request, what.doubt, what.tried, url_);
    const auto about = condition_of(result.code);
    const bool ours = about == condition::denied || about == condition::misconfigured;
    if (!expected || ours) {
        log_.tell({severity::error, what.request.index(), 0, result.code.value()}, world_.clock->now(),
                  [&] { return std::string(error(result.code, result.details).what()); });
    }
    return result;
}

/// The next attempt, for which there was leave, is not made.
failure client::backend::call_off(call& what, detail::attempt done) {
    policy_.called_off(what.budget);
    return give_up(what, std::move(done));
}

client_counters client::backend::counters() const {
    return counters_.snapshot(lanes_.of(lane::ordinary).counters(), lanes_.of(lane::heartbeat).counters());
}

void client::backend::close() noexcept {
    asio::dispatch(world_.executor, [self = shared_from_this()]() { self->shut_down(); });
}

void client::backend::shut_down() {
    if (std::exchange(closed_, true)) return;
    close_ways_out(*credentials_, source_context_.get(), lanes_);
    pausing_.complete_all({});
}

}  // namespace dynalease
