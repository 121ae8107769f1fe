// The requests for the rows of a queue, each answer taken in at once.
// SPDX-License-Identifier: BSL-1.0
#include "queue/queue_view.hpp"

#include "database/protocol/backoff.hpp"
#include "runtime/alarm.hpp"

#include <chrono>
#include <utility>

namespace dynalease::detail {

namespace {
/// A head seen so lately is taken for the present one where a mistake costs a request, not a promise.
constexpr std::chrono::seconds lately{1};
}  // namespace

queue_view::queue_view(session_impl& core, protocol::queue_name queue, const drawn_tickets& ours, watcher& told)
    : core_(core),
      queue_(std::move(queue)),
      ours_(ours),
      told_(told),
      foremost_news_(core.world().executor),
      service_(core) {}

protocol::queue_requests queue_view::requests() const {
    return {core_.options().table, queue_, core_.id()};
}

boost::asio::awaitable<queue_view::head_answer> queue_view::send(update_item_request request) {
    watched_call watch(service_, core_.now());
    co_return co_await send(std::move(request), watch);
}

boost::asio::awaitable<queue_view::head_answer> queue_view::send(update_item_request request, watched_call& watch) {
    const auto asked = head_.count();
    const auto sent = core_.now();
    const call_options watched{.watch = &watch};
    auto answered = co_await core_.target().call(std::move(request), watched);
    service_.heard(sent, why_not(answered));
    if (answered) co_return read_head(answer::applied, &answered->attributes, asked);
    co_return read_head_failure(std::move(answered).error(), asked);
}

boost::asio::awaitable<queue_view::head_answer> queue_view::look() {
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

queue_view::head_answer queue_view::read_head(answer kind, const item* shown, std::uint64_t asked) {
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

queue_view::head_answer queue_view::read_head_failure(failure why, std::uint64_t asked) {
    core_.heed(why);
    const auto kind = classify(why);
    if (kind != answer::refused) return {.kind = kind, .why = std::make_shared<const failure>(std::move(why))};
    const bool doubtful = why.outcome == outcome::unknown;
    auto seen = read_head(kind, why.current ? &*why.current : nullptr, asked);
    seen.doubtful = doubtful;
    return seen;
}

boost::asio::awaitable<queue_view::row_answer> queue_view::put(put_item_request request, call_options options) {
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

boost::asio::awaitable<queue_view::page> queue_view::read_ahead(std::int64_t first, std::int64_t last,
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
        seen.rows.push_back({*std::move(parsed), owner});
    }
    protocol::drop_covered(seen.rows);
    for (const auto& [row, owner] : seen.rows) {
        if (row.from <= head_->passed + 1 && row.ticket > head_->passed) {
            foremost_ = row;
            foremost_news_.complete_all({});
        }
        // One that has come after all is looked for no longer.
        places_.missing.forget(row.from, row.ticket);
    }
    // A page that ends with the last of them says that there may be more, too.
    const bool all_read = !seen.rows.empty() && seen.rows.back().row.ticket >= last;
    seen.more = !all_read && !answered->last_evaluated_key.empty();
    co_return seen;
}

boost::asio::awaitable<void> queue_view::pause(unsigned failures) {
    runtime::alarm sleep(core_.world());
    co_await sleep.wait_until(core_.now() + retry_pause(failures, core_.unit()));
}

boost::asio::awaitable<void> queue_view::look_after(unsigned& failures, std::function<bool()> goes_on) {
    for (bool seen = false; goes_on() && !seen;) {
        co_await pause(failures++);
        if (!goes_on()) break;
        const auto shown = co_await look();
        seen = was_answered(shown.kind);
    }
}

protocol::owner_is queue_view::owner_of(const protocol::ticket_row& row) const {
    if (row.session == core_.id()) {
        return ours_.alive(row.attempt) ? protocol::owner_is::ours : protocol::owner_is::ghost;
    }
    return core_.remotes().over(row.session) ? protocol::owner_is::over : protocol::owner_is::other;
}

const protocol::ticket_row* queue_view::foremost() const noexcept {
    return foremost_.from <= head_->passed + 1 && foremost_.ticket > head_->passed ? &foremost_ : nullptr;
}

const protocol::queue_head* queue_view::fresh_head() const {
    return head_.known() && core_.now() - head_.seen_at() < lately ? &*head_ : nullptr;
}

void queue_view::sight(const std::optional<protocol::queue_head>& head, std::uint64_t asked) {
    if (const auto what = head_.sight(head, asked, core_.now())) tell(*what);
}

void queue_view::made(const protocol::queue_head& head) {
    if (const auto what = head_.made(head, core_.now())) tell(*what);
}

// Where it went back, numbers that were issued since are issued again, and rows that were passed may stand there again.
void queue_view::tell(const protocol::head_sights::news& what) {
    if (!head_.known() || what.back) {
        places_.forget_all();
        foremost_ = {};
    }
    if (head_.known() && what.moved) places_.forget_passed(head_->passed);
    told_.seen(what);
}

}  // namespace dynalease::detail
