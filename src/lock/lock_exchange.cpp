// The requests of a lock's front: one at a time, each answer turned into what the row now shows.
// SPDX-License-Identifier: BSL-1.0
#include "lock/lock_impl.hpp"

#include "database/backoff.hpp"

#include <utility>

namespace dynalease::detail {

boost::asio::awaitable<lock_impl::sighting> lock_impl::send(update_item_request request) {
    auto answered = co_await core_.target().call(std::move(request));
    if (answered) co_return read_row(answer::applied, &answered->attributes);
    co_return read_failure(std::move(answered).error());
}

boost::asio::awaitable<lock_impl::sighting> lock_impl::look() {
    auto request = requests().look();
    auto answered = co_await core_.target().call(std::move(request));
    if (answered) co_return read_row(answer::applied, answered->found ? &*answered->found : nullptr);
    co_return read_failure(std::move(answered).error());
}

lock_impl::sighting lock_impl::read_failure(failure why) {
    core_.heed(why);
    const auto kind = classify(why);
    if (kind != answer::refused) return {.kind = kind, .why = std::make_shared<const failure>(std::move(why))};
    auto seen = read_row(kind, why.current ? &*why.current : nullptr);
    seen.doubtful = why.outcome == outcome::unknown;
    return seen;
}

lock_impl::sighting lock_impl::read_row(answer kind, const item* shown) {
    auto row = protocol::parse_lock_row(shown);
    if (row) return {.kind = kind, .row = *std::move(row)};
    return {.kind = answer::rejected, .why = std::make_shared<const failure>(std::move(row).error())};
}

boost::asio::awaitable<void> lock_impl::pause(std::chrono::nanoseconds time) {
    if (!sleep_) sleep_.emplace(core_.world());
    co_await sleep_->wait_until(core_.now() + time);
}

boost::asio::awaitable<void> lock_impl::pause_after(unsigned failures) {
    co_await pause(retry_pause(failures, core_.world().random->unit()));
}

}  // namespace dynalease::detail
