// The requests of a queue's front, each answer turned into what the rows now show.
#include "primitives/queue_front.hpp"
#include "protocol/waiting.hpp"

#include <algorithm>
#include <utility>

namespace dynalease::detail {

boost::asio::awaitable<queue_front::head_answer> queue_front::send(update_item_request request) {
    auto answered = co_await core_.target().call(std::move(request));
    if (answered) co_return read_head(answer::applied, &answered->attributes);
    co_return read_head_failure(std::move(answered).error());
}

boost::asio::awaitable<queue_front::head_answer> queue_front::look() {
    auto request = requests().look();
    auto answered = co_await core_.target().call(std::move(request));
    if (answered) co_return read_head(answer::applied, answered->found ? &*answered->found : nullptr);
    co_return read_head_failure(std::move(answered).error());
}

queue_front::head_answer queue_front::read_head(answer kind, const item* shown) {
    head_answer seen{.kind = kind};
    if (shown) {
        auto parsed = protocol::parse_queue_head(*shown);
        if (!parsed) {
            return {.kind = answer::rejected, .why = std::make_shared<const failure>(std::move(parsed).error())};
        }
        seen.head = *std::move(parsed);
    }
    sight(seen.head);
    return seen;
}

queue_front::head_answer queue_front::read_head_failure(failure why) {
    const auto kind = classify(why);
    if (kind != answer::refused) return {.kind = kind, .why = std::make_shared<const failure>(std::move(why))};
    const bool doubtful = why.outcome == outcome::unknown;
    auto seen = read_head(kind, why.current ? &*why.current : nullptr);
    seen.doubtful = doubtful;
    return seen;
}

boost::asio::awaitable<queue_front::row_answer> queue_front::put(put_item_request request, call_options options) {
    auto answered = co_await core_.target().call(std::move(request), options);
    if (answered) co_return row_answer{.kind = answer::applied};
    auto why = std::move(answered).error();
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

boost::asio::awaitable<queue_front::page> queue_front::read_ahead(std::int64_t first, std::int64_t last,
                                                                  std::int32_t rows) {
    auto request = requests().ahead(first, last, rows);
    auto answered = co_await core_.target().call(std::move(request));
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
        // One that has come after all is looked for no longer.
        missing_since_.erase(missing_since_.lower_bound(parsed->from), missing_since_.upper_bound(parsed->ticket));
        seen.rows.push_back({*std::move(parsed), owner});
    }
    // A page that ends with the last of them says that there may be more, too.
    const bool all_read = !seen.rows.empty() && seen.rows.back().row.ticket >= last;
    seen.more = !all_read && !answered->last_evaluated_key.empty();
    co_return seen;
}

boost::asio::awaitable<void> queue_front::pause(unsigned failures) {
    runtime::alarm sleep(core_.world());
    co_await sleep.wait_until(core_.now() + protocol::retry_pause(failures));
}

protocol::owner_is queue_front::owner_of(const protocol::ticket_row& row) {
    if (row.session == core_.id()) {
        const auto known = drawn_.find(row.attempt);
        const bool alive = known != drawn_.end() && !known->second.ticket.expired();
        return alive ? protocol::owner_is::ours : protocol::owner_is::ghost;
    }
    return core_.remotes().watch(row.session).over() ? protocol::owner_is::over : protocol::owner_is::other;
}

void queue_front::sight(const std::optional<protocol::queue_head>& head) {
    const auto now = core_.now();
    seen_at_ = now;
    if (!head) {
        // Somebody deleted the row; whoever waits begins again.
        head_known_ = false;
        head_ = {};
        gone_.clear();
        serve();
        return;
    }
    const bool overtaken =
        head_known_ && (head->passed < head_.passed || (head->passed == head_.passed && head->tail < head_.tail));
    if (overtaken) return;
    const bool moved = !head_known_ || head->passed > head_.passed;
    head_known_ = true;
    head_ = *head;
    if (moved) {
        moved_at_ = now;
        still_polls_ = 0;
        missing_since_.erase(missing_since_.begin(), missing_since_.upper_bound(head_.passed));
        voids_.erase(voids_.begin(), voids_.upper_bound(head_.passed));
        gone_.erase(gone_.begin(), gone_.upper_bound(head_.passed));
        plan_poll();
    }
    const auto hold = hold_.lock();
    if (hold && head_.passed >= hold->mine().ticket) lose_turn(hold, "others passed it over");
    serve();
}

}  // namespace dynalease::detail
