// The requests of a queue, each answer turned into what the rows now show.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "queue/queue_impl.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

boost::asio::awaitable<queue_impl::head_answer> queue_impl::send(update_item_request request) {
    watched_call watch(service_, core_.now());
    co_return co_await send(std::move(request), watch);
}

boost::asio::awaitable<queue_impl::head_answer> queue_impl::send(update_item_request request, watched_call& watch) {
    const auto asked = head_.count();
    const auto sent = core_.now();
    const call_options watched{.watch = &watch};
    auto answered = co_await core_.target().call(std::move(request), watched);
    service_.heard(sent, why_not(answered));
    if (answered) co_return read_head(answer::applied, &answered->attributes, asked);
    co_return read_head_failure(std::move(answered).error(), asked);
}

boost::asio::awaitable<queue_impl::head_answer> queue_impl::look() {
    auto request = requests().look();
    const auto asked = head_.count();
    const auto sent = core_.now();
    watched_call watch(service_, sent);
    const call_options watched{.watch = &watch};
    auto answered = co_await core_.target().call(std::move(request), watched);
    service_.heard(sent, why_not(answered));
    if (answered) co_return read_head(answer::applied, answered->found ? &*answered->found : nullptr, asked);
    co_return read_head_failure(std::move(answered).error(), asked);
}

queue_impl::head_answer queue_impl::read_head(answer kind, const item* shown, std::uint64_t asked) {
    const bool newest = asked == head_.count();
    head_answer seen{.kind = kind};
    if (shown) {
        auto parsed = protocol::parse_queue_head(*shown);
        if (!parsed) {
            return {.kind = answer::rejected, .why = std::make_shared<const failure>(std::move(parsed).error())};
        }
        seen.head = *std::move(parsed);
    }
    sight(seen.head, asked);
    seen.sight = newest ? head_.count() : asked;
    return seen;
}

queue_impl::head_answer queue_impl::read_head_failure(failure why, std::uint64_t asked) {
    core_.heed(why);
    const auto kind = classify(why);
    if (kind != answer::refused) return {.kind = kind, .why = std::make_shared<const failure>(std::move(why))};
    const bool doubtful = why.outcome == outcome::unknown;
    auto seen = read_head(kind, why.current ? &*why.current : nullptr, asked);
    seen.doubtful = doubtful;
    return seen;
}

boost::asio::awaitable<queue_impl::row_answer> queue_impl::put(put_item_request request, call_options options) {
    const auto sent = core_.now();
    watched_call watch(service_, sent);
    options.watch = &watch;
    auto answered = co_await core_.target().call(std::move(request), options);
    service_.heard(sent, why_not(answered));
    if (answered) co_return row_answer{.kind = answer::applied};
    auto why = std::move(answered).error();
    core_.heed(why);
    row_answer seen{.kind = classify(why)};
    if (seen.kind == answer::refused && why.current) {
        auto parsed = protocol::parse_ticket_row(*why.current);
        if (parsed) {
            seen.found = *std::move(parsed);
            co_return seen;
        }
        seen.kind = answer::rejected;
        why = std::move(parsed).error();
    }
    seen.why = std::make_shared<const failure>(std::move(why));
    co_return seen;
}

boost::asio::awaitable<queue_impl::page> queue_impl::read_ahead(std::int64_t first, std::int64_t last,
                                                                std::int32_t rows) {
    auto request = requests().ahead(first, last, rows);
    const auto sent = core_.now();
    watched_call watch(service_, sent);
    const call_options watched{.watch = &watch};
    auto answered = co_await core_.target().call(std::move(request), watched);
    service_.heard(sent, why_not(answered));
    page seen;
    if (!answered) {
        seen.why = std::make_shared<const failure>(std::move(answered).error());
        co_return seen;
    }
    for (const auto& row : answered->items) {
        auto parsed = protocol::parse_ticket_row(row);
        if (!parsed) {
            seen.why = std::make_shared<const failure>(std::move(parsed).error());
            co_return seen;
        }
        const auto owner = owner_of(*parsed);
        if (parsed->from <= head_->passed + 1 && parsed->ticket > head_->passed) {
            turn_.foremost = *parsed;
            examined_.foremost.complete_all({});
        }
        // One that has come after all is looked for no longer.
        places_.missing.forget(parsed->from, parsed->ticket);
        seen.rows.push_back({*std::move(parsed), owner});
    }
    // A page that ends with the last of them says that there may be more, too.
    const bool all_read = !seen.rows.empty() && seen.rows.back().row.ticket >= last;
    seen.more = !all_read && !answered->last_evaluated_key.empty();
    co_return seen;
}

boost::asio::awaitable<void> queue_impl::pause(unsigned failures) {
    runtime::alarm sleep(core_.world());
    co_await sleep.wait_until(core_.now() + retry_pause(failures, core_.unit()));
}

protocol::owner_is queue_impl::owner_of(const protocol::ticket_row& row) {
    if (row.session == core_.id()) {
        return drawn_.alive(row.attempt) ? protocol::owner_is::ours : protocol::owner_is::ghost;
    }
    return core_.remotes().over(row.session) ? protocol::owner_is::over : protocol::owner_is::other;
}

void queue_impl::sight(const std::optional<protocol::queue_head>& head, std::uint64_t asked) {
    if (const auto seen = head_.sight(head, asked, core_.now())) note(*seen);
}

void queue_impl::note(const protocol::head_sights::news& seen) {
    if (!head_.known()) {
        // Somebody deleted the row; whoever waits begins again.
        places_.forget_all();
        serve();
        return;
    }
    if (seen.back) went_back();
    if (seen.moved) {
        watch_.polls.moved();
        places_.forget_passed(head_->passed);
        plan_poll();
    }
    const auto hold = turn_.hold.lock();
    if (hold && head_->passed >= hold->mine().ticket) {
        lose_turn(hold, "others passed it over");
    } else if (hold && !counts(*hold->ticket())) {
        lose_turn(hold, "the queue is as it was before");
    }
    serve();
}

// Numbers that were issued since are issued again, and rows that were passed may stand there again: what we know of
// either counts no more, and who waits with one of them has lost its place.
void queue_impl::went_back() {
    core_.log(severity::warning, "queue '" + name_ + "' is as it was before: those who wait draw new tickets");
    places_.forget_all();
    examined_.passed.reset();
    const auto waiting = std::exchange(waiting_, {});
    for (const auto& [ticket, who] : waiting) draw_again(who);
}

}  // namespace dynalease::detail
