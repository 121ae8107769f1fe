// The callers of this process that want one thing, and what they are told.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "database/protocol/reply.hpp"
#include "runtime/cancellation.hpp"
#include "runtime/waiter_list.hpp"
#include "session/holder_words.hpp"
#include "session/session_lives.hpp"
#include "session/wait_limit.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace dynalease::detail {

/// How an acquire ended: a guard, or why there is none, or neither for a try while others have it.
template <class Guard>
struct acquired {
    Guard guard{};
    shared_failure why{};
    shared_failure others{};  ///< of such a try: who they are
    unsigned requests = 0;    ///< that were sent for it
    bool asked = false;       ///< its session was open, so that it could be asked for
};

/// In their order. A try is let in only when nobody waits, so that at most the first one tries.
/// @tparam Wish what a caller wants of it
template <class Guard, class Wish>
class callers {
public:
    /// Registered while it lives.
    class caller {
    public:
        caller(callers& among, const session_impl& core, Wish wants, const wait_limit& limit)
            : served(core.world().executor),
              wish(std::move(wants)),
              tries(limit.once),
              until_known(limit.until_known),
              came(core.now()),
              in_(&among.waiting_),
              position_(in_->insert(in_->end(), this)) {}
        ~caller() { in_->erase(position_); }
        caller(const caller&) = delete;
        caller& operator=(const caller&) = delete;

        /// Of one that has ended without being served: whether a write for it might still land then.
        bool in_doubt() const noexcept { return in_doubt_; }

        runtime::waiter_list<acquired<Guard>> served;
        const Wish wish;
        const bool tries;
        const bool until_known;
        const dynalease::time_point came;

    private:
        friend callers;
        std::list<caller*>* in_;  ///< those who wait, or those who did
        typename std::list<caller*>::iterator position_;
        bool in_doubt_ = false;
    };

    /// @param may_land whether a write for those who wait may still land
    caller* first(bool may_land) {
        // Of many who end together each is passed over once, not once for each of the others. What is open is noted
        // for them now: the next step may give it up before they run.
        while (!waiting_.empty() && waiting_.front()->served.empty()) {
            waiting_.front()->in_ = &ended_;
            waiting_.front()->in_doubt_ = may_land;
            ended_.splice(ended_.end(), waiting_, waiting_.begin());
        }
        return waiting_.empty() ? nullptr : waiting_.front();
    }
    /// Somebody waits, or has ended just now.
    bool any() const noexcept { return !waiting_.empty(); }
    /// Somebody does more than try, first or behind a try. @param may_land as above
    bool waited_for(bool may_land) {
        const auto* head = first(may_land);
        if (head == nullptr || !head->tries) return head != nullptr;
        return std::any_of(std::next(waiting_.begin()), waiting_.end(), [](caller* w) { return !w->served.empty(); });
    }
    /// Of somebody who is about to wait: he is the first to, behind one that tries until it is known whether the holder
    /// lives. What that one sleeps for may be far off.
    bool is_first_behind_question() const {
        const caller* head = nullptr;
        for (const auto* each : waiting_) {
            if (each->served.empty()) continue;
            if (head != nullptr) return false;
            head = each;
        }
        return head != nullptr && head->until_known;
    }
    /// Since when the first tries until it is known whether the holder lives; empty: he does not. Others wait for him.
    /// @param may_land as above
    std::optional<dynalease::time_point> tries_until_known(bool may_land) {
        const auto* who = first(may_land);
        return who != nullptr && who->until_known ? std::optional(who->came) : std::nullopt;
    }
    /// @param sent the request that shows why: what was so then is no answer to those who came later.
    /// @param may_land as above
    void fail_first(const shared_failure& why, dynalease::time_point sent, bool may_land) {
        auto* who = first(may_land);
        if (who != nullptr && who->came <= sent) who->served.complete_one({{}, why});
    }
    /// No try stands behind another: none is let in while others wait. @param sent, may_land as above
    void fail_try(const shared_failure& why, dynalease::time_point sent, bool may_land) {
        const auto* who = first(may_land);
        if (who != nullptr && who->tries) fail_first(why, sent, may_land);
    }
    /// The first is a try that came after that was sent. @param may_land as above
    bool try_came_after(dynalease::time_point sent, bool may_land) {
        const auto* who = first(may_land);
        return who != nullptr && who->tries && who->came > sent;
    }
    /// @param sent as above
    void fail_all(const shared_failure& why, dynalease::time_point sent) {
        for (auto* each : waiting_) {
            if (each->came <= sent) each->served.complete_one({{}, why});
        }
    }

private:
    std::list<caller*> waiting_;  ///< with ended ones in between
    std::list<caller*> ended_;    ///< served, cancelled or timed out, but have not run since
};

