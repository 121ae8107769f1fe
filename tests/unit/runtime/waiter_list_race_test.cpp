// Grant, cancellation and deadline in the same moment: no value is lost, none is given twice.
// SPDX-License-Identifier: BSL-1.0
#include "runtime/waiter_list.hpp"

#include <dynalease/testing/environment.hpp>
#include <dynalease/testing/seeded_random.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>

#include <catch2/catch.hpp>

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace asio = boost::asio;
using namespace dynalease;
using namespace std::chrono_literals;
using boost::system::error_code;

namespace {

using value = std::unique_ptr<int>;

struct outcome_counts {
    int served = 0;
    int timed_out = 0;
    int aborted = 0;
};

/// Some waiters with deadlines, and grants and cancellations that fall on few moments, so that they meet.
class race {
public:
    explicit race(std::uint64_t seed) : scheduler_(seed), chance_(testing::seeded_random(seed)) {}

    outcome_counts run() {
        for (std::size_t i = 0; i < waiters_; ++i) at_some_moment([this, i] { wait(i); });
        for (int i = 0; i < values_; ++i) at_some_moment([this, i] { grant(i); });
        for (std::size_t i = 0; i < waiters_; ++i) {
            if (chance_->below(2) == 0) at_some_moment([this, i] { signals_[i].emit(asio::cancellation_type::total); });
        }
        scheduler_.run_for(10s);
        list_.reset();
        scheduler_.run();
        return check();
    }

private:
    clock::time_point moment() { return clock::time_point(std::chrono::milliseconds(chance_->below(4))); }

    template <class Function>
    void at_some_moment(Function function) {
        where_.clock->async_wait_until(moment(),
                                       [this, function](error_code) { asio::post(where_.executor, function); });
    }

    void wait(std::size_t i) {
        auto handler = [this, i](error_code code, value got) {
            ++completions_[i];
            if (!code) {
                ++received_[*got];
                ++counts_.served;
            } else {
                ++(code == asio::error::timed_out ? counts_.timed_out : counts_.aborted);
            }
        };
        auto bound = asio::bind_cancellation_slot(signals_[i].slot(), std::move(handler));
        ++started_;
        if (chance_->below(4) == 0) {
            list_->async_wait(std::move(bound));
        } else {
            list_->async_wait_until(*where_.clock, moment(), std::move(bound));
        }
    }

    void grant(int i) {
        auto content = std::make_unique<int>(i);
        if (list_->complete_one(std::move(content))) {
            ++granted_[i];
        } else {
            REQUIRE(content);
        }
    }

    outcome_counts check() const {
        REQUIRE(received_ == granted_);
        for (const auto& [content, times] : received_) REQUIRE(times == 1);
        int completed = 0;
        for (const int times : completions_) {
            REQUIRE(times <= 1);
            completed += times;
        }
        REQUIRE(completed == started_);
        return counts_;
    }

    static constexpr std::size_t waiters_ = 6;
    static constexpr int values_ = 5;

    testing::scheduler scheduler_;
    std::shared_ptr<dynalease::random> chance_;
    environment where_ = testing::make_environment(scheduler_, 1);
    std::unique_ptr<runtime::waiter_list<value>> list_ = std::make_unique<runtime::waiter_list<value>>(where_.executor);
    std::deque<asio::cancellation_signal> signals_ = std::deque<asio::cancellation_signal>(waiters_);
    std::vector<int> completions_ = std::vector<int>(waiters_);
    std::map<int, int> granted_;
    std::map<int, int> received_;
    outcome_counts counts_;
    int started_ = 0;
};

}  // namespace

TEST_CASE("whatever meets in one moment, each waiter completes once and no value is lost", "[waiter_list]") {
    outcome_counts all;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        INFO("seed " << seed);
        const auto counts = race(seed).run();
        all.served += counts.served;
        all.timed_out += counts.timed_out;
        all.aborted += counts.aborted;
    }
    CHECK(all.served > 1000);
    CHECK(all.timed_out > 1000);
    CHECK(all.aborted > 1000);
}
