// The requests of a queue, each answer turned into what the rows now show.
// SPDX-License-Identifier: BSL-1.0
#include "database/protocol/backoff.hpp"
#include "queue/queue_impl.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

boost::asio::awaitable<queue_impl::head_answer> queue_impl::send(update_item_request request) {
    const auto asked = sights_;
    const auto sent = core_.now();
    service_.asked();
    auto answered = co_await core_.target().call(std::move(request));
    service_.heard(sent, why_not(answered));
    if (answered) co_return read_head(answer::applied, &answered->attributes, asked);
    co_return read_head_failure(std::move(answered).error(), asked);
}

boost::asio::awaitable<queue_impl::head_answer> queue_impl::look() {
    auto request = requests().look();
    const auto asked = sights_;
    const auto sent = core_.now();
    service_.asked();
    auto answered = co_await core_.target().call(std::move(request));
    service_.heard(sent, why_not(answered));
    if (answered) co_return read_head(answer::applied, answered->found ? &*answered->found : nullptr, asked);
    co_return read_head_failure(std::move(answered).error(), asked);
}

queue_impl::head_answer queue_impl::read_head(answer kind, const item* shown, std::uint64_t asked) {
    const bool newest = asked == sights_;
    head_answer seen{.kind = kind};
    if (shown) {
        auto parsed = protocol::parse_queue_head(*shown);
        if (!parsed) {
            return {.kind = answer::rejected, .why = std::make_shared<const failure>(std::move(parsed).error())};
        }
        seen.head = *std::move(parsed);
    }
    sight(seen.head, asked);
    seen.sight = newest ? sights_ : asked;
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
    service_.asked();
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
    service_.asked();
    auto answered = co_await core_.target().call(std::move(request));
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
        if (parsed->from <= head_.passed + 1 && parsed->ticket > head_.passed) foremost_ = *parsed;
        // One that has come after all is looked for no longer.
        missing_.forget(parsed->from, parsed->ticket);
        seen.rows.push_back({*std::move(parsed), owner});
    }
    // A page that ends with the last of them says that there may be more, too.
    const bool all_read = !seen.rows.empty() && seen.rows.back().row.ticket >= last;
    seen.more = !all_read && !answered->last_evaluated_key.empty();
    co_return seen;
}

boost::asio::awaitable<void> queue_impl::pause(unsigned failures) {
    runtime::alarm sleep(core_.world());
    co_await sleep.wait_until(core_.now() + retry_pause(failures));
}

protocol::owner_is queue_impl::owner_of(const protocol::ticket_row& row) {
    if (row.session == core_.id()) {
        const auto known = drawn_.find(row.attempt);
        const bool alive = known != drawn_.end() && !known->second.ticket.expired();
        return alive ? protocol::owner_is::ours : protocol::owner_is::ghost;
    }
    return core_.remotes().over(row.session) ? protocol::owner_is::over : protocol::owner_is::other;
}

void queue_impl::sight(const std::optional<protocol::queue_head>& head, std::uint64_t asked) {
    // Before it went back, or was gone, it was another queue.
    if (asked < began_) return;
    // What was asked for after the last sight is newer than that, whatever it shows: also that the row was deleted, or
    // that it went back, with a restored table. Of other answers only those count that show more.
    const bool newer = asked == sights_;
    if (!newer && (!head || (head_known_ && protocol::behind(*head, head_)))) return;
    if (head) {
        take_in(*head, asked);
    } else {
        head_gone();
    }
}

void queue_impl::take_in(const protocol::queue_head& head, std::uint64_t asked) {
    ++sights_;
    const auto now = core_.now();
    seen_at_ = now;
    const bool back = head_known_ && protocol::behind(head, head_);
    const bool moved = !head_known_ || head.passed != head_.passed;
    asked_ = head_known_ ? std::max(asked_, asked) : asked;
    head_known_ = true;
    head_ = head;
    if (back) went_back();
    if (moved) {
        moved_at_ = now;
        still_polls_ = 0;
        missing_.forget(0, head_.passed);
        voids_.erase(voids_.begin(), voids_.upper_bound(head_.passed));
        gone_.erase(gone_.begin(), std::upper_bound(gone_.begin(), gone_.end(), head_.passed));
        plan_poll();
    }
    const auto hold = hold_.lock();
    if (hold && head_.passed >= hold->mine().ticket) {
        lose_turn(hold, "others passed it over");
    } else if (hold && !counts(*hold->ticket())) {
        lose_turn(hold, "the queue is as it was before");
    }
    serve();
}

// Somebody deleted the row; whoever waits begins again.
void queue_impl::head_gone() {
    ++sights_;
    seen_at_ = core_.now();
    // Where there was none yet, a request that is under way may make it.
    if (std::exchange(head_known_, false)) began_ = sights_;
    head_ = {};
    missing_.clear();
    voids_.clear();
    gone_.clear();
    serve();
}

// Numbers that were issued since are issued again, and rows that were passed may stand there again: what we know of
// either counts no more, and who waits with one of them has lost its place.
void queue_impl::went_back() {
    core_.log(severity::warning, "queue '" + name_ + "' is as it was before: those who wait draw new tickets");
    began_ = sights_;
    missing_.clear();
    voids_.clear();
    gone_.clear();
    examined_.reset();
    const auto waiting = std::exchange(waiting_, {});
    for (const auto& [ticket, who] : waiting) draw_again(who);
}

}  // namespace dynalease::detail