/// Of what could not be asked for, since its session could not be opened.
template <class Outcome>
Outcome not_asked(opened session) {
    Outcome none;
    none.why = std::move(session.why);
    none.requests = session.requests;
    return none;
}

/// What every verb does that acquires something, in one life of its session. On the database's executor; answers a
/// cancellation at once, and leaves what must be resolved to `impl`.
/// @tparam Target keeps the session, and the object behind the handles: as one, for GCC 12 ends the arguments of a
/// coroutine in their own order, and the object needs its session to the end.
template <class Target, class Wish, class Impl = typename decltype(Target::front)::element_type>
boost::asio::awaitable<acquired<typename Impl::guard_type>> acquire_in_life(Target target, Wish wish,
                                                                            wait_limit limit) {
    using outcome = acquired<typename Impl::guard_type>;
    auto* const core = target.core.get();
    auto* const impl = target.front.get();
    auto session = co_await core->opening().until_live(limit);
    if (session.why) co_return not_asked<outcome>(std::move(session));
    outcome result;
    const bool cancelled = co_await runtime::cancellation_requested();
    if (cancelled) {
        result.why = std::make_shared<const failure>(core->given_up(boost::asio::error::operation_aborted, false));
    } else if (!limit.once || !impl->busy(wish)) {
        typename Impl::callers_type::caller self(impl->callers(), *core, std::move(wish), limit);
        ++core->counters().waiting;
        const auto before = impl->requests_made();
        impl->wake();
        auto ended = co_await self.served.async_wait_until(*core->world().clock, limit.deadline,
                                                           boost::asio::as_tuple(boost::asio::deferred));
        --core->counters().waiting;
        error_code waited;
        std::tie(waited, result) = std::move(ended);
        if (waited) result.why = std::make_shared<const failure>(impl->given_up(self, waited));
        result.requests = impl->requests_made() - before;
    }
    result.requests += session.requests;
    result.asked = true;
    co_return result;
}

/// Asks in one life of a session and, where that ends meanwhile, in the next: as whoever comes new, until the wait is
/// over. What is told counts the requests of all.
/// @param ask makes the awaitable of an `Outcome`, which has `why`, `requests` and `asked`, in the life it is given
template <class Outcome, class Ask>
boost::asio::awaitable<Outcome> ask_in_lives(std::shared_ptr<session_lives> lives, wait_limit limit, Ask& ask) {
    unsigned requests = 0;
    for (;;) {
        const auto life = lives->present();
        Outcome result = co_await ask(life);
        requests += result.requests;
        // What was seen in one life of who is in the way is not known in the next.
        const bool bound_to_life = limit.until_known && result.asked;
        const bool lost = result.why && !bound_to_life && ends_with_its_life(*lives, *life, result.why->code);
        if (lost) {
            const bool cancelled = co_await runtime::cancellation_requested();
            if (!cancelled) continue;
            result.why = std::make_shared<const failure>(errc::cancelled);
        }
        if (result.why) result.why = after_requests(*result.why, requests);
        result.requests = requests;
        co_return result;
    }
}

/// @param tries ends without a guard, and without an error, while others have it
template <class Target, class Wish, class Impl = typename decltype(Target::front)::element_type>
boost::asio::awaitable<acquired<typename Impl::guard_type>> acquire(in_lives<Target> handle, Wish wish, bool tries,
                                                                    std::optional<std::chrono::nanoseconds> wait) {
    const auto came = handle.lives->world().clock->now();
    const auto limit = limit_of(came, wait, tries);
    Target target;
    std::string holder;  // as one of the lives has seen it
    const auto note_holder = [&] {
        auto seen = target.front ? target.front->in_the_way() : std::string();
        if (!seen.empty()) holder = std::move(seen);
    };
    auto ask = [&](const std::shared_ptr<session_impl>& life) {
        note_holder();
        target = in_life(handle, life);
        return acquire_in_life(target, wish, limit);
    };
    auto result = co_await ask_in_lives<acquired<typename Impl::guard_type>>(handle.lives, limit, ask);
    if (!result.why && !result.guard) {
        auto& told = tries ? result.others : result.why;
        auto others = tries ? target.front->others_have_it() : target.front->in_vain(came, false);
        if (limit.until_known && !target.front->held_here()) others = told_until_known(std::move(others));
        told = after_requests(std::move(others), result.requests);
    }
    // Of an outage that has ended its session, too, who asks until it is known who lives is told as of any other.
    if (result.why && limit.until_known && result.why->code == errc::session_lost) {
        if (auto unheard = target.front->unheard(came)) {
            result.why = after_requests(*std::move(unheard), result.requests);
        }
    }
    note_holder();
    if (result.why) result.why = std::make_shared<const failure>(with_last_seen(*result.why, holder));
    co_return result;
}

}  // namespace dynalease::detail
