// A session's own requests: making its row, and keeping it alive.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "database/protocol/reply.hpp"
#include "runtime/fork_count.hpp"
#include "runtime/spawn.hpp"
#include "session/protocol/session_requests.hpp"
#include "session/session_impl.hpp"
#include "session/table_key.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>

#include <algorithm>
#include <utility>

namespace dynalease::detail {

namespace {
constexpr std::chrono::milliseconds longest_jitter{100};
constexpr std::chrono::seconds miss_retold{1};
constexpr const char* lease_ran_out = "no heartbeat was acknowledged for a whole lease";

bool shows_alive(const std::optional<item>& row) {
    if (!row) return false;
    const auto parsed = protocol::parse_session_row(*row);
    return parsed && parsed->alive;
}

bool shows_alive_since(const std::string& creation, const std::optional<item>& row) {
    const auto* const made_by = row ? find_string(*row, protocol::attribute::creation) : nullptr;
    return made_by && *made_by == creation && shows_alive(row);
}

std::string reason_of_death(const std::optional<item>& row) {
    if (!row) return "the session's row is gone";
    const auto* by = find_string(*row, protocol::attribute::marked_by);
    return by ? "marked dead by session " + *by : "the session's row was closed or overwritten by another";
}
}  // namespace

// ---- opening -----------------------------------------------------------------------------------------------

boost::asio::awaitable<shared_failure> session_impl::open(wait_limit limit) {
    if (live()) co_return nullptr;
    const bool forked = runtime::fork_count() != born_in_fork_;
    const bool ran_out = lease_.at(now()) == protocol::session_lease::phase::lost;
    if (ran_out && !forked) lose(lease_ran_out, loss::ran_out);  // its own alarm has not fired yet
    if (closing_ || close_announced_ || ended_ || forked || ran_out) {
        co_return std::make_shared<const failure>(over_failure());
    }
    if (lease_.at(now()) == protocol::session_lease::phase::idle) {
        lease_.open();
        publish();
        runtime::spawn_background(world().executor, life_, open_row(shared_from_this()));
    }
    const bool patient = !limit.once && (limit.deadline || ancestry_.number > 1);
    const openers::caller mine(openers_);
    ++counters().waiting;
    auto [waited, why] = co_await openers_.of(patient).async_wait_until(*world().clock, limit.deadline,
                                                                        boost::asio::as_tuple(boost::asio::deferred));
    --counters().waiting;
    if (live()) co_return nullptr;
    if (why) co_return mine.told(why);
    if (!waited) co_return std::make_shared<const failure>(over_failure());
    if (waited != boost::asio::error::timed_out) co_return std::make_shared<const failure>(errc::cancelled);
    if (openers_.trouble()) co_return mine.told(openers_.trouble());
    failure late(errc::timeout);
    late.details.message = "the session was still being opened when the wait ended";
    co_return std::make_shared<const failure>(std::move(late));
}

boost::asio::awaitable<void> session_impl::open_row([[maybe_unused]] std::shared_ptr<session_impl> self) {
    co_await boost::asio::post(world().executor, boost::asio::deferred);  // the opener waits first
    const auto why = co_await create_row();
    if (!why) {
        go_live();
        formers_.begin_close();
    } else if (!ended_) {
        lease_.abandon();
        // A copy of the refused creation may still land; under a new name it can mislead nobody.
        id_ = world().new_id();
    }
    publish();
    openers_.tell_all(why);
}

void session_impl::note_trouble(const shared_failure& why) {
    if (openers_.note_trouble(why)) log(severity::warning, "cannot be opened yet: " + why->code.message());
}

boost::asio::awaitable<shared_failure> session_impl::create_row() {
    const auto give_up_at = now() + lease_.times().lease;
    std::optional<dynalease::time_point> first_send;  // under this id
    std::string creation;
    bool in_doubt = false;
    for (unsigned failures = 0;;) {
        if (!first_send) {
            first_send = now();
            creation = world().new_id();
            in_doubt = false;
        }
        auto request = protocol::create_session(options_.table, id_, options_.lease, options_.owner, creation);
        openers_.asks();
        auto made = co_await database_.call(std::move(request));
        auto kind = answer::applied;
        failure why;
        if (!made) {
            why = std::move(made).error();
            openers_.asked(why.details.attempts);
            kind = classify(why);
            heed(why);
        }
        if (ended_) co_return std::make_shared<const failure>(over_failure());
        in_doubt = in_doubt || why.outcome == outcome::unknown;
        if (kind == answer::refused) {
            // Ours only if an earlier copy may have landed, and as the very request that stands there. A process that
            // was copied with this session in it has the same id; for both of us another one is as good.
            if (!in_doubt || !shows_alive_since(creation, why.current)) {
                id_ = world().new_id();
                first_send.reset();
                continue;
            }
            kind = answer::applied;
        }
        if (kind == answer::applied) {
            if (lease_.acknowledge(*first_send, now())) co_return nullptr;
            // The answer took longer than the lease: the session begins with its first acknowledged heartbeat.
            const bool beaten = co_await beat_once();
            if (beaten) co_return nullptr;
            if (ended_) co_return std::make_shared<const failure>(over_failure());
            why = failure(errc::timeout);
            in_doubt = true;  // it stands there, and is ours
        }
        // The client has tried several times already: where there is nobody, more of it helps nobody who has no time.
        const bool fruitless = condition_of(why.code) == condition::unreachable ||
                               (kind == answer::unanswered && failures >= 1) || now() >= give_up_at;
        if (kind == answer::rejected && why.code == errc::validation) {
            auto odd = co_await look_for_key_fault(database_, options_.table);
            if (odd) why = *std::move(odd);
            if (ended_) co_return std::make_shared<const failure>(over_failure());
        }
        const auto told = explain(std::move(why));
        if (kind == answer::rejected || closing_) {
            co_return closing_ ? std::make_shared<const failure>(over_failure()) : told;
        }
        note_trouble(told);
        if (fruitless) openers_.tell_hasty();
        if (fruitless && !openers_.any_patient()) co_return told;
        // Not in step with all the others that the same outage has struck.
        co_await open_again_.wait_until(now() + retry_pause(failures++, unit()));
        if (ended_ || closing_) co_return std::make_shared<const failure>(over_failure());
    }
}

shared_failure session_impl::explain(failure why) const {
    std::string words = "the session could not be opened";
    // Its row is in doubt, but nothing that the caller asked for is.
    if (why.outcome == outcome::unknown) words += ", and nothing was asked for yet of what the call wants";
    if (why.code == errc::in_doubt) {
        why.code = errc::timeout;
        why.details.advice.clear();
    }
    auto& message = why.details.message;
    message = message.empty() ? words : words + ": " + message;
    why.outcome = outcome::not_applied;
    return std::make_shared<const failure>(std::move(why));
}

void session_impl::go_live() {
    log(severity::info, ancestry_.number == 1 ? "live" : "live again, life " + std::to_string(ancestry_.number));
    publish();
    runtime::spawn_background(world().executor, life_, beat(shared_from_this()));
    runtime::spawn_background(world().executor, life_, watch_deadline(shared_from_this()));
}

// ---- the heartbeat -----------------------------------------------------------------------------------------

boost::asio::awaitable<void> session_impl::beat([[maybe_unused]] std::shared_ptr<session_impl> self) {
    // The answer of the creation may have taken most of the lease: its send counts. That makes no heartbeat late.
    auto next = std::max(now(), lease_.deadline() - lease_.times().hold + lease_.times().period);
    while (may_write()) {
        co_await beat_alarm_.wait_until(next);
        if (!may_write()) break;
        const auto late = std::max<std::chrono::nanoseconds>(now() - next, {});
        counters().worst_heartbeat_delay.raise_to(static_cast<std::uint64_t>(late.count()));
        tell_long_waits();
        const auto sent = now();
        const bool acknowledged = co_await beat_once();
        if (acknowledged) {
            next = sent + lease_.times().period;
        } else {
            // After the time that one may take: a refusal that came sooner is no reason to ask sooner. And not in step
            // with all the others that the same trouble has struck.
            const auto jitter =
                world().random->below(static_cast<std::uint64_t>(std::chrono::nanoseconds(longest_jitter).count()));
            next = std::max(now(), sent + lease_.times().beat_limit) +
                   std::chrono::nanoseconds(static_cast<std::int64_t>(jitter));
        }
    }
}

boost::asio::awaitable<bool> session_impl::beat_once() {
    const auto sending = beats_.next(now());
    auto request = protocol::beat_session(options_.table, id_, sending.number);
    ++counters().heartbeats_sent;
    const call_options lane{.timeout = lease_.times().beat_limit,
                            .attempt_timeout = lease_.times().beat_limit,
                            .attempts = 1,
                            .lane = lane::heartbeat};
    auto beaten = co_await database_.call(std::move(request), lane);
    std::optional<dynalease::time_point> proven;
    if (beaten) {
        proven = sending.sent;
    } else {
        const auto why = std::move(beaten).error();
        if (classify(why) == answer::refused) {
            if (!shows_alive(why.current)) {
                lose(reason_of_death(why.current));
                co_return false;
            }
            // A later heartbeat of ours landed first: as good as an answer to that one.
            const auto number = find_integer(*why.current, protocol::attribute::beat);
            if (const auto* landed = beats_.find(number.value_or(0))) proven = landed->sent;
        } else {
            ++counters().heartbeats_unanswered;
            if (!ended_) tell_miss(why);
            heed(why);
        }
    }
    if (!proven || !lease_.acknowledge(*proven, now())) co_return false;
    miss_told_.reset();
    ++counters().heartbeats_acknowledged;
    publish();
    deadline_alarm_.wake();
    co_return true;
}

/// Of short leases many go unanswered in a second.
void session_impl::tell_miss(const failure& why) {
    const bool in_jeopardy = lease_.at(now()) == protocol::session_lease::phase::jeopardy;
    const bool told = miss_told_ && miss_told_->in_jeopardy == in_jeopardy && now() - miss_told_->at < miss_retold;
    if (told) return;
    miss_told_ = told_miss{now(), in_jeopardy};
    const auto left = std::chrono::floor<std::chrono::milliseconds>(lease_.deadline() - now()).count();
    const bool unheard = why.outcome == outcome::unknown;
    log(severity::warning, std::string(in_jeopardy ? "in jeopardy: " : "") +
                               (unheard ? "a heartbeat had no answer" : "a heartbeat failed: " + why.code.message()) +
                               "; another is sent. The lease ends in " + std::to_string(left) +
                               " ms unless one is answered before");
}

boost::asio::awaitable<void> session_impl::watch_deadline([[maybe_unused]] std::shared_ptr<session_impl> self) {
    using phase = protocol::session_lease::phase;
    bool in_jeopardy = false;
    while (!ended_) {
        const auto current = lease_.at(now());
        if (current == phase::lost) {
            lose(lease_ran_out, loss::ran_out);
            co_return;
        }
        if (current == phase::closed) co_return;
        if (current == phase::jeopardy && !in_jeopardy) {
            ++counters().jeopardies;
            if (!miss_told_) log(severity::warning, "in jeopardy: heartbeats go unanswered");
        }
        in_jeopardy = current == phase::jeopardy;
        tell(in_jeopardy ? session_state::jeopardy : session_state::live);
        co_await deadline_alarm_.wait_until(in_jeopardy ? lease_.deadline() : lease_.jeopardy());
    }
}

}  // namespace dynalease::detail
