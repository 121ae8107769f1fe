// Many deadlines on one wait of the clock.
// SPDX-License-Identifier: BSL-1.0
#include "http/deadlines.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

using namespace dynalease;
using namespace std::chrono_literals;

namespace {

/// Time stands still between waits: `run` jumps to the end of the earliest wait, as often as there is one.
class jumping_clock final : public clock {
public:
    time_point now() const noexcept override { return now_; }
    wall_time wall() const noexcept override { return {}; }

    std::size_t waits() const { return waits_; }
    bool waiting() const { return pending_ != nullptr; }
    bool jump() {
        if (!pending_) return false;
        now_ = until_;
        end({});
        return true;
    }

private:
    void wait_until(time_point when, wait_handler handler) override {
        ++waits_;
        REQUIRE(!pending_);
        auto slot = boost::asio::get_associated_cancellation_slot(handler);
        pending_ = std::make_unique<wait_handler>(std::move(handler));
        until_ = when;
        if (slot.is_connected()) {
            slot.assign([this](boost::asio::cancellation_type) { end(boost::asio::error::operation_aborted); });
        }
    }
    void end(boost::system::error_code error) {
        if (!pending_) return;
        auto handler = std::shared_ptr<wait_handler>(std::move(pending_));
        const auto executor = boost::asio::get_associated_executor(*handler, io.get_executor());
        boost::asio::post(io, [executor, handler, error]() {
            boost::asio::dispatch(executor, [handler, error]() { std::move (*handler)(error); });
        });
    }

public:
    boost::asio::io_context io{1};

private:
    time_point now_{1000s};
    time_point until_{};
    std::unique_ptr<wait_handler> pending_;
    std::size_t waits_ = 0;
};

struct world {
    std::shared_ptr<jumping_clock> time = std::make_shared<jumping_clock>();
    std::shared_ptr<http::deadlines> all =
        std::make_shared<http::deadlines>(environment{time->io.get_executor(), time, nullptr});

    void settle() {
        time->io.restart();
        time->io.run();
    }
    void run() {
        do settle();
        while (time->jump());
    }
};

struct noted : http::deadline {
    std::vector<int>* order = nullptr;
    world* in = nullptr;
    int number = 0;
    clock::time_point when{};
    int late = 0;
    void expired() override {
        order->push_back(number);
        if (in->time->now() != when) ++late;
    }
};

}  // namespace

TEST_CASE("each deadline passes once, at its time, in order, unless it was removed") {
    for (unsigned seed = 0; seed < 100; ++seed) {
        std::mt19937 random(seed);
        world w;
        std::vector<int> order;
        std::deque<noted> items(50);
        std::vector<int> expected;
        for (int i = 0; i < 50; ++i) {
            auto& item = items[static_cast<std::size_t>(i)];
            item.order = &order;
            item.in = &w;
            item.number = i;
            item.when =
                w.time->now() + std::chrono::milliseconds(1 + (random() % 1000) * 50 + static_cast<unsigned>(i));
            w.all->add(item, item.when);
            if (random() % 4 == 0) w.settle();
        }
        for (auto& item : items) {
            if (random() % 2 == 0) {
                w.all->remove(item);
            } else {
                expected.push_back(item.number);
            }
        }
        std::sort(expected.begin(), expected.end(), [&](int a, int b) {
            return items[static_cast<std::size_t>(a)].when < items[static_cast<std::size_t>(b)].when;
        });
        w.run();
        INFO("seed " << seed);
        CHECK(order == expected);
        for (const auto& item : items) CHECK(item.late == 0);
    }
}

TEST_CASE("requests that overlap cost no wait of their own, and after the last one nothing is waited for") {
    world w;
    std::vector<int> order;
    noted first;
    noted second;
    w.all->add(first, w.time->now() + 1s);
    for (int i = 0; i < 1000; ++i) {
        w.all->add(second, w.time->now() + 2s);
        w.all->remove(second);
    }
    CHECK(w.time->waits() == 1);
    w.all->remove(first);
    w.settle();
    CHECK_FALSE(w.time->waiting());
}

TEST_CASE("one request after the other costs no wait of its own either") {
    world w;
    noted item;
    for (int i = 0; i < 100; ++i) {
        w.all->add(item, w.time->now() + 1s);
        w.all->remove(item);
    }
    CHECK(w.time->waits() == 1);
    w.settle();
    CHECK_FALSE(w.time->waiting());
}
