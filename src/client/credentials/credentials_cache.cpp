// Room client: one set of keys, and the one fetch that replaces it.
// SPDX-License-Identifier: BSL-1.0
#include "client/credentials/credentials_cache.hpp"

#include "aws/keys_answer.hpp"
#include "aws/refusal.hpp"
#include "runtime/own_process.hpp"
#include "runtime/spawn.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>

#include <exception>
#include <utility>

namespace dynalease::detail {

namespace asio = boost::asio;
using aws::freshness;
using aws::shared_credentials;

namespace {

constexpr auto in_parts = asio::as_tuple(asio::deferred);
constexpr auto shortest_interval = std::chrono::seconds(1);  // between fetches that bring nothing new

failure too_late() {
    return aws::refusal(errc::timeout, "no credentials came within the deadline",
                        "check the source of the credentials, or allow more time in client_options::timeout");
}

failure too_many() {
    return aws::refusal(errc::throttled, "too many requests wait for credentials",
                        "check the source of the credentials, or allow more in client_options::waiting");
}

}  // namespace

credentials_cache::credentials_cache(environment world, std::shared_ptr<credentials_provider> source)
    : world_(std::move(world)), source_(std::move(source)), flights_(world_.executor), waiting_(world_.executor) {}

shared_credentials credentials_cache::present() {
    if (!kept_ || refused_ || closed_) return nullptr;
    switch (schedule_.at(world_.clock->wall())) {
        case freshness::fresh:
            return kept_;
        case freshness::due:
            begin_fetch();
            return kept_;
        case freshness::expired:
            return nullptr;
    }
    return nullptr;
}

asio::awaitable<result<shared_credentials>> credentials_cache::get(clock::time_point until, std::size_t most_waiting) {
    const auto self = shared_from_this();
    if (auto keys = present()) co_return keys;
    if (closed_) co_return failure(errc::shut_down);
    if (!is_fetching() && world_.clock->now() < not_before_) co_return last_failure_;
    begin_fetch();
    // A source that has its keys at hand has given them by now.
    if (is_fetching()) {
        if (waiting_.size() >= most_waiting) co_return too_many();
        auto [error, ignored] = co_await waiting_.async_wait_until(*world_.clock, until, in_parts);
        if (closed_) co_return failure(errc::shut_down);
        if (error == asio::error::timed_out) co_return too_late();
        if (error) co_return failure(errc::cancelled);
    }
    if (kept_ && !refused_) co_return kept_;
    co_return last_failure_;
}

void credentials_cache::refuse(const shared_credentials& used) noexcept {
    if (used != kept_ || refused_ || world_.clock->now() < trusted_until_) return;
    refused_ = true;
    source_->invalidate();
}

void credentials_cache::close() noexcept {
    closed_ = true;
    flights_.close();
    waiting_.complete_all(asio::error::operation_aborted);
}

void credentials_cache::begin_fetch() {
    if (is_fetching()) return;
    runtime::spawn_background(world_.executor, flights_, fetch(shared_from_this()));
}

asio::awaitable<void> credentials_cache::fetch(std::shared_ptr<credentials_cache> self) {
    const runtime::own_process asking;
    auto answer = co_await self->ask();
    if (!answer && asking.in_child()) {
        // What was under way at a fork is the parent's: here it ended, and nobody has asked yet.
        auto own = co_await self->ask();
        answer = std::move(own);
    }
    self->end_fetch(std::move(answer));
}

asio::awaitable<result<shared_credentials>> credentials_cache::ask() {
    std::string thrown;
    try {
        auto answer = co_await source_->get();
        if (!answer) co_return answer;
        if (*answer) {
            if (auto problem = aws::unusable_keys(**answer, "the provider of credentials"))
                co_return *std::move(problem);
            co_return answer;
        }
        thrown = "it gave none";
    } catch (const std::exception& problem) {
        thrown = problem.what();
    } catch (...) {
        thrown = "it threw what is no std::exception";
    }
    co_return aws::refusal(errc::no_credentials, "the provider of credentials failed: " + thrown);
}

void credentials_cache::end_fetch(result<shared_credentials> answer) {
    const auto now = world_.clock->now();
    const auto wall = world_.clock->wall();
    if (answer) {
        kept_ = *std::move(answer);
        schedule_.fetched(*kept_, wall, world_.random->unit());
        if (std::exchange(refused_, false)) trusted_until_ = now + shortest_interval;
    } else {
        last_failure_ = std::move(answer).error();
        schedule_.failed(wall, world_.random->unit());
        not_before_ = now + shortest_interval;
    }
    waiting_.complete_all({});
}

}  // namespace dynalease::detail
