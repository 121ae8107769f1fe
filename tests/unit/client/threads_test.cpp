// A client is made, used, closed and destroyed on any thread, and every call is answered once.
// SPDX-License-Identifier: BSL-1.0
#include "support/scripted_server.hpp"

#include <dynalease/client.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using namespace dynalease;
using support::answer;
using support::reaction;
using support::scripted_server;

namespace {

get_item_request a_read() {
    get_item_request request;
    request.table_name = "locks";
    request.key.emplace("pk", "account/42");
    return request;
}

/// A peer with a thread of its own.
struct served {
    asio::io_context serving{1};
    std::optional<scripted_server> server{std::in_place, serving.get_executor(),
                                          [](std::size_t, const std::string&) { return reaction{answer(200, "{}")}; }};
    client_options options;
    std::thread thread;

    served() {
        options.region = "eu-central-1";
        options.endpoint = "http://127.0.0.1:" + std::to_string(server->port());
        options.credentials = credentials{"key", "secret"};
        options.connections = 4;
        thread = std::thread([this] { serving.run(); });
    }
    ~served() {
        asio::post(serving, [this] { server->stop(); });
        thread.join();
    }
};

// Not as an exception: the thread sanitizer does not see how the C++ library counts who holds one.
std::future<error_code> read(const client& through) {
    auto end = std::make_shared<std::promise<error_code>>();
    auto known = end->get_future();
    through.execute(a_read(), {}, [end](error_code code, const get_item_response&) { end->set_value(code); });
    return known;
}

struct ends {
    std::atomic<int> answered{0};
    std::atomic<int> shut_down{0};
    std::atomic<int> other{0};

    void note(std::future<error_code> end) {
        const auto code = end.get();
        if (!code) {
            ++answered;
        } else {
            ++(code == errc::shut_down || code == errc::cancelled ? shut_down : other);
        }
    }
};

constexpr int users = 4;
constexpr int rounds = 20;
constexpr int calls = 5;

/// Every other client is destroyed while its calls are under way.
void use_own(const asio::any_io_executor& executor, const client_options& options, ends& seen) {
    for (int round = 0; round < rounds; ++round) {
        auto own = std::make_unique<client>(executor, options);
        std::vector<std::future<error_code>> under_way;
        for (int i = 0; i < calls; ++i) under_way.push_back(read(*own));
        if (round % 2 == 0) under_way.front().wait();
        if (round % 4 == 1) own->close();
        own.reset();
        for (auto& each : under_way) seen.note(std::move(each));
    }
}

void use_shared(const client& shared, ends& seen) {
    for (int i = 0; i < rounds * calls; ++i) seen.note(read(shared));
}

}  // namespace

TEST_CASE("clients of several threads on one pool of threads") {
    served peer;
    asio::thread_pool pool(3);
    ends seen;
    {
        const client shared(pool.get_executor(), peer.options);
        ends of_shared;
        std::vector<std::thread> threads;
        for (int i = 0; i < users; ++i) {
            threads.emplace_back([&] { use_own(pool.get_executor(), peer.options, seen); });
            threads.emplace_back([&] { use_shared(shared, of_shared); });
        }
        for (auto& each : threads) each.join();
        CHECK(of_shared.answered == users * rounds * calls);
    }
    pool.join();
    CHECK(seen.other == 0);
    CHECK(seen.answered >= users * rounds / 2);
    CHECK(seen.answered + seen.shut_down == users * rounds * calls);
}

TEST_CASE("the counters of a client may be asked on any thread, and what only grows is never seen to fall") {
    served peer;
    asio::thread_pool loop(1);
    client through(loop.get_executor(), peer.options);
    std::atomic<bool> over{false};
    std::atomic<bool> asked{false};
    std::atomic<bool> fell{false};
    std::thread other([&] {
        client_counters before;
        while (!over) {
            const auto now = through.counters();
            const bool fewer = now.connections_opened < before.connections_opened ||
                               now.connections_reused < before.connections_reused ||
                               now.operations.size() < before.operations.size();
            if (fewer) fell = true;
            if (now.connections_open > peer.options.connections) fell = true;
            const auto reads = now.operations.find("GetItem");
            const auto earlier = before.operations.find("GetItem");
            const bool both = reads != now.operations.end() && earlier != before.operations.end();
            if (both && reads->second.attempts < earlier->second.attempts) fell = true;
            before = now;
            asked = true;
        }
    });
    int answered = 0;
    for (int i = 0; i < 200 || !asked; ++i) {
        std::vector<std::future<error_code>> under_way;
        for (int n = 0; n < calls; ++n) under_way.push_back(read(through));
        for (auto& each : under_way) answered += each.get() ? 0 : 1;
    }
    over = true;
    other.join();
    CHECK_FALSE(fell);
    const auto counted = through.counters();
    CHECK(counted.operations.at("GetItem").applied == static_cast<std::uint64_t>(answered));
    CHECK(counted.operations.at("GetItem").latency.count() == static_cast<std::uint64_t>(answered));
    CHECK(counted.requests_waiting == 0);
    through.close();
    CHECK(through.counters().connections_open <= peer.options.connections);
    loop.join();
    CHECK(through.counters().connections_open == 0);
}
