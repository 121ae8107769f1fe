// The requests of an item's lock: each answer turned into what the item now shows.
// SPDX-License-Identifier: BSL-1.0
#include "item_lock/item_lock_impl.hpp"

#include "database/protocol/backoff.hpp"

#include <type_traits>
#include <utility>

namespace dynalease::detail {

namespace {

/// The item, where the answer brings all of it.
template <class Request>
dynalease::item* shown_by(const Request& request, typename Request::response& answered) {
    return request.returned == return_values::all_new ? &answered.attributes : nullptr;
}

}  // namespace

template <class Request>
boost::asio::awaitable<item_lock_impl::sighting> item_lock_impl::send(Request request, call_options how) {
    auto copy = request;
    const auto sent = core_.now();
    auto answered = co_await core_.target().call(std::move(copy), how);
    sighting seen{.kind = answer::applied};
    if (!answered) {
        seen = read_failure(std::move(answered).error());
    } else if (const auto* shown = shown_by(request, *answered)) {
        seen = read_item(answer::applied, shown, true);
    } else if constexpr (requires { request.returned; }) {
        if (request.returned == return_values::updated_old) seen.step_before = step_in(answered->attributes);
    }
    co_return noted(std::move(seen), sent);
}

template boost::asio::awaitable<item_lock_impl::sighting> item_lock_impl::send(update_item_request, call_options);
template boost::asio::awaitable<item_lock_impl::sighting> item_lock_impl::send(delete_item_request, call_options);

std::optional<std::int64_t> item_lock_impl::step_in(const dynalease::item& shown) const {
    const auto lock = protocol::lock_sight_of(place_.layout, &shown);
    return lock && lock->writer ? std::optional(lock->writer->step) : std::nullopt;
}

boost::asio::awaitable<item_lock_impl::sighting> item_lock_impl::look(bool whole) {
    auto request = requests().look();
    request.report_capacity = true;
    if (whole) {
        request.projection_expression.clear();
        request.names.clear();
    }
    const auto sent = core_.now();
    auto answered = co_await core_.target().call(std::move(request));
    if (answered && answered->consumed) outlook_.note_cost(answered->consumed->capacity_units);
    auto seen = answered ? read_item(answer::applied, answered->found ? &*answered->found : nullptr, whole)
                         : read_failure(std::move(answered).error());
    co_return noted(std::move(seen), sent);
}

item_lock_impl::sighting item_lock_impl::noted(sighting seen, dynalease::time_point sent) {
    seen.sent_at = sent;
    outlook_.note(seen.lock, sent);
    outage_.note(seen.kind, sent, seen.why);
    return seen;
}

item_lock_impl::sighting item_lock_impl::read_failure(failure why) const {
    core_.heed(why);
    name_size(why);
    const auto kind = classify(why);
    if (kind != answer::refused) return {.kind = kind, .why = std::make_shared<const failure>(std::move(why))};
    auto seen = read_item(kind, why.current ? &*why.current : nullptr, true);
    seen.doubtful = why.outcome == outcome::unknown;
    return seen;
}

item_lock_impl::sighting item_lock_impl::read_item(answer kind, const dynalease::item* shown, bool whole) const {
    auto lock = protocol::lock_sight_of(place_.layout, shown);
    if (!lock) return {.kind = answer::rejected, .why = std::make_shared<const failure>(std::move(lock).error())};
    sighting seen{.kind = kind, .lock = *std::move(lock)};
    if (whole && shown) seen.whole = *shown;
    return seen;
}

boost::asio::awaitable<void> item_lock_impl::pause(std::chrono::nanoseconds time) {
    co_await sleep_->wait_until(core_.now() + time);
}

/// After a request without an answer.
boost::asio::awaitable<void> item_lock_impl::retry_later(unsigned failures_so_far) {
    if (const auto why = outage_.too_long()) fail_waiters(or_doubt(why));
    co_await pause(retry_pause(failures_so_far));
}

}  // namespace dynalease::detail
