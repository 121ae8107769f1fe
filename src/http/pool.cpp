// Room http: carries out what the pool's policy decides.
// SPDX-License-Identifier: BSL-1.0
#include "http/pool.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>

namespace dynalease::http {

namespace asio = boost::asio;

class pool::waiter : public deadline {
public:
    waiter(pool& owner, lease_handler handler) : owner_(owner), handler_(std::move(handler)) {
        const auto slot = asio::get_associated_cancellation_slot(handler_);
        if (!slot.is_connected()) return;
        auto cancel = [this](asio::cancellation_type) { owner_.leave(*this, errc::cancelled); };
        asio::cancellation_slot(slot).assign(cancel);
    }

    void expired() override { owner_.leave(*this, errc::timeout); }

    lease_handler take_handler() {
        const auto slot = asio::get_associated_cancellation_slot(handler_);
        if (slot.is_connected()) asio::cancellation_slot(slot).clear();
        return std::move(handler_);
    }

    line::iterator place;

private:
    pool& owner_;
    lease_handler handler_;
};

/// The end of a hold-off, for those who wait meanwhile.
class pool::next_attempt : public deadline {
public:
    explicit next_attempt(pool& owner) : owner_(owner) {}
    void expired() override { owner_.open_more(); }

private:
    pool& owner_;
};

pool::pool(environment world, std::shared_ptr<deadlines> timing, std::shared_ptr<connector> source,
           pool_policy::limits limits)
    : context_tenant(asio::query(world.executor, asio::execution::context)),
      world_(std::move(world)),
      timing_(std::move(timing)),
      source_(std::move(source)),
      policy_(limits),
      connections_(limits.connections),
      next_attempt_(std::make_unique<next_attempt>(*this)) {}

pool::~pool() = default;

lease pool::try_take() {
    if (closed_) return {};
    const auto now = timing_->now();
    for (;;) {
        const auto [offer, which] = policy_.request(now);
        if (offer == pool_policy::offer::none) return {};
        if (offer == pool_policy::offer::retire) {
            connections_[which].reset();
            continue;
        }
        ++reused_;
        return {self(), connections_[which], which};
    }
}

void pool::wait(lease_handler handler, clock::time_point until) {
    if (closed_) return answer(std::move(handler), make_error_code(errc::shut_down), {});
    if (auto held = try_take()) return answer(std::move(handler), {}, std::move(held));
    // In the line before it is counted: there may be no memory for a place in it.
    auto& who = line_.emplace_back(*this, std::move(handler));
    who.place = std::prev(line_.end());
    if (!policy_.enter_line()) {
        auto unserved = who.take_handler();
        line_.pop_back();
        return answer(std::move(unserved), make_error_code(errc::throttled), {});
    }
    timing_->add(who, until);
    open_more();
}

void pool::leave(waiter& who, errc why) {
    timing_->remove(who);
    policy_.leave_line();
    if (policy_.waiting() == 0) timing_->remove(*next_attempt_);
    auto handler = who.take_handler();
    line_.erase(who.place);
    answer(std::move(handler), make_error_code(why), {});
}

void pool::open_more() {
    for (auto more = policy_.to_open(timing_->now()); more != 0; --more) {
        const auto which = policy_.begin_open();
        try {
            source_->open(
                [owner = self(), which](connector::opened result) { owner->opened(which, std::move(result)); });
        } catch (...) {
            policy_.not_opened(which);
            throw;
        }
    }
    timing_->remove(*next_attempt_);
    if (const auto when = policy_.hold_off_end(timing_->now())) timing_->add(*next_attempt_, *when);
}

void pool::opened(pool_policy::slot which, connector::opened result) {
    if (closed_) return;
    const auto now = timing_->now();
    if (result.error) {
        problem_ = std::move(result.problem);
        for (auto left = policy_.open_failed(which, now); left != 0; --left) serve_first(result.error, {});
        return open_more();
    }
    ++opened_;
    connections_[which] = std::move(result.connection);
    if (policy_.opened(which, now) == pool_policy::after_use::serve) {
        serve_first({}, {self(), connections_[which], which});
    }
    open_more();  // for those who came while there was no use in trying
}

void pool::give_back(pool_policy::slot which) noexcept {
    if (closed_) return;
    const auto now = timing_->now();
    connections_[which]->rest();
    // The one used last is used first; so the others would wait for ever, closed by the peer and yet open here.
    tidy(now);
    switch (policy_.given_back(which, now, connections_[which]->reusable())) {
        case pool_policy::after_use::keep:
            return;
        case pool_policy::after_use::serve:
            ++reused_;
            serve_first({}, {self(), connections_[which], which});
            return open_more();
        case pool_policy::after_use::discard:
            connections_[which].reset();
            return open_more();
    }
}

void pool::tidy(clock::time_point now) noexcept {
    if (closed_) return;
    while (const auto old = policy_.retire_oldest(now)) connections_[*old].reset();
}

void pool::serve_first(error_code error, lease held) {
    auto& first = line_.front();
    timing_->remove(first);
    auto handler = first.take_handler();
    line_.pop_front();
    answer(std::move(handler), error, std::move(held));
}

void pool::answer(lease_handler handler, error_code error, lease held) {
    // Posted: whoever gives back or closes must not run the next one's work inside its own. It belongs to this
    // executor, and is not asked: Boost 1.81 crashes at its answer where there is no memory for one.
    asio::post(world_.executor, [handler = std::move(handler), error, held = std::move(held)]() mutable {
        std::move(handler)(error, std::move(held));
    });
}

pool_counters pool::counters() const noexcept {
    if (closed_) return {opened_, reused_, 0, 0};
    return {opened_, reused_, policy_.open(), policy_.waiting()};
}

void pool::close() {
    if (closed_.exchange(true)) return;
    timing_->remove(*next_attempt_);
    while (!line_.empty()) serve_first(make_error_code(errc::shut_down), {});
    for (const auto& open : connections_) {
        if (open) open->close();
    }
    connections_.clear();
}

/// The parent goes on using these sockets: an answer that the child read would be the parent's, and never reach it.
void pool::forked() {
    ++forks_;
    if (closed_) return;
    while (!line_.empty()) {
        policy_.leave_line();
        serve_first(make_error_code(errc::shut_down), {});
    }
    source_->close();
    for (const auto which : policy_.retire_all()) connections_[which].reset();
    for (const auto& on_loan : connections_) {
        if (on_loan) on_loan->close();
    }
}

void pool::abandon() noexcept {
    closed_ = true;
    timing_->abandon();
    source_->close();
    const auto unheard = std::exchange(line_, {});
    const auto dropped = std::exchange(connections_, {});
    for (const auto& open : dropped) {
        if (open) open->abandon();
    }
}

}  // namespace dynalease::http
