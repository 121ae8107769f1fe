// How a life of a session is opened: its row is made, for whoever waits for that.
// SPDX-License-Identifier: BSL-1.0
#include "session/session_opening.hpp"

#include "database/protocol/backoff.hpp"
#include "database/table_key.hpp"
#include "runtime/spawn.hpp"
#include "session/protocol/session_requests.hpp"
#include "session/session_impl.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace dynalease::detail {

session_opening::session_opening(session_impl& core)
    : core_(core), openers_(core.world().executor), again_(core.world()) {}

boost::asio::awaitable<opened> session_opening::until_live(wait_limit limit) {
    opened done;
    if (core_.live()) co_return done;
    auto& status = core_.status();
    core_.notice_loss();
    if (!status.takes_callers()) {
        done.why = over();
        co_return done;
    }
    if (status.now_in() == session_state::idle) {
        status.open();
        runtime::spawn_background(core_.world().executor, core_.life(), run(core_.shared_from_this()));
    }
    if (limit.until_known) limit.deadline = core_.now() + status.times().lease;
    auto mine = limit.once && !limit.until_known ? patience::none : patience::little;
    if (limit.deadline || (!limit.once && core_.number() > 1)) mine = patience::much;
    if (mine == patience::none && openers_.trouble()) {
        done.why = after_requests(*openers_.trouble(), 0);
        co_return done;
    }
    const openers::caller caller(openers_);
    ++core_.counters().waiting;
    auto [waited, why] = co_await openers_.of(mine).async_wait_until(*core_.world().clock, limit.deadline,
                                                                     boost::asio::as_tuple(boost::asio::deferred));
    --core_.counters().waiting;
    done.requests = caller.requests();
    if (core_.live()) co_return done;
    done.why = after_requests(why ? *why : given_up(waited), done.requests);
    co_return done;
}

/// Why somebody's wait ended so, to whom nobody said why.
failure session_opening::given_up(error_code waited) const {
    if (!waited) return core_.over_failure();
    if (waited != boost::asio::error::timed_out) return failure(errc::cancelled);
    if (openers_.trouble()) return *openers_.trouble();
    failure late(errc::timeout);
    late.details.message = "the session was still being opened when the wait ended";
    return late;
}

void session_opening::session_closes() {
    openers_.tell_all(over());
    again_.wake();
}

void session_opening::session_ends() {
    again_.wake();
    openers_.session_ends();
}

boost::asio::awaitable<void> session_opening::wait_ended(dynalease::time_point until) {
    if (core_.status().now_in() != session_state::opening || pauses_) co_return;
    co_await openers_.of(patience::much)
        .async_wait_until(*core_.world().clock, until, boost::asio::as_tuple(boost::asio::deferred));
}

boost::asio::awaitable<void> session_opening::run([[maybe_unused]] std::shared_ptr<session_impl> self) {
    co_await boost::asio::post(core_.world().executor, boost::asio::deferred);  // the opener waits first
    const auto why = co_await create_row();
    if (!why) {
        creation_.reset();
        const auto life = core_.number();
        const auto words = life == 1 ? std::string("live") : "live again, life " + std::to_string(life);
        core_.log(severity::info, words + ", in table '" + core_.options().table + "'");
        core_.heartbeat().begin();
        core_.formers().begin_close();
    } else if (!core_.status().ended()) {
        core_.status().abandon_opening();
    }
    openers_.tell_all(why);
}

boost::asio::awaitable<shared_failure> session_opening::create_row() {
    using step = protocol::session_creation::step;
    auto& world = core_.world();
    auto& status = core_.status();
    const auto& options = core_.options();
    // Of a request whose every copy was answered one that the network made may still land: under a new name it can
    // mislead nobody.
    if (creation_ && !creation_->in_doubt()) {
        core_.rename();
        creation_.reset();
    }
    if (!creation_) creation_.emplace(world.new_id());
    auto& creation = *creation_;
    creation.begin(core_.now(), status.times());
    for (;;) {
        creation.sends(core_.now());
        auto request =
            protocol::create_session(options.table, core_.id(), options.lease, options.owner, creation.name(),
                                     core_.wall());
        openers_.asks();
        sent_ = true;
        const call_options watched{.watch = this};
        auto made = co_await core_.target().call(std::move(request), watched);
        sent_ = pauses_ = false;
        failure why;
        if (!made) {
            why = std::move(made).error();
            core_.heed(why);
        }
        if (status.ended()) co_return over();
        auto next = creation.judge(made ? nullptr : &why, core_.now());
        if (next == step::rename) {
            core_.rename();
            creation.rename(world.new_id());
            continue;
        }
        if (next == step::live) {
            if (status.acknowledge(creation.first_sent())) co_return nullptr;
            // The answer took longer than the lease: the session begins with its first acknowledged heartbeat.
            openers_.asks();
            const bool beaten = co_await core_.heartbeat().beat_once();
            if (beaten) co_return nullptr;
            why = failure(errc::timeout);
            creation.note_stale();
        }
        if (next == step::fail) why = co_await explained_by_key(core_.target(), options.table, std::move(why));
        if (status.ended() || status.closing()) co_return over();
        const auto told = explain(std::move(why));
        if (next == step::fail) co_return told;
        note_trouble(told);
        // What is in doubt is asked for once more, lest it is left behind.
        if (creation.fruitless() || !creation.in_doubt()) {
            openers_.tell_trouble(creation.fruitless() ? patience::little : patience::none);
            if (openers_.none_waits()) co_return told;
        }
        // Not in step with all the others that the same outage has struck.
        co_await again_.wait_until(core_.now() + retry_pause(creation.failures() - 1, core_.unit()));
        if (status.ended() || status.closing()) co_return over();
    }
}

void session_opening::failed(const failure& why) {
    pauses_ = true;
    sent_ = why.outcome == outcome::unknown;
    note_trouble(explain(why));
    // Whoever closes the session waits for no other attempt.
    if (core_.status().closing()) openers_.tell_all(over());
}

bool session_opening::goes_on() {
    if (core_.status().ended() || core_.status().closing()) return false;
    pauses_ = false;
    sent_ = true;
    openers_.asks();
    return true;
}

void session_opening::note_trouble(shared_failure told) {
    if (!std::exchange(trouble_logged_, true)) {
        core_.log(severity::warning, "cannot be opened yet: " + told->code.message());
    }
    openers_.note_trouble(std::move(told));
}

shared_failure session_opening::over() const {
    return std::make_shared<const failure>(core_.over_failure());
}

shared_failure session_opening::explain(failure why) const {
    std::string words = "the session could not be opened";
    // Its row is in doubt, but nothing is that the caller asked for.
    if (why.outcome == outcome::unknown) {
        words += core_.number() == 1 ? ", and nothing was asked for yet of what the call wants"
                                     : " after a loss, with which all ended that was asked for before";
    }
    if (why.code == errc::in_doubt) {
        why.code = errc::timeout;
        why.details.advice.clear();
    }
    auto& message = why.details.message;
    message = message.empty() ? words : words + ": " + message;
    why.outcome = outcome::not_applied;
    return std::make_shared<const failure>(std::move(why));
}

}  // namespace dynalease::detail
